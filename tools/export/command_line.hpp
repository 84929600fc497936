// What pbs_export is asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/export/target.hpp"

namespace annals::exporting {

enum class target_kind : std::uint8_t { sqlite,
                                        postgres,
                                        files };

struct asked {
  std::string log;                // directory; empty: the one of this host
  std::string where;              // file, directory or address
  std::string schema = "annals";  // of PostgreSQL
  std::string form;               // "csv", "jsonl", "ur2"; empty: a database
  bool compressed = false, follow = false, rebuild = false, quiet = false;

  target_kind kind() const;
  // The name of the target without a password.
  std::string shown() const;
};

// An exit status: the line was answered, or is wrong.
std::optional<int> read_command_line(int argc, char** argv, asked& a);

std::unique_ptr<target> open_target(const asked& a, target_place place, const say& tell);

}  // namespace annals::exporting
