#include "tools/export/command_line.hpp"

#include <CLI/CLI.hpp>

#include "tools/client/option_error.hpp"
#include "tools/client/version.hpp"
#include "tools/export/address.hpp"
#include "tools/export/file_names.hpp"

namespace annals::exporting {

target_kind asked::kind() const {
  if (is_postgres(where)) return target_kind::postgres;
  return form.empty() ? target_kind::sqlite : target_kind::files;
}

std::string asked::shown() const { return kind() == target_kind::postgres ? without_password(where) : where; }

std::optional<int> read_command_line(int argc, char** argv, asked& a) {
  CLI::App app("Writes what the server's log says of jobs, runs, hosts and cycles into tables of a database, or into files.", "pbs_export");
  app.set_version_flag("--version", client::version_line());
  app.add_option("target", a.where, "a file of SQLite, postgresql://..., or with --format a directory")->required();
  app.add_option("--log", a.log, "directory of the log (the server's or the follower's below PBS_HOME)");
  app.add_option("--format", a.form, "write files, one for each table and day: csv, jsonl or ur2")
      ->check(CLI::IsMember({"csv", "jsonl", "ur2"}))
      ->option_text("FORM");
  app.add_flag("--gzip", a.compressed, "compress these files");
  app.add_option("--schema", a.schema, "of PostgreSQL: the schema that has the tables (default: annals)");
  app.add_flag("-f,--follow", a.follow, "go on as the log grows, until a signal comes");
  app.add_flag("--rebuild", a.rebuild, "make all rows anew beside those there are, then exchange them");
  app.add_flag("-q,--quiet", a.quiet, "say nothing but errors");
  try {
    app.parse(argc, argv);
    if (a.compressed && a.kind() != target_kind::files) throw CLI::ValidationError("--gzip", "needs --format");
    if (a.kind() == target_kind::postgres && !a.form.empty()) throw CLI::ValidationError("--format", "needs a directory");
    if (a.follow && a.rebuild) throw CLI::ValidationError("--rebuild", "ends when it is done: it can't follow");
    if (a.schema.empty() || a.schema.size() > 50) throw CLI::ValidationError("--schema", "must be a name of at most 50 bytes");
  } catch (const CLI::ParseError& e) {
    return client::print_option_error(app, e);
  }
  return std::nullopt;
}

std::unique_ptr<target> open_target(const asked& a, target_place place, const say& tell) {
  const auto tables = exports::current_tables();
  switch (a.kind()) {
    case target_kind::sqlite: return open_sqlite(a.where, place, tables, tell);
    case target_kind::postgres: return open_postgres(a.where, a.schema, place, tables, tell);
    case target_kind::files:
      return open_files(a.where, {form_named(a.form).value(), a.compressed}, place, tables);
  }
  return nullptr;
}

}  // namespace annals::exporting
