#include "tools/export/sqlite_connection.hpp"

#include <utility>

namespace annals::exporting::sqlite {
namespace {

using trouble = target_trouble::kind;

constexpr int busy_wait_ms = 20'000;  // a reader that exports a whole table holds up a writer for so long at most

trouble kind_of_code(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_CANTOPEN: return trouble::passing;
    default: return trouble::lasting;
  }
}

}  // namespace

connection::connection(const std::string& file, open_for use) : file_(file), use_(use) {
  const int flags = use == open_for::writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int opened = sqlite3_open_v2(file.c_str(), &db_, flags, nullptr);
  if (opened != SQLITE_OK) {
    const std::string why = db_ ? sqlite3_errmsg(db_) : "no memory";
    sqlite3_close(db_);
    throw target_trouble(kind_of_code(opened), file + ": " + why);
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, busy_wait_ms);
}

void connection::run(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

// A file in WAL mode has others beside it while somebody has it open, and whoever opens it first makes these.
void connection::fail() const {
  const int code = sqlite3_errcode(db_);
  if (use_ == open_for::reading && ((code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN))
    throw target_trouble(trouble::passing,
                         file_ + ": to read it while no pbs_export has it open, one must be able to write into its directory");
  throw target_trouble(kind_of_code(code), file_ + ": " + sqlite3_errmsg(db_));
}

statement::statement(connection& of, const std::string& sql) : of_(of) {
  if (sqlite3_prepare_v3(of.get(), sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &s_, nullptr) != SQLITE_OK) of.fail();
}

statement::statement(statement&& other) noexcept : of_(other.of_), s_(std::exchange(other.s_, nullptr)) {}

void statement::bind(int place, const exports::value& v) {
  int bound = SQLITE_OK;
  if (const auto* n = std::get_if<std::int64_t>(&v)) bound = sqlite3_bind_int64(s_, place, *n);
  else if (const auto* real = std::get_if<double>(&v)) bound = sqlite3_bind_double(s_, place, *real);
  else if (const auto* is = std::get_if<bool>(&v)) bound = sqlite3_bind_int64(s_, place, *is);
  else if (const auto* text = std::get_if<std::string>(&v))
    bound = sqlite3_bind_text64(s_, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  else if (const auto* at = std::get_if<exports::moment>(&v)) {
    const auto shown = exports::print_moment(*at);
    bound = sqlite3_bind_text64(s_, place, shown.data(), shown.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else bound = sqlite3_bind_null(s_, place);
  if (bound != SQLITE_OK) of_.fail();
}

bool statement::step() {
  const int how = sqlite3_step(s_);
  if (how != SQLITE_ROW && how != SQLITE_DONE) {
    sqlite3_reset(s_);
    of_.fail();
  }
  return how == SQLITE_ROW;
}

void statement::run() {
  step();
  sqlite3_reset(s_);
}

std::optional<std::string_view> statement::view(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(s_, column));
  if (!bytes) return std::nullopt;
  return std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(s_, column)));
}

}  // namespace annals::exporting::sqlite
