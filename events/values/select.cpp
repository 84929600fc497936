#include "events/values/select.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace annals::values {
namespace {

using failure = select_failure;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text = text.substr(at + 1);
  }
}

// PBS accepts no form of quoting here: its select texts with quotes or blanks are all refused.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c > ' ' && c != '"' && c != '\'' && c != 0x7f; });
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool read_count(std::string_view digits, std::uint32_t& count) {
  const auto [after, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && after == digits.data() + digits.size();
}

result<select_chunk, failure> parse_chunk(std::string_view text) {
  select_chunk chunk;
  chunk.count_written = false;
  auto words = split(text, ':');
  auto word = words.begin();
  if (all_digits(*word)) {
    if (!read_count(*word, chunk.count)) return failure{};
    if (chunk.count == 0) return failure{select_error::zero_count, {}};
    chunk.count_written = true;
    ++word;
  }
  for (; word != words.end(); ++word) {
    const auto equals = word->find('=');
    if (equals == std::string_view::npos || equals + 1 == word->size()) return failure{};
    const std::string_view name = word->substr(0, equals);
    if (!is_resource_name(name)) return failure{};
    if (chunk.find(name)) return failure{select_error::duplicate_resource, std::string(name)};
    chunk.resources.push_back({std::string(name), std::string(word->substr(equals + 1))});
  }
  return chunk;
}

std::string joined(const select_spec& select, bool every_count) {
  std::string out;
  for (const select_chunk& chunk : select.chunks) {
    if (&chunk != &select.chunks.front()) out += '+';
    const std::string resources = print(chunk);
    if (every_count || chunk.count_written || chunk.count != 1 || resources.empty()) {
      out += std::to_string(chunk.count);
      if (!resources.empty()) out += ':';
    }
    out += resources;
  }
  return out;
}

}  // namespace

const std::string* select_chunk::find(std::string_view name) const {
  const auto at =
      std::find_if(resources.begin(), resources.end(), [&](const named_value& v) { return v.name == name; });
  return at == resources.end() ? nullptr : &at->value;
}

std::uint64_t select_spec::chunk_count() const {
  std::uint64_t count = 0;
  for (const select_chunk& chunk : chunks) count += chunk.count;
  return count;
}

result<select_spec, select_failure> parse_select(std::string_view text) {
  if (!is_plain(text)) return failure{};
  select_spec select;
  for (const std::string_view item : split(text, '+')) {
    auto chunk = parse_chunk(item);
    if (!chunk) return chunk.error();
    select.chunks.push_back(std::move(*chunk));
  }
  if (select.chunk_count() > select_chunks_max) return failure{};
  return select;
}

std::string print(const select_chunk& chunk) {
  std::string out;
  for (const named_value& v : chunk.resources) {
    if (!out.empty()) out += ':';
    out += v.name + '=' + v.value;
  }
  return out;
}

std::string print(const select_spec& select) { return joined(select, false); }
std::string print_with_counts(const select_spec& select) { return joined(select, true); }

// -- the old syntax ---------------------------------------------------------------------------------------------------

namespace {

struct node_words {
  std::uint32_t ppn = 1, cpp = 1;
  bool ncpus_given = false;
  std::vector<named_value> others;
};

// One word after the count or host name. "#excl" and the like were taken away before. A property is a boolean resource.
std::optional<nodes_failure> take_word(std::string_view word, const is_property& property, node_words& words) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) {
    if (!property || !property(word)) return nodes_failure{nodes_error::unknown_property, std::string(word)};
    words.others.push_back({std::string(word), "True"});
    return std::nullopt;
  }
  const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
  if (!is_resource_name(name) || value.empty()) return nodes_failure{};
  if (name == "ppn" || name == "cpp") {
    std::uint32_t& number = name == "ppn" ? words.ppn : words.cpp;
    if (!all_digits(value) || !read_count(value, number) || number == 0) return nodes_failure{};
    return std::nullopt;
  }
  words.ncpus_given = words.ncpus_given || name == "ncpus";
  words.others.push_back({std::string(name), std::string(value)});
  return std::nullopt;
}

result<select_chunk, nodes_failure> convert_node(std::string_view text, const is_property& property) {
  auto parts = split(text, ':');
  select_chunk chunk;
  std::string host;
  if (all_digits(parts.front())) {
    if (!read_count(parts.front(), chunk.count) || chunk.count == 0) return nodes_failure{};
  } else {
    host = parts.front();
    if (host.empty() || host.find('=') != std::string::npos) return nodes_failure{};
  }
  node_words words;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (const auto wrong = take_word(parts[i], property, words)) return *wrong;
  const std::uint64_t cpus = std::uint64_t{words.ppn} * words.cpp;
  if (!words.ncpus_given) chunk.resources.push_back({"ncpus", std::to_string(cpus)});
  if (words.ppn > 1) chunk.resources.push_back({"mpiprocs", std::to_string(words.ppn)});
  for (named_value& v : words.others) {
    if (chunk.find(v.name)) return nodes_failure{};
    chunk.resources.push_back(std::move(v));
  }
  if (!host.empty()) {
    if (chunk.find("host")) return nodes_failure{};
    chunk.resources.push_back({"host", host});
  }
  return chunk;
}

}  // namespace

result<nodes_conversion, nodes_failure> convert_nodes(std::string_view text, const is_property& property) {
  if (!is_plain(text)) return nodes_failure{};
  nodes_conversion out;
  out.place = "scatter";
  if (const auto hash = text.find('#'); hash != std::string_view::npos) {
    const std::string_view suffix = text.substr(hash + 1);
    if (suffix == "excl")
      out.place = "scatter:excl";
    else if (suffix == "shared")
      out.place = "free";
    else
      return nodes_failure{nodes_error::unknown_property, std::string(suffix)};
    text = text.substr(0, hash);
  }
  for (const std::string_view item : split(text, '+')) {
    auto chunk = convert_node(item, property);
    if (!chunk) return chunk.error();
    out.select.chunks.push_back(std::move(*chunk));
  }
  if (out.select.chunk_count() > select_chunks_max) return nodes_failure{};
  return out;
}

}  // namespace annals::values
