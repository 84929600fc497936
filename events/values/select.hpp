// The select specification: "2:ncpus=2:mem=1gb+ncpus=1". Grammar only; which resources exist and what their values mean
// is the business of events/attributes/select_rules.hpp. Source: pbs guide, "select, place: grammar".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/resource_list.hpp"
#include "events/values/result.hpp"

namespace annals::values {

// Most chunks of one request: what a scheduler may have to place one by one. Larger counts are refused as malformed.
inline constexpr std::uint64_t select_chunks_max = 1'000'000;

struct select_chunk {
  std::uint32_t count = 1;
  bool count_written = true;           // "ncpus=2" and "1:ncpus=2" are different texts of the same request
  std::vector<named_value> resources;  // in the order given

  const std::string* find(std::string_view name) const;  // nullptr: the chunk does not ask for it
  bool operator==(const select_chunk&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.count, self.count_written, self.resources);
  }
};

struct select_spec {
  std::vector<select_chunk> chunks;
  std::uint64_t chunk_count() const;  // nodect
  bool operator==(const select_spec&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.chunks);
  }
};

enum class select_error : std::uint8_t {
  malformed,           // 15014 with the name of the attribute
  zero_count,          // 15014 without a name
  duplicate_resource,  // 15116
};
struct select_failure {
  select_error why = select_error::malformed;
  std::string resource;
};

result<select_spec, select_failure> parse_select(std::string_view text);
std::string print(const select_spec& select);              // counts where they were written
std::string print_with_counts(const select_spec& select);  // counts everywhere, as schedselect has them
std::string print(const select_chunk& chunk);              // the resources only: "ncpus=2:mem=1gb"

// -- the old syntax: nodes=2:ppn=2+hostname#excl ----------------------------------------------------------------------

struct nodes_conversion {
  select_spec select;
  std::string place;  // "scatter", "scatter:excl", or "free" for #shared
};
enum class nodes_error : std::uint8_t { malformed,
                                        unknown_property };
struct nodes_failure {
  nodes_error why = nodes_error::malformed;
  std::string property;
};

// Whether a word without a value names a property of hosts: nodes=1:bigmem asks for bigmem=True.
using is_property = std::function<bool(std::string_view word)>;
result<nodes_conversion, nodes_failure> convert_nodes(std::string_view text, const is_property& property = {});

}  // namespace annals::values
