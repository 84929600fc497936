// What the targets share: when something is written, and whether the tables of a target can be used.
#pragma once

#include <chrono>
#include <string>

#include "projections/exports/value.hpp"
#include "tools/export/target.hpp"

namespace annals::exporting {

inline exports::moment time_now() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count()};
}

// `version` 0: the target is new. Throws target_trouble where it can't be written to as it is.
inline void check_version(const std::string& where, int version, const exports::table_set& tables) {
  const auto is = where + ": its tables have version " + std::to_string(version) + ", and this program writes version " +
                  std::to_string(tables.version);
  if (version > tables.version)
    throw target_trouble(target_trouble::kind::lasting, is + ": use the pbs_export that made them, or a newer one");
  if (version != 0 && version < tables.oldest)
    throw target_trouble(target_trouble::kind::lasting, is + ": run pbs_export --rebuild, which makes them anew from the log");
}

inline std::string told_of_new_column(const std::string& where, const exports::table& t, const exports::column& c) {
  return where + ": " + t.name + " has the new column " + c.name +
         ", which is null in the rows that are there; pbs_export --rebuild fills it";
}

}  // namespace annals::exporting
