// Rows in a file of SQLite.
#include <unistd.h>

#include <iterator>
#include <set>

#include "projections/exports/value.hpp"
#include "tools/export/sql.hpp"
#include "tools/export/sqlite_connection.hpp"
#include "tools/export/target.hpp"
#include "tools/export/target_versions.hpp"

namespace annals::exporting {
namespace {

using trouble = target_trouble::kind;
using sqlite::connection;
using sqlite::open_for;
using sqlite::statement;
using sqlite::transaction;

void remove_database(const std::string& file) {
  for (const char* part : {"", "-wal", "-shm", "-journal"}) ::unlink((file + part).c_str());
}

class sqlite_target : public target {
 public:
  sqlite_target(const std::string& file, target_place place, const exports::table_set& tables, const say& tell)
      : proper_file_(file), file_(place == target_place::beside ? file + ".rebuild" : file), tables_(tables), db_(fresh(file_, place)) {
    // A crash of the host may take the last transactions with it, whole: the log has them.
    db_.run("pragma journal_mode=wal;pragma synchronous=normal;pragma cache_size=-65536;pragma wal_autocheckpoint=4000");
    make_tables(tell);
    for (const auto& t : tables_.tables) {
      std::string places;
      for (std::size_t i = 0; i < t.columns.size(); ++i) places += i ? ",?" : "?";
      puts_.emplace_back(db_, upsert(t, "", "values(" + places + ")"));
    }
    move_.emplace_back(db_, "update " + sql_name(position_table) + " set sequence=?,hash=?,notes=?,written_at=? where id=1 and sequence=?");
    at_ = read_position();
  }

  const position& at() const override { return at_; }

  void write(const row_batch& rows, const position& next) override {
    transaction t(db_);
    auto& move = move_.front();
    const exports::value values[] = {static_cast<std::int64_t>(next.sequence), next.hash, next.notes, time_now(),
                                     static_cast<std::int64_t>(at_.sequence)};
    for (int i = 0; i < static_cast<int>(std::size(values)); ++i) move.bind(i + 1, values[i]);
    move.run();
    if (sqlite3_changes(db_.get()) != 1) throw target_trouble(trouble::moved, file_ + ": another pbs_export has written to it");
    for (std::size_t i = 0; i < tables_.tables.size(); ++i)
      for (const auto& r : rows.of(i)) put(puts_[i], r);
    t.commit();
    at_ = next;
  }

  void exchange() override {
    puts_.clear();
    move_.clear();
    db_.run("pragma wal_checkpoint(truncate)");
    const sqlite_target proper_as_it_should_be(proper_file_, target_place::proper, tables_, [](const std::string&) {});
    connection proper(proper_file_, open_for::writing);
    {
      statement attach(proper, "attach database ? as rebuilt");
      const exports::value name = file_;
      attach.bind(1, name);
      attach.run();
    }
    transaction t(proper);
    for (const auto& sql : exchange_rows(tables_, "main.", "rebuilt.")) proper.run(sql);
    t.commit();
    proper.run("detach database rebuilt");
    remove_database(file_);
  }

 private:
  static connection fresh(const std::string& file, target_place place) {
    if (place == target_place::beside) remove_database(file);
    return connection(file, open_for::writing);
  }

  void put(statement& s, const exports::row& r) {
    for (std::size_t i = 0; i < r.values.size(); ++i) s.bind(static_cast<int>(i) + 1, r.values[i]);
    s.run();
  }

  std::set<std::string> columns_of(const exports::table& t) {
    std::set<std::string> names;
    statement s(db_, "select name from pragma_table_info('" + std::string(t.name) + "')");
    while (s.step()) names.insert(s.text(0));
    return names;
  }

  int version() {
    statement s(db_, "select schema_version from " + sql_name(position_table) + " where id=1");
    return s.step() ? static_cast<int>(s.integer(0)) : 0;
  }

  void make_tables(const say& tell) {
    transaction t(db_);
    db_.run(create_position("", dialect::sqlite));
    const int before = version();
    check_version(file_, before, tables_);
    for (const auto& table : tables_.tables) {
      const auto there = columns_of(table);
      if (there.empty()) db_.run(create_table(table, "", dialect::sqlite));
      for (const auto& c : table.columns)
        if (!there.empty() && !there.contains(c.name)) {
          db_.run(add_column(table, c, "", dialect::sqlite));
          tell(told_of_new_column(file_, table, c));
        }
    }
    db_.run(create_indexes(""));
    if (before == 0) db_.run("insert into " + sql_name(position_table) + " values(1," + std::to_string(tables_.version) + ",0,'','',null)");
    else if (before < tables_.version)
      db_.run("update " + sql_name(position_table) + " set schema_version=" + std::to_string(tables_.version));
    t.commit();
  }

  position read_position() {
    statement s(db_, "select sequence,hash,notes from " + sql_name(position_table) + " where id=1");
    if (!s.step()) throw target_trouble(trouble::lasting, file_ + ": " + std::string(position_table) + " has no row");
    return {static_cast<std::uint64_t>(s.integer(0)), s.text(1), s.text(2)};
  }

  std::string proper_file_, file_;
  exports::table_set tables_;
  connection db_;
  std::vector<statement> puts_;  // by table
  std::vector<statement> move_;  // one
  position at_;
};

}  // namespace

std::unique_ptr<target> open_sqlite(const std::string& file, target_place place, const exports::table_set& tables, const say& tell) {
  return std::make_unique<sqlite_target>(file, place, tables, tell);
}

}  // namespace annals::exporting
