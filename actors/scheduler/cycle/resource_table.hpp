// Resources as the scheduler counts them: each has a small number, each amount is one integer. Sizes count kb, decimals
// ten-thousandths (what PBS prints), durations seconds, booleans 0 and 1. Sums of them are therefore exact.
//
// Rounding never promises too much: what a job asks is rounded up, what a vnode has is rounded down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/attributes/table.hpp"

namespace annals::cycle {

using resource_id = std::uint16_t;
constexpr resource_id no_resource = 0xffff;
using amount = std::int64_t;

struct resource_info {
  std::string name;
  attributes::value_type type;
  bool numeric = false;     // an amount that can be compared; booleans are amounts too but are matched, not compared
  bool consumable = false;  // used up on vnodes (flag n or f)
  bool summed = false;      // used up at queue and server (flag q)
  bool custom = false;      // of this site: compared whether the scheduler's `resources:` line has it or not
  bool is_text() const { return type == attributes::value_type::string || type == attributes::value_type::string_array; }
  bool is_boolean() const { return type == attributes::value_type::boolean; }
};

enum class rounding : std::uint8_t { up,
                                     down };

class resource_table {
 public:
  resource_table();                               // the builtin ones
  resource_id find(std::string_view name) const;  // no_resource: unknown
  const resource_info& operator[](resource_id id) const { return rows_[id]; }
  std::size_t size() const { return rows_.size(); }
  // Adds a custom resource or changes it; texts as ResourceDefined has them. Texts that mean nothing leave it out.
  void define(std::string_view name, std::string_view type, std::string_view flags);

  std::optional<amount> read(resource_id id, std::string_view text, rounding round) const;  // nothing: no amount
  double number(resource_id id, amount value) const;                                        // seconds, kb, the number itself
  void print_assigned(std::string& out, resource_id id, amount value) const;                // as in exec_vnode: sizes in kb
  // As in reasons: sizes in the largest exact unit.
  std::string print(resource_id id, amount value) const;

 private:
  void add(resource_info row);
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::vector<resource_info> rows_;
  std::unordered_map<std::string, resource_id, text_hash, std::equal_to<>> ids_;
};

}  // namespace annals::cycle
