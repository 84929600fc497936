#include "projections/accounting/record_text.hpp"

#include <algorithm>

#include "events/values/date_time.hpp"

namespace annals::projections {
namespace {

void put_text(std::string& line, std::string_view text) {
  const auto before = static_cast<std::ptrdiff_t>(line.size());
  line += text;
  std::replace_if(
      line.begin() + before, line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
}

}  // namespace

std::string begun_line(std::int64_t wall_s, char letter, std::string_view id) {
  std::string line;
  line.reserve(512);
  line += values::print_log_date(wall_s);
  line += ';';
  line += letter;
  line += ';';
  line += id;
  line += ';';
  return line;
}

void put_in(std::string& line, std::string_view name, std::string_view resource, std::string_view value, std::string_view quote) {
  line += name;
  if (!resource.empty()) {
    line += '.';
    put_text(line, resource);
  }
  line += '=';
  line += quote;
  put_text(line, value);
  line += quote;
  line += ' ';
}

void put(std::string& line, std::string_view name, std::string_view resource, std::string_view value, bool quoted) {
  put_in(line, name, resource, value, quoted || value.find(' ') != std::string_view::npos ? "\"" : "");
}

void put(std::string& line, std::string_view name, std::string_view value) { put(line, name, {}, value); }

}  // namespace annals::projections
