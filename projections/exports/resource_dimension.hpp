// The resources there are and were, as the log defines them: the table `resources`, and the typed values of the other tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "events/attributes/resources.hpp"
#include "events/log/record.hpp"
#include "projections/exports/row.hpp"

namespace annals::exports {

// A value with the type of its resource; of a duration the seconds, of a size the bytes.
struct typed_value {
  std::string type;
  value integer, real;
};

class resource_dimension {
 public:
  // Rows of the builtin resources, and of those that the record defines or deletes.
  void begin(std::int64_t at_ns, const row_taker& take) const;
  void fold(const log::record& record, const row_taker& take);

  // A resource that was deleted stays readable; one that the log does not know is a string.
  typed_value read(std::string_view resource, std::string_view text) const;

 private:
  struct definition {
    std::string type, flags;
    attributes::value_type read_as = attributes::value_type::string;
    std::uint64_t sequence = 0;
    std::int64_t at_ns = 0, deleted_ns = 0;
  };
  void close(const std::string& name, definition& d, const log::record& by, const row_taker& take);
  attributes::value_type type_of(std::string_view resource) const;

  std::map<std::string, definition, std::less<>> custom_;
};

// The canonical text of a value as a number; null: it is none of this type.
value integer_of(attributes::value_type type, std::string_view text);

}  // namespace annals::exports
