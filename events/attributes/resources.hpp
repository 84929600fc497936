// Resources: the builtin ones and those a manager created. A catalogue is a value; the server keeps one and replaces it
// after each change. Source: pbs guide, "builtin resources", "custom resources".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "events/attributes/table.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::attributes {

using values::refusal;

// Letters h q n f i r m, printed in this order.
enum resource_flag : std::uint16_t {
  host_level = 1,       // h: may stand in a chunk
  summed = 2,           // q: counted at queue and server
  consumable = 4,       // n: used up on each vnode
  first_host_only = 8,  // f: used up on the first host only
  invisible = 16,       // i: users neither see nor ask
  read_only = 32,       // r: users see but do not ask
  sent_to_mom = 64,     // m
};

enum class asked_in : std::uint8_t { chunk,
                                     job_wide,
                                     nowhere };

struct resource {
  std::string name;
  value_type type = value_type::string;
  std::uint16_t flags = 0;
  asked_in where = asked_in::chunk;
  setter set_by = setter::owner;
  bool while_running = false;  // a running job's may be altered
  bool builtin = false;
  std::string meaning;  // of builtin ones, for the reference page

  bool has(resource_flag flag) const { return (flags & flag) != 0; }
  bool is_numeric() const {
    return type == value_type::integer || type == value_type::real || type == value_type::size ||
           type == value_type::duration;
  }
  bool operator==(const resource&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.name, self.type, self.flags, self.where, self.set_by, self.while_running, self.builtin, self.meaning);
  }
};

// "boolean long float size string string_array duration"; nothing: no such type.
std::optional<value_type> resource_type_of(std::string_view name);
const char* resource_type_name(value_type type);
// "hqn", "h,q,n"; nothing: a letter that is none.
std::optional<std::uint16_t> resource_flags_of(std::string_view letters);
std::string resource_flags_text(std::uint16_t flags);  // "hqn"; empty for none

class resource_catalogue {
 public:
  const resource* find(std::string_view name) const;  // builtin or custom; nullptr: unknown
  // Each returns why it refused. `type` and `flags` are texts as qmgr and ResourceDefined have them. For create an
  // empty type is string; for change nullopt leaves as is, and whether type and flags go together is asked of disagreement(), after whether
  // the resource is in use (15174).
  std::optional<refusal> create(std::string_view name, std::string_view type, std::string_view flags);
  std::optional<refusal> change(std::string_view name, std::optional<std::string_view> type,
                                std::optional<std::string_view> flags);
  std::optional<refusal> remove(std::string_view name);
  const std::map<std::string, resource, std::less<>>& custom() const { return custom_; }
  bool operator==(const resource_catalogue&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.custom_);
  }

 private:
  std::map<std::string, resource, std::less<>> custom_;
};

// What a custom resource is refused for that has this type and these flags, as texts.
std::optional<refusal> disagreement(std::string_view name, std::string_view type, std::string_view flags);

std::span<const resource> builtin_resources();  // in the order of the guide's table

}  // namespace annals::attributes
