#include "tools/libpbs/attribute_errors.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "events/values/pbs_error.hpp"
#include "tools/libpbs/given_text.hpp"

namespace annals::ifl {

namespace pbs_error = values::pbs_error;

namespace {

constexpr std::array about_an_attribute{
    pbs_error::undefined_attribute,
    pbs_error::read_only_attribute,
    pbs_error::bad_value,
    pbs_error::cannot_modify_running,
    pbs_error::incompatible_type,
    pbs_error::unknown_resource,
};

// The length of `name` when `text` begins with it as a word; else 0.
std::size_t begins_with_word(std::string_view text, std::string_view name) {
  if (name.empty() || !text.starts_with(name)) return 0;
  const char behind = text.size() > name.size() ? text[name.size()] : ' ';
  return std::isalnum(static_cast<unsigned char>(behind)) || behind == '_' ? 0 : name.size();
}

// How much of the detail is the name of this attribute: "Resource_List.ncpus", "ncpus", "select" of "select.ncpus"; 0: none of it.
std::size_t names(std::string_view detail, const std::string& name, const std::string& resource) {
  const auto whole = resource.empty() ? name : name + "." + resource;
  return std::max({begins_with_word(detail, whole), begins_with_word(detail, name), begins_with_word(detail, resource)});
}

// What the server says behind the words that every such error has.
std::string_view detail_of(const failure& why) {
  std::string_view text = why.text;
  if (const auto common = values::pbs_error_text(why.code); text.starts_with(common)) text.remove_prefix(common.size());
  while (!text.empty() && (text.front() == ' ' || text.front() == ':')) text.remove_prefix(1);
  return text;
}

}  // namespace

template <class List>
void attribute_errors::find(const List* given, const failure& why) {
  clear();
  if (std::find(about_an_attribute.begin(), about_an_attribute.end(), why.code) == about_an_attribute.end()) return;
  const auto detail = detail_of(why);
  const List* wrong = given && !given->next ? given : nullptr;
  std::size_t best = 0;
  for (const List* a = given; a; a = a->next)
    if (const auto length = names(detail, text_of(a->name), text_of(a->resource)); length > best) {
      best = length;
      wrong = a;
    }
  if (!wrong) return;
  name_ = text_of(wrong->name);
  resource_ = text_of(wrong->resource);
  value_ = text_of(wrong->value);
  text_ = why.text.empty() ? std::string(values::pbs_error_text(why.code)) : why.text;
  wrong_ = {nullptr, name_.data(), wrong->resource ? resource_.data() : nullptr, value_.data(), wrong->op};
  one_ = {&wrong_, static_cast<int>(why.code), text_.data()};
  told_ = {1, &one_};
}

template void attribute_errors::find(const attrl* given, const failure& why);
template void attribute_errors::find(const attropl* given, const failure& why);

}  // namespace annals::ifl
