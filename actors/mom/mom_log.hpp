// The runs and parts on a MoM's host, as its log has them. They are read when the MoM starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/mom/runs/left_runs.hpp"
#include "events/log/log_reader.hpp"
#include "events/values/program_key.hpp"

namespace annals::actors {

// A run that the log knows and that has not left.
struct known_run {
  values::run_key key;
  std::uint64_t stream = 0;
  std::uint64_t job_serial = 0;
  std::string cookie = {};
  std::string user = {};  // who may have processes here while the run is here
};
struct known_part {
  known_run what;
  std::string primary;
};

// Reads the log of a MoM: which runs are there, which have left.
struct mom_log_contents {
  std::vector<known_run> known;
  std::vector<left_run> left;
  std::vector<known_part> known_parts;
  std::vector<left_run> left_parts;
};
mom_log_contents read_mom_log(const log::log_reader& reader);

}  // namespace annals::actors
