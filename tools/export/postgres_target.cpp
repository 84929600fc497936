// Rows in a schema of a PostgreSQL database. A write copies rows of each table into a temporary one, and from there where they belong.
#include <cstdlib>
#include <set>

#include "projections/exports/value.hpp"
#include "tools/export/postgres_connection.hpp"
#include "tools/export/sql.hpp"
#include "tools/export/target.hpp"
#include "tools/export/target_versions.hpp"

namespace annals::exporting {
namespace {

using trouble = target_trouble::kind;
using postgres::connection;
using postgres::result;
using postgres::transaction;

constexpr std::size_t copy_bytes_max = 1u << 20;  // handed to libpq at once, which copies them

// As COPY's text format has it.
void put_copied(std::string& line, const exports::value& v) {
  if (exports::is_null(v)) {
    line += "\\N";
    return;
  }
  const auto* text = std::get_if<std::string>(&v);
  if (!text) {
    line += exports::print_plain(v);
    return;
  }
  for (const char c : *text) switch (c) {
      case '\\': line += "\\\\"; break;
      case '\n': line += "\\n"; break;
      case '\r': line += "\\r"; break;
      case '\t': line += "\\t"; break;
      default: line += c;
    }
}

std::string stage_of(const exports::table& t) { return "pg_temp." + sql_name("export_" + std::string(t.name)); }

class postgres_target : public target {
 public:
  postgres_target(const std::string& url, const std::string& schema, target_place place, const exports::table_set& tables, const say& tell)
      : proper_(schema),
        schema_(place == target_place::beside ? schema + "_rebuild" : schema),
        url_(url),
        tables_(tables),
        db_(url, "pbs_export") {
    if (place == target_place::beside) db_.run("drop schema if exists " + sql_name(schema_) + " cascade");
    make_tables(tell);
    // The log has what a crash of the database's host takes with it.
    db_.run("set synchronous_commit=off");
    for (const auto& t : tables_.tables)
      db_.run("create temporary table " + stage_of(t).substr(8) + " on commit delete rows as select " + column_list(t) + " from " +
              prefix() + sql_name(t.name) + " with no data");
    at_ = read_position();
  }

  const position& at() const override { return at_; }

  void write(const row_batch& rows, const position& next) override {
    transaction t(db_);
    const auto moved = db_.changed(
        "update " + prefix() + sql_name(position_table) +
            " set sequence=$1::bigint,hash=$2,notes=$3,written_at=$4::timestamptz where id=1 and sequence=$5::bigint",
        {std::to_string(next.sequence), next.hash, next.notes, exports::print_moment(time_now()), std::to_string(at_.sequence)});
    if (moved != 1) throw target_trouble(trouble::moved, name() + ": another pbs_export has written to it");
    for (std::size_t i = 0; i < tables_.tables.size(); ++i)
      if (!rows.of(i).empty()) put(tables_.tables[i], rows.of(i));
    t.commit();
    at_ = next;
  }

  // Whoever writes to the other one changes its position first, and so waits for this, or this for him.
  void exchange() override {
    const postgres_target proper_as_it_should_be(url_, proper_, target_place::proper, tables_, [](const std::string&) {});
    transaction t(db_);
    db_.run("set local lock_timeout=0");  // what took long to make waits for whoever has a lock
    db_.run("select 1 from " + sql_name(proper_) + "." + sql_name(position_table) + " where id=1 for update");
    for (const auto& sql : exchange_rows(tables_, sql_name(proper_) + ".", prefix())) db_.run(sql);
    db_.run("drop schema " + sql_name(schema_) + " cascade");
    t.commit();
  }

 private:
  std::string prefix() const { return sql_name(schema_) + "."; }
  std::string name() const { return "PostgreSQL, schema " + schema_; }

  void make_tables(const say& tell) {
    transaction t(db_);
    // One of two that begin at once makes the schema.
    db_.run("select pg_advisory_xact_lock(hashtext('pbs_export'))");
    if (db_.read("select 1 from pg_namespace where nspname=" + db_.literal(schema_)).empty())
      db_.run("create schema " + sql_name(schema_));
    db_.run(create_position(prefix(), dialect::postgres));
    const auto row = db_.read("select schema_version from " + prefix() + sql_name(position_table) + " where id=1");
    const int before = row.empty() ? 0 : std::atoi(row.front().front().c_str());
    check_version(name(), before, tables_);
    for (const auto& table : tables_.tables) make_table(table, tell);
    db_.run(create_indexes(prefix()));
    const auto version = std::to_string(tables_.version);
    if (before == 0) db_.run("insert into " + prefix() + sql_name(position_table) + " values(1," + version + ",0,'','',null)");
    else if (before < tables_.version) db_.run("update " + prefix() + sql_name(position_table) + " set schema_version=" + version);
    t.commit();
  }

  void make_table(const exports::table& table, const say& tell) {
    std::set<std::string> there;
    for (const auto& row : db_.read("select column_name from information_schema.columns where table_schema=" + db_.literal(schema_) +
                                    " and table_name=" + db_.literal(table.name)))
      there.insert(row.front());
    if (there.empty()) return db_.run(create_table(table, prefix(), dialect::postgres));
    for (const auto& c : table.columns)
      if (!there.contains(c.name)) {
        db_.run(add_column(table, c, prefix(), dialect::postgres));
        tell(told_of_new_column(name(), table, c));
      }
  }

  position read_position() {
    const auto rows = db_.read("select sequence,hash,notes from " + prefix() + sql_name(position_table) + " where id=1");
    if (rows.size() != 1) throw target_trouble(trouble::lasting, name() + ": " + std::string(position_table) + " has no row");
    return {std::strtoull(rows.front()[0].c_str(), nullptr, 10), rows.front()[1], rows.front()[2]};
  }

  void send(std::string& lines) {
    if (!lines.empty() && PQputCopyData(db_.get(), lines.data(), static_cast<int>(lines.size())) != 1) db_.fail(nullptr);
    lines.clear();
  }

  void put(const exports::table& t, const std::vector<exports::row>& rows) {
    db_.run("copy " + stage_of(t) + "(" + column_list(t) + ") from stdin");
    std::string lines;
    for (const auto& r : rows) {
      for (std::size_t i = 0; i < r.values.size(); ++i) {
        if (i > 0) lines += '\t';
        put_copied(lines, r.values[i]);
      }
      lines += '\n';
      if (lines.size() > copy_bytes_max) send(lines);
    }
    send(lines);
    if (PQputCopyEnd(db_.get(), nullptr) != 1) db_.fail(nullptr);
    std::string state;
    bool failed = false;
    for (auto* r = PQgetResult(db_.get()); r != nullptr; r = PQgetResult(db_.get())) {
      const result one(r);
      if (one.status() == PGRES_COMMAND_OK) continue;
      failed = true;
      if (one.state()) state = one.state();
    }
    if (failed) db_.fail(state.empty() ? nullptr : state.c_str());
    db_.run(upsert(t, prefix(), "select " + column_list(t) + " from " + stage_of(t)));
  }

  std::string proper_, schema_, url_;
  exports::table_set tables_;
  connection db_;
  position at_;
};

}  // namespace

std::unique_ptr<target> open_postgres(const std::string& url, const std::string& schema, target_place place,
                                      const exports::table_set& tables, const say& tell) {
  return std::make_unique<postgres_target>(url, schema, place, tables, tell);
}

}  // namespace annals::exporting
