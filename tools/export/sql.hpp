// SQL that both databases understand, made of the description of the tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projections/exports/tables.hpp"

namespace annals::exporting {

enum class dialect : std::uint8_t { sqlite,
                                    postgres };

// Returns the name in quotation marks, as SQL has names of tables, columns and schemas.
std::string sql_name(std::string_view name);
// With `prefix` before its name: "" or a quoted schema and a dot.
std::string create_table(const exports::table& t, const std::string& prefix, dialect d);
std::string create_indexes(const std::string& prefix);  // those that serve reports
std::string add_column(const exports::table& t, const exports::column& c, const std::string& prefix, dialect d);
// "insert into TABLE(...) SOURCE on conflict ... do update ..."; of a table whose columns are all in its key, the former row stays.
std::string upsert(const exports::table& t, const std::string& prefix, const std::string& source);
std::string column_list(const exports::table& t);  // "a","b"

// The table with one row that says how far the target is.
inline constexpr std::string_view position_table = "export_position";
std::string create_position(const std::string& prefix, dialect d);

// Statements that take the place of a target's rows by those of another one with the same tables, its position too.
std::vector<std::string> exchange_rows(const exports::table_set& tables, const std::string& to, const std::string& from);

}  // namespace annals::exporting
