// A connection to a database of PostgreSQL, and what is done with it: what pbs_export writes and pbs_report reads. Each throws
// target_trouble.
#pragma once

#include <libpq-fe.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/export/target.hpp"

namespace annals::exporting::postgres {

class result {
 public:
  explicit result(PGresult* r) : r_(r) {}
  ~result() { PQclear(r_); }
  result(const result&) = delete;
  ExecStatusType status() const { return PQresultStatus(r_); }
  const char* state() const { return PQresultErrorField(r_, PG_DIAG_SQLSTATE); }
  int rows() const { return PQntuples(r_); }
  int columns() const { return PQnfields(r_); }
  int changed() const { return std::atoi(PQcmdTuples(r_)); }
  std::string text(int row, int column) const { return std::string(view(row, column).value_or("")); }
  // As long as the result lives; nothing: it is null.
  std::optional<std::string_view> view(int row, int column) const;

 private:
  PGresult* r_;
};

class connection {
 public:
  // What the address says wins over what stands before it. `program`: its name, for who looks who is connected.
  connection(const std::string& url, const char* program);
  ~connection() { PQfinish(db_); }
  connection(const connection&) = delete;

  PGconn* get() const { return db_; }
  [[noreturn]] void fail(const char* state) const;  // as the last call says
  void run(const std::string& sql) { (void)changed(sql); }
  int changed(const std::string& sql);
  int changed(const std::string& sql, const std::vector<std::string>& values);
  std::vector<std::vector<std::string>> read(const std::string& sql);
  // Row by row, within a transaction, so that few of them are in memory. Until take says false.
  using take_row = std::function<bool(std::span<const std::optional<std::string_view>>)>;
  void each_row(const std::string& sql, const take_row& take);
  std::string literal(const std::string& text) const;  // 'text', for a statement

 private:
  void check(const result& r) const;

  PGconn* db_ = nullptr;
};

// Rolls back unless it was committed.
class transaction {
 public:
  explicit transaction(connection& of) : of_(of) { of.run("begin"); }
  ~transaction() {
    if (!done_) const result ignored(PQexec(of_.get(), "rollback"));
  }
  void commit() {
    of_.run("commit");
    done_ = true;
  }

 private:
  connection& of_;
  bool done_ = false;
};

}  // namespace annals::exporting::postgres
