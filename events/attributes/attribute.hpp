// One attribute: a row of a table (table.hpp).
#pragma once

#include <cstdint>

#include "events/attributes/attribute_set.hpp"

namespace annals::attributes {

enum class value_type : std::uint8_t {
  boolean,
  integer,
  real,
  size,
  duration,
  date,  // date: seconds since 1970, printed by the command as a date
  string,
  character,
  string_array,
  resource_list,
  limits,
  acl,
  hold_set,
  node_state,
};

enum class setter : std::uint8_t { owner,
                                   operator_,
                                   manager,
                                   root,  // of the server's host, or who runs the server
                                   nobody,
                                   internal };

enum flag : std::uint16_t {
  none = 0,
  while_running = 1,  // may be altered while the job runs
  at_creation = 2,    // only with the command that creates the object
  manager_reads = 4,  // shown to managers and operators only
  hidden = 8,         // shown only with show_hidden_attribs
  never_shown = 16,
};

struct attribute {
  attribute_id id;  // unique within the kind and never given to another; rows are in the order of display, by tens
  const char* name;
  value_type type;
  setter set_by;
  std::uint16_t flags;
  const char* default_value;  // "" for none; what a new object shows when nothing was given
  const char* meaning;
};

}  // namespace annals::attributes
