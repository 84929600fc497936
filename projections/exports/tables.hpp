// The tables that are exported: each with its columns, their types, units and meanings. The only place where one is declared: DDL of
// databases, headers of files, the reference page (docs/exports.md) and the rows (row_builder) are made from it.
//
// Growing it: a new column goes to the end of its table, a new table to the end of the list, and schema_version rises. A column never
// changes its meaning or its type. Governed by docs/design/0070-exports.md.
#pragma once

#include <cstdint>
#include <span>

namespace annals::exports {

enum class column_type : std::uint8_t { integer,
                                        real,
                                        boolean,
                                        text,
                                        time };

struct column {
  const char* name;
  column_type type;
  const char* unit;  // "s", "bytes"; empty: none
  const char* meaning;
};

struct table {
  const char* name;
  unsigned key;  // so many columns at the front are the key
  const char* meaning;
  std::span<const column> columns;
};

// Their positions in tables().
enum class table_id : std::uint8_t {
  jobs,
  runs,
  run_resources,
  phases,
  suspensions,
  provisionings,
  host_usage,
  host_usage_resources,
  arrays,
  reservations,
  reservation_occurrences,
  reservation_resources,
  node_states,
  scheduling_cycles,
  scheduling_reasons,
  refusals,
  hook_runs,
  job_requests,
  resources,
};
constexpr std::size_t table_count = 19;

// Rises with each change of the tables.
constexpr int schema_version = 1;

// What a target is made for. Tests make targets of earlier and later ones.
struct table_set {
  int version = schema_version;
  std::span<const table> tables;
  int oldest = 1;  // tables of this version get what is new; older ones are made anew
};

std::span<const table> tables();
inline table_set current_tables() { return {schema_version, tables(), 1}; }
const table& table_of(table_id id);

}  // namespace annals::exports
