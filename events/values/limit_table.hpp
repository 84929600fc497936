// A limit attribute made ready for being asked again and again: what holds for a user, a group, a project, or for all together.
// Source: pbs guide, "limits": a named entry beats PBS_GENERIC.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "events/values/limit_spec.hpp"

namespace annals::values {

// The kinds of entries, in the order in which limits are asked: all together, user, group, project.
enum class limit_kind : std::uint8_t { all,
                                       user,
                                       group,
                                       project };
inline constexpr std::array limit_kinds = {limit_kind::all, limit_kind::user, limit_kind::group, limit_kind::project};
limit_kind limit_kind_of(char letter);    // of u, g, p, o
const char* limit_word(limit_kind kind);  // "user", "group", "project"; "" for all

class limit_table {
 public:
  struct bound {
    std::int64_t value = 0;
    bool named = false;  // false: PBS_GENERIC, or all together
    bool operator==(const bound&) const = default;
  };

  limit_table() = default;
  // read(text): the amount that an entry's value stands for; nothing: such an entry limits nobody.
  template <class Read>
  limit_table(const limit_spec& limits, Read&& read) {
    for (const limit_entry& entry : limits)
      if (const auto value = read(entry.value)) put(entry, *value);
  }

  // Nothing: no limit. Of all together the name does not count.
  std::optional<bound> of(limit_kind kind, std::string_view name) const;
  bool empty() const { return size_ == 0; }
  bool limits(limit_kind kind) const {
    return generic_[static_cast<std::size_t>(kind)] || !named_[static_cast<std::size_t>(kind)].empty();
  }
  // The entry that holds, as qmgr prints it: "[u:PBS_GENERIC=2]"; `value` as it is to be shown.
  static std::string entry_text(limit_kind kind, std::string_view name, bool named, std::string_view value);
  bool operator==(const limit_table&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.named_, self.generic_, self.size_);
  }

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  void put(const limit_entry& entry, std::int64_t value);

  std::array<std::unordered_map<std::string, std::int64_t, text_hash, std::equal_to<>>, limit_kinds.size()> named_;
  std::array<std::optional<std::int64_t>, limit_kinds.size()> generic_;  // of all together: its only one
  std::size_t size_ = 0;
};

}  // namespace annals::values
