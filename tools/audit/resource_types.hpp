// What type the values of each resource have, as the log says: of builtin resources and of those that the site has made, deleted ones
// too, because jobs that used them are still in the log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "events/attributes/resources.hpp"
#include "events/log/record.hpp"

namespace annals::audit {

// A number, or a word as it stands in the log.
using quantity = std::variant<std::int64_t, double, std::string>;
std::optional<double> number_of(const quantity& q);  // nothing: a word
std::string plain_text(const quantity& q);           // "42", "0.25", "two words"

class resource_types {
 public:
  void fold(const log::record& record);
  std::optional<attributes::value_type> find(std::string_view resource) const;  // nothing: the log does not say
  // A duration in seconds, a size in kb (rounded up), an integer, a real number; all else is a word.
  quantity quantity_of(std::string_view resource, std::string_view value) const;
  // The number in the form of its resource: "00:01:30", "512kb", "42".
  std::string text_of(std::string_view resource, double number) const;

 private:
  std::map<std::string, attributes::value_type, std::less<>> custom_;
};

}  // namespace annals::audit
