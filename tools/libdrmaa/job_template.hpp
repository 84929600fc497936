// A DRMAA job template: attributes by name, each judged when it is set (GFD-R.133, job template attributes).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annals::drmaa {

// Those that this implementation has.
std::span<const char* const> attribute_names();
std::span<const char* const> vector_attribute_names();

// Copies are snapshots: a call works on one while other threads change the template. One thread at a time.
class job_template {
 public:
  // Throw error: no such attribute, or no good value.
  void set(std::string_view name, std::string_view value);
  void set(std::string_view name, std::vector<std::string> values);
  const std::string& get(std::string_view name) const;  // throws error when it was not set
  const std::vector<std::string>& get_vector(std::string_view name) const;

  const std::string* find(std::string_view name) const;  // null: not set
  const std::vector<std::string>* find_vector(std::string_view name) const;
  bool is(std::string_view name, std::string_view value) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::vector<std::string>, std::less<>> vectors_;
};

// A path as templates have it, "[host]:path". Nothing: no ':', or no path behind it.
struct host_path {
  std::string host, path;
};
std::optional<host_path> parse_path(std::string_view text);

// "[[[[CC]YY/]MM/]DD] hh:mm[:ss] [{-|+}UU:uu]" as seconds since 1970: what is left out is as of `now`, in local time. Nothing: not a time.
std::optional<std::int64_t> parse_start_time(std::string_view text, std::int64_t now);

}  // namespace annals::drmaa
