// What a job shows of words that hooks have set in resources_used on its hosts: numbers add up, words can't. By default a table of
// the hosts, {"n1": "a", "n2": None}; JSON objects are made one, '{"a": 1, "b": 2}' (RU-11 to RU-16).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/resources.hpp"

namespace annals::model {

// $resources_used_strings of the primary's MoM.
enum class words_form : std::uint8_t {
  by_node,  // a table, unless every value is a JSON object
  merge,    // as PBS 23 does: JSON objects are made one, and other words of several hosts are not shown at all
};

struct host_word {
  std::string_view host;
  std::optional<std::string_view> value;  // nothing: the host has not said any
};

// The hosts in the order of exec_host, the primary first. Nothing: the job shows none. type: string or string_array.
std::optional<std::string> joined_words(std::span<const host_word> hosts, attributes::value_type type, words_form form);

// With words_form::merge: those that keep values of several hosts from being made one.
std::vector<host_word> unmergeable(std::span<const host_word> hosts, attributes::value_type type);

// Why it is no JSON object, as the MoM's log says it.
std::string why_no_object(std::string_view text);

}  // namespace annals::model
