// A log in memory and targets that it is written to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/tools/export/postgres_server.hpp"
#include "test/unit/tools/export/read_back.hpp"
#include "tools/export/exporter.hpp"

namespace annals::test {

struct exported_log {
  log::memory_event_store store;
  log::log_reader reader{static_cast<const ports::record_log&>(store)};
  std::unique_ptr<made_history> history;
  temporary_directory files;

  explicit exported_log(unsigned seed = 1, int steps = 0) : history(std::make_unique<made_history>(store, seed)) {
    history->begin();
    for (int i = 0; i < steps; ++i) history->step();
  }

  static void drop(const std::string&) {}
  std::unique_ptr<exporting::target> sqlite(exporting::target_place place = exporting::target_place::proper,
                                            const exports::table_set& tables = exports::current_tables(),
                                            const std::string& name = "db") const {
    return exporting::open_sqlite(files.at(name), place, tables, drop);
  }
  void write_all(exporting::target& to, const exporting::batch_bounds& bounds = {}) const {
    exporting::exporter all(reader, to, bounds);
    while (all.step()) {}
  }
  // From nothing, in one write.
  table_texts expected() const {
    const auto beside = files.at("expected");
    std::filesystem::remove(beside);
    {
      const auto to = exporting::open_sqlite(beside, exporting::target_place::proper, exports::current_tables(), drop);
      write_all(*to, {UINT64_MAX, SIZE_MAX, SIZE_MAX});
    }
    return sqlite_texts(beside);
  }
};

// One for all tests of the program: it takes a second to make.
inline postgres_server* server_of_tests() {
  static const auto server = postgres_server::programs() ? std::make_unique<postgres_server>() : nullptr;
  return server.get();
}

}  // namespace annals::test
