#include "projections/accounting/record_text.hpp"

#include "events/values/date_time.hpp"
#include "events/values/shown_text.hpp"

namespace annals::projections {
namespace {

constexpr char of_control = '?';

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
    values::put_masked(line, resource, of_control);
  }
  line += '=';
  line += quote;
  values::put_masked(line, value, of_control);
  line += quote;
  line += ' ';
}

void put(std::string& line, std::string_view name, std::string_view resource, std::string_view value, bool quoted) {
  put_in(line, name, resource, value, quoted || value.find(' ') != std::string_view::npos ? "\"" : "");
}

void put(std::string& line, std::string_view name, std::string_view value) { put(line, name, {}, value); }

}  // namespace annals::projections
