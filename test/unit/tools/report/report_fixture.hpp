// A log, the database that pbs_export makes of it, and the report of that.
#pragma once

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "test/support/temporary_directory.hpp"
#include "tools/export/exporter.hpp"
#include "tools/export/row_source.hpp"
#include "tools/report/report.hpp"

namespace annals::test {

inline void export_to(const ports::record_log& store, exporting::target& to) {
  const log::log_reader reader(store);
  exporting::exporter all(reader, to);
  while (all.step()) {}
}

inline void export_to_file(const ports::record_log& store, const std::string& file) {
  const auto to = exporting::open_sqlite(file, exporting::target_place::proper, exports::current_tables(), [](const std::string&) {});
  export_to(store, *to);
}

inline reporting::use_table table_of(exporting::row_source& from, std::vector<reporting::dimension> by,
                                     const std::vector<std::string>& resources = {}, const reporting::period& in = {},
                                     const reporting::rates* prices = nullptr) {
  reporting::use_table table(std::move(by), resources, prices);
  reporting::each_run(from, in, resources, [&](const reporting::counted_run& r) {
    table.add(r);
    return true;
  });
  return table;
}

}  // namespace annals::test
