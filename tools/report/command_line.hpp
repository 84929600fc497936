// What pbs_report is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/report/counted_runs.hpp"
#include "tools/report/use.hpp"

namespace annals::reporting {

enum class report_form : std::uint8_t { text,
                                        csv,
                                        json,
                                        html };

struct asked {
  std::string source;             // file, directory or address; empty: the log of this host
  std::string schema = "annals";  // of PostgreSQL
  std::vector<dimension> by;
  period in;
  std::vector<std::string> resources;  // each once
  std::string rates;                   // file; empty: no prices
  std::string title;
  report_form form = report_form::text;
};

// An exit status: the line was answered, or is wrong; both were printed. `now_ns`: what "today" means.
std::variant<asked, int> read_command_line(int argc, char** argv, std::int64_t now_ns);

}  // namespace annals::reporting
