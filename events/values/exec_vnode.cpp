#include "events/values/exec_vnode.hpp"

#include <algorithm>

namespace annals::values {
namespace {

// A vnode name or value: visible bytes but those that structure the text. '[' and ']' belong to names.
bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c != 0x7f; }) &&
         text.find_first_of("()+:") == std::string_view::npos;
}

std::optional<vnode_part> parse_part(std::string_view text) {
  vnode_part part;
  for (bool first = true;; first = false) {
    const auto colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    if (!is_word(word)) return std::nullopt;
    if (first) {
      part.vnode = word;
    } else {
      const auto equals = word.find('=');
      if (equals == std::string_view::npos || equals + 1 == word.size()) return std::nullopt;
      const std::string_view name = word.substr(0, equals);
      if (!is_resource_name(name) || part.find(name)) return std::nullopt;
      part.resources.push_back({std::string(name), std::string(word.substr(equals + 1))});
    }
    if (colon == std::string_view::npos) return part;
    text = text.substr(colon + 1);
  }
}

bool parse_parts(std::string_view text, std::vector<vnode_part>& parts) {
  for (;;) {
    const auto plus = text.find('+');
    auto part = parse_part(text.substr(0, plus));
    if (!part) return false;
    parts.push_back(std::move(*part));
    if (plus == std::string_view::npos) return true;
    text = text.substr(plus + 1);
  }
}

}  // namespace

const std::string* vnode_part::find(std::string_view name) const {
  const auto at =
      std::find_if(resources.begin(), resources.end(), [&](const named_value& v) { return v.name == name; });
  return at == resources.end() ? nullptr : &at->value;
}

std::vector<std::string> exec_vnode_spec::vnodes() const {
  std::vector<std::string> out;
  for (const exec_chunk& chunk : chunks)
    for (const vnode_part& part : chunk.parts)
      if (std::find(out.begin(), out.end(), part.vnode) == out.end()) out.push_back(part.vnode);
  return out;
}

std::optional<exec_vnode_spec> parse_exec_vnode(std::string_view text) {
  exec_vnode_spec spec;
  for (;;) {
    exec_chunk chunk;
    std::size_t end;
    if (!text.empty() && text.front() == '(') {
      const auto close = text.find(')');
      if (close == std::string_view::npos || !parse_parts(text.substr(1, close - 1), chunk.parts)) return std::nullopt;
      end = close + 1;
    } else {
      chunk.parenthesised = false;
      end = std::min(text.find('+'), text.size());
      if (!parse_parts(text.substr(0, end), chunk.parts)) return std::nullopt;
    }
    spec.chunks.push_back(std::move(chunk));
    if (end == text.size()) return spec;
    if (text[end] != '+') return std::nullopt;
    text = text.substr(end + 1);
  }
}

bool exec_vnode_reader::fail() {
  failed_ = true;
  return false;
}

bool exec_vnode_reader::next(part& out) {
  if (failed_ || (at_ == text_.size() && at_ > 0 && !inside_)) return false;
  if (!inside_ && at_ < text_.size() && text_[at_] == '(') {
    inside_ = true;
    ++at_;
  }
  const std::size_t first = at_;
  std::size_t colon = std::string_view::npos;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '+' || c == ')' || c == '(') break;
    if (c == ':' && colon == std::string_view::npos) colon = at_;
  }
  out.text = text_.substr(first, at_ - first);
  out.vnode = colon == std::string_view::npos ? out.text : text_.substr(first, colon - first);
  out.resources = colon == std::string_view::npos ? std::string_view() : text_.substr(colon + 1, at_ - colon - 1);
  out.chunk = chunk_;
  if (out.vnode.empty()) return fail();
  // Behind a part: its chunk goes on, or ends with what opened it.
  if (inside_ && at_ < text_.size() && text_[at_] == '+') {
    ++at_;
    return true;
  }
  if (inside_ && (at_ == text_.size() || text_[at_++] != ')')) return fail();
  inside_ = false;
  ++chunk_;
  if (at_ == text_.size()) return true;
  if (text_[at_] != '+' || ++at_ == text_.size()) return fail();
  return true;
}

bool next_resource(std::string_view& resources, std::string_view& name, std::string_view& value) {
  if (resources.empty()) return false;
  const auto end = std::min(resources.find(':'), resources.size());
  const auto word = resources.substr(0, end);
  resources.remove_prefix(std::min(end + 1, resources.size()));
  const auto equals = std::min(word.find('='), word.size());
  name = word.substr(0, equals);
  value = word.substr(std::min(equals + 1, word.size()));
  return true;
}

std::string print(const exec_chunk& chunk) {
  std::string out = chunk.parenthesised ? "(" : "";
  for (const vnode_part& part : chunk.parts) {
    if (&part != &chunk.parts.front()) out += '+';
    out += part.vnode;
    for (const named_value& v : part.resources) out += ':' + v.name + '=' + v.value;
  }
  if (chunk.parenthesised) out += ')';
  return out;
}

std::string print(const exec_vnode_spec& spec) {
  std::string out;
  for (const exec_chunk& chunk : spec.chunks) {
    if (&chunk != &spec.chunks.front()) out += '+';
    out += print(chunk);
  }
  return out;
}

}  // namespace annals::values
