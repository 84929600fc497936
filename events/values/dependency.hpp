// Dependencies between jobs: -W depend=afterok:12:13,before:14,on:2. Source: pbs guide, qsub, "depend".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::values {

enum class dependency_type : std::uint8_t { after,
                                            afterok,
                                            afternotok,
                                            afterany,
                                            before,
                                            beforeok,
                                            beforenotok,
                                            beforeany,
                                            runone,
                                            on };

std::string_view name_of(dependency_type type);  // "afterok"

// The job with it waits for the named one: after, afterok, afternotok, afterany.
constexpr bool is_after(dependency_type t) { return t <= dependency_type::afterany; }
// It comes first: before, beforeok, beforenotok, beforeany.
constexpr bool is_before(dependency_type t) { return t >= dependency_type::before && t <= dependency_type::beforeany; }
// What the other job has: beforeok of afterok, and the other way round. Of after... and before... only.
dependency_type mirror_of(dependency_type type);

// One job of one type.
struct dependency {
  dependency_type type = dependency_type::after;
  std::string job;          // "12.borg@borg", or as it was typed; empty: on
  std::uint32_t count = 0;  // on:3
  bool operator==(const dependency&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.type, self.job, self.count);
  }
};

// Nothing: no such type, no job or no id of one, a subjob or range, on: without a count of at least 1.
std::optional<std::vector<dependency>> parse_dependencies(std::string_view text);
// Jobs of one type together, in the order in which the types come first: "afterok:1.b@b:3.b@b,on:2".
std::string print(const std::vector<dependency>& all);

}  // namespace annals::values
