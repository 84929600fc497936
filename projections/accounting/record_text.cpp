#include "projections/accounting/record_text.hpp"

#include "events/values/date_time.hpp"

namespace annals::projections {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }
// U+0080 to U+009F, which begin commands for some terminals.
bool is_high_control(std::string_view text) {
  return text.size() > 1 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) >= 0x80 && static_cast<unsigned char>(text[1]) < 0xa0;
}

void put_text(std::string& line, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool high = is_high_control(text.substr(i));
    line += high ? "??" : "";
    if (high) ++i;
    else line += is_control(text[i]) ? '?' : text[i];
  }
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
