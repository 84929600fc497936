// What Python type an attribute of each kind of object has. The rows of events/attributes say most; this adds the pbs
// types of texts, the constants behind words (job_state, sharing) and the objects that have no table there.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "events/attributes/table.hpp"
#include "hooks-runtime/pbs_module/value_types.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks::py {

struct attribute_row {
  attributes::value_type type = attributes::value_type::string;
  const attributes::attribute* checked = nullptr;    // the rule for values; null: none
  const text_type* text = nullptr;                   // pbs.select and the like
  std::optional<protocol::ObjectKind> names_object;  // job.queue: the value is an object of that name
  bool is_map = false;                               // Resource_List
  bool is_list = false;                              // failed_mom_list: names with commas between them
  bool is_command = false;                           // shown otherwise than it is kept (command_texts.hpp)
  bool is_variables = false;                         // Variable_List
  bool has_words = false;                            // number_of_word() knows some
};
const attribute_row* attribute_row_of(protocol::ObjectKind kind, std::string_view name);  // exact case; null: none

// Of `attributes` of such an object: all that it can be asked for, set or not.
std::vector<std::string_view> attribute_names(protocol::ObjectKind kind);

// Words that scripts see as constants: job_state "R" is pbs.JOB_STATE_RUNNING.
std::optional<int> number_of_word(protocol::ObjectKind kind, std::string_view attribute, std::string_view word);
const char* word_of_number(protocol::ObjectKind kind, std::string_view attribute, long number);  // nullptr: none

const char* kind_word(protocol::ObjectKind kind);  // "job", "vnode", "resv" ...

struct word_constant {
  protocol::ObjectKind kind;
  const char* attribute;
  const char* word;
  const char* constant;  // "JOB_STATE_RUNNING"; "": none
  int number;
};
std::span<const word_constant> word_constants();

}  // namespace annals::hooks::py
