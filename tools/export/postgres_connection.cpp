#include "tools/export/postgres_connection.hpp"

#include <cstring>

namespace annals::exporting::postgres {
namespace {

using trouble = target_trouble::kind;

// A statement that waits for a lock hears no signal and says nothing, so after this time it fails. A limit that the site or the address
// sets stays.
constexpr const char* limit_waits = "select set_config('lock_timeout','10s',false) where current_setting('lock_timeout')='0'";
constexpr int rows_at_once = 2000;  // of each_row: so many are in memory, and asked for with one round trip

// By the class of an SQLSTATE.
trouble kind_of_state(PGconn* of, const char* state) {
  if (PQstatus(of) != CONNECTION_OK || !state) return trouble::passing;
  const std::string_view code(state, std::strlen(state));
  for (const auto passing : {"08", "40", "53", "55", "57", "58"})  // connection, rollback, resources, not ready, operator, system
    if (code.starts_with(passing)) return trouble::passing;
  return code == "25006" ? trouble::passing : trouble::lasting;  // a standby that is not promoted yet
}

// Joins the lines of a message of libpq.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n' && c != '\t') line += c;
    else if (!line.empty() && !line.ends_with(' ')) line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::optional<std::string_view> result::view(int row, int column) const {
  if (PQgetisnull(r_, row, column)) return std::nullopt;
  return std::string_view(PQgetvalue(r_, row, column), static_cast<std::size_t>(PQgetlength(r_, row, column)));
}

connection::connection(const std::string& url, const char* program) {
  const char* names[] = {"connect_timeout", "fallback_application_name", "keepalives_idle", "keepalives_interval", "dbname",
                         "client_encoding", nullptr};
  const char* settings[] = {"10", program, "30", "10", url.c_str(), "UTF8", nullptr};
  db_ = PQconnectdbParams(names, settings, 1);
  if (PQstatus(db_) == CONNECTION_OK) {
    PQsetNoticeProcessor(
        db_, [](void*, const char*) {}, nullptr);
    PQsetErrorVerbosity(db_, PQERRORS_TERSE);  // without lines of the statement
    const result r(PQexec(db_, limit_waits));
    if (r.status() == PGRES_TUPLES_OK) return;
  }
  const auto why = in_one_line(PQerrorMessage(db_));
  PQfinish(db_);
  throw target_trouble(trouble::passing, "PostgreSQL: " + why);
}

void connection::fail(const char* state) const {
  throw target_trouble(kind_of_state(db_, state), "PostgreSQL: " + in_one_line(PQerrorMessage(db_)));
}

int connection::changed(const std::string& sql) {
  const result r(PQexec(db_, sql.c_str()));
  check(r);
  return r.changed();
}

int connection::changed(const std::string& sql, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const auto& v : values) texts.push_back(v.c_str());
  const result r(PQexecParams(db_, sql.c_str(), static_cast<int>(texts.size()), nullptr, texts.data(), nullptr, nullptr, 0));
  check(r);
  return r.changed();
}

std::vector<std::vector<std::string>> connection::read(const std::string& sql) {
  const result r(PQexec(db_, sql.c_str()));
  check(r);
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < r.rows(); ++i) {
    rows.emplace_back();
    for (int c = 0; c < r.columns(); ++c) rows.back().push_back(r.text(i, c));
  }
  return rows;
}

// A cursor ends without an error wherever its reader ends, so that the transaction goes on.
void connection::each_row(const std::string& sql, const take_row& take) {
  run("declare rows_to_read no scroll cursor for " + sql);
  const auto fetch = "fetch " + std::to_string(rows_at_once) + " from rows_to_read";
  std::vector<std::optional<std::string_view>> fields;
  for (bool goes_on = true; goes_on;) {
    const result r(PQexec(db_, fetch.c_str()));
    check(r);
    goes_on = r.rows() > 0;
    for (int i = 0; goes_on && i < r.rows(); ++i) {
      fields.clear();
      for (int c = 0; c < r.columns(); ++c) fields.push_back(r.view(i, c));
      goes_on = take(fields);
    }
  }
  run("close rows_to_read");
}

std::string connection::literal(const std::string& text) const {
  char* escaped = PQescapeLiteral(db_, text.data(), text.size());
  if (!escaped) fail(nullptr);
  std::string copy(escaped);
  PQfreemem(escaped);
  return copy;
}

void connection::check(const result& r) const {
  if (r.status() != PGRES_COMMAND_OK && r.status() != PGRES_TUPLES_OK && r.status() != PGRES_COPY_IN) fail(r.state());
}

}  // namespace annals::exporting::postgres
