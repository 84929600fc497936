#include "tools/export/sql.hpp"

#include <cstdint>

namespace annals::exporting {

using exports::column_type;

namespace {

const char* type_name(column_type type, dialect d) {
  const bool lite = d == dialect::sqlite;
  switch (type) {
    case column_type::integer: return lite ? "integer" : "bigint";
    case column_type::real: return lite ? "real" : "double precision";
    case column_type::boolean: return lite ? "integer" : "boolean";
    case column_type::text: return "text";
    case column_type::time: return lite ? "text" : "timestamp with time zone";
  }
  return "text";
}

std::string name_of(const exports::table& t, const std::string& prefix) { return prefix + sql_name(t.name); }

std::string key_list(const exports::table& t) {
  std::string list;
  for (unsigned i = 0; i < t.key; ++i) list += (i ? "," : "") + sql_name(t.columns[i].name);
  return list;
}

}  // namespace

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

std::string column_list(const exports::table& t) {
  std::string list;
  for (const auto& c : t.columns) list += (list.empty() ? "" : ",") + sql_name(c.name);
  return list;
}

std::string create_table(const exports::table& t, const std::string& prefix, dialect d) {
  std::string sql = "create table if not exists " + name_of(t, prefix) + "(";
  for (const auto& c : t.columns) sql += sql_name(c.name) + " " + type_name(c.type, d) + ",";
  return sql + "primary key(" + key_list(t) + "))";
}

std::string create_indexes(const std::string& prefix) {
  const auto runs = " on " + prefix + "\"runs\"";
  return "create index if not exists runs_ended_at" + runs + "(\"ended_at\");create index if not exists runs_closed_at" + runs +
         "(\"closed_at\")";
}

std::string add_column(const exports::table& t, const exports::column& c, const std::string& prefix, dialect d) {
  return "alter table " + name_of(t, prefix) + " add column " + sql_name(c.name) + " " + type_name(c.type, d);
}

std::string upsert(const exports::table& t, const std::string& prefix, const std::string& source) {
  std::string sql = "insert into " + name_of(t, prefix) + "(" + column_list(t) + ") " + source + " on conflict(" + key_list(t) + ") do ";
  if (t.key == t.columns.size()) return sql + "nothing";
  sql += "update set ";
  for (std::size_t i = t.key; i < t.columns.size(); ++i) {
    const auto name = sql_name(t.columns[i].name);
    sql += (i > t.key ? "," : "") + name + "=excluded." + name;
  }
  return sql;
}

std::string create_position(const std::string& prefix, dialect d) {
  const std::string number = type_name(column_type::integer, d);
  return "create table if not exists " + prefix + sql_name(position_table) + "(id " + number + " primary key,schema_version " + number +
         ",sequence " + number + ",hash text,notes text,written_at " + type_name(column_type::time, d) + ")";
}

std::vector<std::string> exchange_rows(const exports::table_set& tables, const std::string& to, const std::string& from) {
  std::vector<std::string> statements;
  for (const auto& t : tables.tables) {
    statements.push_back("delete from " + name_of(t, to));
    statements.push_back("insert into " + name_of(t, to) + "(" + column_list(t) + ") select " + column_list(t) + " from " +
                         name_of(t, from));
  }
  const auto position = sql_name(position_table);
  statements.push_back("delete from " + to + position);
  statements.push_back("insert into " + to + position + " select * from " + from + position);
  return statements;
}

}  // namespace annals::exporting
