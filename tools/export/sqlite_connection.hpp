// A connection to a file of SQLite, and what is done with it: what pbs_export writes and pbs_report reads. Each throws target_trouble.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "projections/exports/value.hpp"
#include "tools/export/target.hpp"

namespace annals::exporting::sqlite {

enum class open_for : std::uint8_t { writing,  // the file is made if there is none
                                     reading };

class connection {
 public:
  connection(const std::string& file, open_for use);
  ~connection() { sqlite3_close(db_); }
  connection(const connection&) = delete;

  sqlite3* get() const { return db_; }
  void run(const std::string& sql);
  [[noreturn]] void fail() const;  // as the last call says

 private:
  std::string file_;
  open_for use_;
  sqlite3* db_ = nullptr;
};

class statement {
 public:
  statement(connection& of, const std::string& sql);
  ~statement() { sqlite3_finalize(s_); }
  statement(statement&& other) noexcept;

  // The value must live until the next step.
  void bind(int place, exports::value&&) = delete;
  void bind(int place, const exports::value& v);
  bool step();  // false: there are no more rows
  void run();
  int columns() const { return sqlite3_column_count(s_); }
  std::int64_t integer(int column) const { return sqlite3_column_int64(s_, column); }
  std::string text(int column) const { return std::string(view(column).value_or("")); }
  // Until the next step; nothing: it is null.
  std::optional<std::string_view> view(int column) const;

 private:
  connection& of_;
  sqlite3_stmt* s_ = nullptr;
};

// Rolls back unless it was committed.
class transaction {
 public:
  explicit transaction(connection& of) : of_(of) { of.run("begin immediate"); }
  ~transaction() {
    if (!done_) sqlite3_exec(of_.get(), "rollback", nullptr, nullptr, nullptr);
  }
  void commit() {
    of_.run("commit");
    done_ = true;
  }

 private:
  connection& of_;
  bool done_ = false;
};

}  // namespace annals::exporting::sqlite
