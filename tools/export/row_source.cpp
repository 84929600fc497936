#include "tools/export/row_source.hpp"

#include <cstdlib>
#include <optional>
#include <vector>

#include "tools/export/postgres_connection.hpp"
#include "tools/export/sqlite_connection.hpp"
#include "tools/export/target.hpp"

namespace annals::exporting {
namespace {

using trouble = target_trouble::kind;

class sqlite_source : public row_source {
 public:
  explicit sqlite_source(const std::string& file) : db_(file, sqlite::open_for::reading) { db_.run("begin"); }

  dialect speaks() const override { return dialect::sqlite; }
  std::string prefix() const override { return {}; }
  void each_row(const std::string& sql, const take_row& take) override {
    sqlite::statement s(db_, sql);
    std::vector<std::optional<std::string_view>> fields(static_cast<std::size_t>(s.columns()));
    while (s.step()) {
      for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = s.view(static_cast<int>(i));
      if (!take(fields)) return;
    }
  }

 private:
  sqlite::connection db_;
};

class postgres_source : public row_source {
 public:
  postgres_source(const std::string& url, const std::string& schema) : schema_(schema), db_(url, "pbs_report") {
    db_.run("begin transaction isolation level repeatable read read only");
    db_.run("set local cursor_tuple_fraction=1");  // all rows are read
  }

  dialect speaks() const override { return dialect::postgres; }
  std::string prefix() const override { return sql_name(schema_) + "."; }
  void each_row(const std::string& sql, const take_row& take) override { db_.each_row(sql, take); }

 private:
  std::string schema_;
  postgres::connection db_;
};

std::unique_ptr<row_source> with_tables(std::unique_ptr<row_source> source, const std::string& name) {
  std::optional<std::string> version;
  try {
    source->each_row("select schema_version from " + source->prefix() + sql_name(position_table) + " where id=1", [&](auto row) {
      version = row[0].value_or("");
      return false;
    });
  } catch (const target_trouble& e) {
    if (e.which() != trouble::lasting) throw;
    throw target_trouble(e.which(), std::string(e.what()) + " (did pbs_export write it?)");
  }
  if (!version) throw target_trouble(trouble::lasting, name + ": " + std::string(position_table) + " has no row");
  const auto known = exports::current_tables();
  const int is = std::atoi(version->c_str());
  if (is < known.oldest || is > known.version)
    throw target_trouble(trouble::lasting, name + ": its tables have version " + *version + ", and this program reads version " +
                                               std::to_string(known.version) + ": use the pbs_report that came with its pbs_export");
  return source;
}

}  // namespace

std::unique_ptr<row_source> read_sqlite(const std::string& file) { return with_tables(std::make_unique<sqlite_source>(file), file); }

std::unique_ptr<row_source> read_postgres(const std::string& url, const std::string& schema) {
  return with_tables(std::make_unique<postgres_source>(url, schema), "PostgreSQL, schema " + schema);
}

std::string moment_text(const std::string& column, dialect d) {
  if (d == dialect::sqlite) return column;
  return "to_char(" + column + " at time zone 'UTC','YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
}

}  // namespace annals::exporting
