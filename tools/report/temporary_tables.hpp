// The tables of a log, made for one report: a file of SQLite in a directory of its own, which goes with this. So a report of a log is one
// of the same rows, by the same query, as one of a database.
#pragma once

#include <functional>
#include <string>

#include "events/log/log_reader.hpp"

namespace annals::reporting {

class temporary_tables {
 public:
  // Makes the directory below TMPDIR, else /tmp; nobody else can read it. Throws report_trouble.
  temporary_tables();
  ~temporary_tables();
  temporary_tables(const temporary_tables&) = delete;

  // Writes what the log has of runs. False: go_on said so before its end. Throws exporting::log_trouble and exporting::target_trouble.
  bool fill(const log::log_reader& log, const std::function<bool()>& go_on);
  std::string file() const { return directory_ + "/runs.db"; }

 private:
  std::string directory_;
};

}  // namespace annals::reporting
