#include "tools/report/temporary_tables.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tools/export/exporter.hpp"
#include "tools/report/held.hpp"

namespace annals::reporting {
namespace {

// The first tables: jobs, runs, run_resources and phases.
constexpr std::size_t tables_read = 4;
static_assert(static_cast<std::size_t>(exports::table_id::phases) < tables_read &&
              static_cast<std::size_t>(exports::table_id::runs) < tables_read &&
              static_cast<std::size_t>(exports::table_id::run_resources) < tables_read);

exports::table_set tables_of_runs() {
  auto all = exports::current_tables();
  all.tables = all.tables.first(tables_read);
  return all;
}

}  // namespace

temporary_tables::temporary_tables() {
  const char* given = std::getenv("TMPDIR");
  std::string made = std::string(given && *given ? given : "/tmp") + "/pbs_report.XXXXXX";
  if (!::mkdtemp(made.data())) throw report_trouble(made + ": " + std::strerror(errno));
  directory_ = made;
}

temporary_tables::~temporary_tables() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

bool temporary_tables::fill(const log::log_reader& log, const std::function<bool()>& go_on) {
  const auto target = exporting::open_sqlite(file(), exporting::target_place::proper, tables_of_runs(), [](const std::string&) {});
  exporting::exporter to(log, *target);
  while (go_on())
    if (!to.step()) return true;
  return false;
}

}  // namespace annals::reporting
