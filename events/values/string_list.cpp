#include "events/values/string_list.hpp"

#include <algorithm>

namespace annals::values {
namespace {

// Not <cctype>: attribute texts are bytes, and the locale must not change what they mean.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equal_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

namespace {

// Calls element(text) for each stretch between unescaped commas, escapes still in it.
template <class Element>
void each_element(std::string_view text, const Element& element) {
  if (text.empty()) return;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
    } else if (text[i] == ',') {
      element(text.substr(start, i - start));
      start = i + 1;
    }
  }
  element(text.substr(start));
}

// A backslash before anything but a comma or a backslash stands for itself.
std::string unescaped(std::string_view element) {
  if (element.find('\\') == std::string_view::npos) return std::string(element);
  std::string out;
  out.reserve(element.size());
  for (std::size_t i = 0; i < element.size(); ++i) {
    const bool escape =
        element[i] == '\\' && i + 1 < element.size() && (element[i + 1] == ',' || element[i + 1] == '\\');
    out += escape ? element[++i] : element[i];
  }
  return out;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  each_element(text, [&](std::string_view element) { out.push_back(unescaped(element)); });
  return out;
}

std::vector<std::string> split_trimmed(std::string_view text) {
  std::vector<std::string> out;
  each_element(text, [&](std::string_view element) { out.push_back(unescaped(trimmed(element))); });
  return out;
}

void append_escaped(std::string& out, std::string_view element) {
  if (element.find(',') == std::string_view::npos && element.find('\\') == std::string_view::npos) {
    out += element;
    return;
  }
  for (const char c : element) {
    if (c == ',' || c == '\\') out += '\\';
    out += c;
  }
}

std::string escape_element(std::string_view element) {
  std::string out;
  append_escaped(out, element);
  return out;
}

std::string join_list(const std::vector<std::string>& elements) {
  std::string out;
  for (const std::string& element : elements) {
    if (&element != &elements.front()) out += ',';
    append_escaped(out, element);
  }
  return out;
}

std::vector<std::string_view> split_quoted(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  const auto has = [&](char c) { return text.find(c) != std::string_view::npos; };
  if (!has('"') && !has('\'') && !has('\\')) {  // most texts
    for (auto at = text.find(separator); at != std::string_view::npos; at = text.find(separator, start)) {
      out.push_back(text.substr(start, at - start));
      start = at + 1;
    }
    out.push_back(text.substr(start));
    return out;
  }
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size())
      ++i;
    else if (quote) {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'')
      quote = c;
    else if (c == separator) {
      out.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  out.push_back(text.substr(start));
  return out;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace annals::values
