// What is in a target, as texts: to be compared with the rows of a fold, and with another target.
#pragma once

#include <libpq-fe.h>
#include <sqlite3.h>

#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "projections/exports/exports.hpp"

namespace annals::test {

// By table; each row begins with its key.
using texts = std::vector<std::optional<std::string>>;
using table_texts = std::map<std::string, std::vector<texts>>;

inline std::string texts_differ(const table_texts& a, const table_texts& b) {
  for (const auto& [table, rows] : a) {
    if (!b.contains(table)) return table + " is missing";
    const auto& others = b.at(table);
    if (rows.size() != others.size()) return table + ": " + std::to_string(rows.size()) + " and " + std::to_string(others.size()) + " rows";
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t c = 0; c < rows[i].size(); ++c)
        if (rows[i][c] != others[i][c])
          return table + ", row " + std::to_string(i) + ", column " + std::to_string(c) + ": " +
                 rows[i][c].value_or("(null)").substr(0, 200) + " and " + others[i][c].value_or("(null)").substr(0, 200);
  }
  return {};
}

inline std::string list_of(const exports::table& t, unsigned count, bool is_sqlite) {
  std::string list;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = "\"" + std::string(t.columns[i].name) + "\"";
    std::string shown = name;
    if (t.columns[i].type == exports::column_type::boolean)
      shown = is_sqlite ? "case " + name + " when 1 then 'true' when 0 then 'false' end" : name + "::text";
    if (t.columns[i].type == exports::column_type::time && !is_sqlite)
      shown = "to_char(" + name + " at time zone 'UTC','YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";
    list += (i ? "," : "") + shown;
  }
  return list;
}
// In the order of the bytes of the keys, whatever the database's language is.
inline std::string order_of(const exports::table& t, bool is_sqlite) {
  std::string list;
  for (unsigned i = 0; i < t.key; ++i) {
    list += (i ? "," : "") + std::string("\"") + t.columns[i].name + "\"";
    if (t.columns[i].type == exports::column_type::text && !is_sqlite) list += " collate \"C\"";
  }
  return list;
}

inline table_texts sqlite_texts(const std::string& file) {
  sqlite3* db = nullptr;
  BOOST_REQUIRE_EQUAL(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  table_texts all;
  for (const auto& t : exports::tables()) {
    auto& rows = all[t.name];
    const auto count = static_cast<unsigned>(t.columns.size());
    const auto sql = "select " + list_of(t, count, true) + " from " + t.name + " order by " + order_of(t, true);
    sqlite3_stmt* s = nullptr;
    BOOST_REQUIRE_MESSAGE(sqlite3_prepare_v2(db, sql.c_str(), -1, &s, nullptr) == SQLITE_OK, sqlite3_errmsg(db));
    while (sqlite3_step(s) == SQLITE_ROW) {
      rows.emplace_back();
      for (unsigned c = 0; c < count; ++c) {
        const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(s, static_cast<int>(c)));
        const auto n = static_cast<std::size_t>(sqlite3_column_bytes(s, static_cast<int>(c)));
        rows.back().push_back(bytes ? std::optional(std::string(bytes, n)) : std::nullopt);
      }
    }
    sqlite3_finalize(s);
  }
  sqlite3_close(db);
  return all;
}

inline table_texts postgres_texts(const std::string& url, const std::string& schema = "annals") {
  PGconn* db = PQconnectdb(url.c_str());
  BOOST_REQUIRE_MESSAGE(PQstatus(db) == CONNECTION_OK, PQerrorMessage(db));
  table_texts all;
  for (const auto& t : exports::tables()) {
    auto& rows = all[t.name];
    const auto count = static_cast<unsigned>(t.columns.size());
    const auto sql = "select " + list_of(t, count, false) + " from " + schema + "." + t.name + " order by " + order_of(t, false);
    PGresult* r = PQexec(db, sql.c_str());
    BOOST_REQUIRE_MESSAGE(PQresultStatus(r) == PGRES_TUPLES_OK, PQerrorMessage(db));
    for (int i = 0; i < PQntuples(r); ++i) {
      rows.emplace_back();
      for (int c = 0; c < PQnfields(r); ++c)
        rows.back().push_back(PQgetisnull(r, i, c)
                                  ? std::nullopt
                                  : std::optional(std::string(PQgetvalue(r, i, c), static_cast<std::size_t>(PQgetlength(r, i, c)))));
    }
    PQclear(r);
  }
  PQfinish(db);
  return all;
}

}  // namespace annals::test
