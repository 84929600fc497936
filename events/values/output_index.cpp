#include "events/values/output_index.hpp"

namespace annals::values {
namespace {

constexpr std::size_t array_digits = 12, index_digits = 8, run_digits = 10, offset_digits = 14, length_digits = 13;
static_assert(array_digits + index_digits + run_digits + offset_digits + length_digits + 7 == output_entry_bytes);

// False: it has more digits.
bool put_number(std::string& out, std::uint64_t number, std::size_t digits) {
  const std::size_t start = out.size();
  out.append(digits, '0');
  for (std::size_t at = start + digits; at-- > start; number /= 10) out[at] = static_cast<char>('0' + number % 10);
  return number == 0;
}

// Takes the digits and the character that ends them.
bool take_number(std::string_view& line, std::uint64_t& number, std::size_t digits, char end) {
  if (line.size() <= digits || line[digits] != end) return false;
  number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (line[i] < '0' || line[i] > '9') return false;
    number = number * 10 + static_cast<std::uint64_t>(line[i] - '0');
  }
  line.remove_prefix(digits + 1);
  return true;
}

void replace_words(std::string& text, std::string_view by) {
  for (auto at = text.find(array_index_word); at != std::string::npos; at = text.find(array_index_word, at + by.size()))
    text.replace(at, array_index_word.size(), by);
}

// Without the last word in its name. A name that is nothing else leaves the directory.
std::string without_word(std::string_view path) {
  std::string out(path);
  const auto slash = out.rfind('/');
  const auto at = out.rfind(array_index_word);
  if (at == std::string::npos || (slash != std::string::npos && at < slash)) return out;
  const bool dot = at > 0 && out[at - 1] == '.';
  out.erase(dot ? at - 1 : at, array_index_word.size() + (dot ? 1 : 0));
  return out;
}

}  // namespace

std::optional<std::string> print_output_entry(const output_record& r) {
  std::string out;
  out.reserve(output_entry_bytes);
  bool fits = put_number(out, r.array, array_digits);
  out += ' ';
  fits = put_number(out, r.index, index_digits) && fits;
  out += ' ';
  fits = put_number(out, r.run, run_digits) && fits;
  out += ' ';
  out += r.stream;
  out += ' ';
  fits = put_number(out, r.offset, offset_digits) && fits;
  out += ' ';
  fits = put_number(out, r.length, length_digits) && fits;
  out += '\n';
  if (!fits) return {};
  return out;
}

std::optional<output_record> parse_output_entry(std::string_view line) {
  output_record r;
  std::uint64_t index = 0, run = 0;
  if (line.size() != output_entry_bytes || !take_number(line, r.array, array_digits, ' ') ||
      !take_number(line, index, index_digits, ' ') || !take_number(line, run, run_digits, ' '))
    return {};
  r.stream = line[0];
  if ((r.stream != 'o' && r.stream != 'e') || line[1] != ' ') return {};
  line.remove_prefix(2);
  if (!take_number(line, r.offset, offset_digits, ' ') || !take_number(line, r.length, length_digits, '\n')) return {};
  if (run > UINT32_MAX) return {};
  r.index = static_cast<std::uint32_t>(index);
  r.run = static_cast<std::uint32_t>(run);
  return r;
}

std::string output_headline(const output_record& r) {
  return "==> " + std::to_string(r.array) + '[' + std::to_string(r.index) + "] run " + std::to_string(r.run) + ' ' + r.stream + ' ' +
         std::to_string(r.length) + " <==\n";
}

std::string with_array_index(std::string path, std::uint32_t index) {
  replace_words(path, std::to_string(index));
  return path;
}

std::string_view path_behind_host(std::string_view text) {
  const auto colon = text.find(':');
  return colon == std::string_view::npos || colon > text.find('/') ? text : text.substr(colon + 1);
}

output_place output_place_of(std::string_view output_path, std::string_view error_path, std::string_view array_id, std::uint32_t index) {
  constexpr std::string_view nowhere = "/dev/null";
  const bool of_output = path_behind_host(output_path) != nowhere;
  const auto path = of_output ? output_path : error_path;
  if (path_behind_host(path) == nowhere) return {};
  return {with_array_index(without_word(path), index), std::string(array_id) + (of_output ? ".OU" : ".ER")};
}

}  // namespace annals::values
