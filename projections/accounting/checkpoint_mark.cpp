#include "projections/accounting/checkpoint_mark.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

#include "events/log/record.hpp"

namespace annals::projections {

namespace {

std::string sum_of(std::string_view text) {
  const auto hash = log::content_hash(std::as_bytes(std::span(text.data(), text.size())));
  std::string hex;
  for (std::size_t i = 0; i < 8; ++i) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(hash[i]);
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t n = 0;
  const auto end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc() || at != end) return std::nullopt;
  return n;
}

}  // namespace

bool is_day(std::string_view name) {
  return name.size() == 8 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string print(const checkpoint_mark& m) {
  std::string slot = "annals-accounting 1 " + std::to_string(m.generation) + ' ' + m.log + ' ' + std::to_string(m.sequence) + ' ' +
                     (m.day.empty() ? "-" : m.day) + ' ' + std::to_string(m.length) + ' ';
  slot += sum_of(slot) + '\n';
  slot.resize(checkpoint_slot_bytes, ' ');
  return slot;
}

std::optional<checkpoint_mark> parse_checkpoint_slot(std::string_view slot) {
  std::vector<std::string_view> words;
  std::string_view rest = slot.substr(0, slot.find('\n'));
  const auto sum_at = rest.rfind(' ');
  if (sum_at == std::string_view::npos || sum_of(rest.substr(0, sum_at + 1)) != rest.substr(sum_at + 1)) return std::nullopt;
  while (!rest.empty()) {
    const auto word = rest.substr(0, rest.find(' '));
    words.push_back(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  if (words.size() != 8 || words[0] != "annals-accounting" || words[1] != "1") return std::nullopt;
  const auto generation = number(words[2]), sequence = number(words[4]), length = number(words[6]);
  if (!generation || !sequence || !length || (words[5] != "-" && !is_day(words[5]))) return std::nullopt;
  return checkpoint_mark{*generation, std::string(words[3]), *sequence, words[5] == "-" ? "" : std::string(words[5]), *length};
}

std::optional<checkpoint_mark> newest_mark(std::string_view slots) {
  std::optional<checkpoint_mark> newest;
  for (std::size_t at = 0; at < slots.size(); at += checkpoint_slot_bytes) {
    auto m = parse_checkpoint_slot(slots.substr(at, checkpoint_slot_bytes));
    if (m && (!newest || m->generation > newest->generation)) newest = std::move(m);
  }
  return newest;
}

}  // namespace annals::projections
