#include "events/values/limit_spec.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "events/values/string_list.hpp"

namespace annals::values {
namespace {

constexpr std::string_view everybody = "PBS_ALL";

bool blank(char c) { return c == ' ' || c == '\t'; }

// Reads entry after entry: "[u:bob=2], [g:x=1]".
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) { skip_blanks(); }

  // False: the text ends here, or has a problem here.
  bool next(limit_entry& entry) {
    if (failed_ || at_ == text_.size()) return false;
    if (!first_ && !separator()) return fail();
    first_ = false;
    return take(entry) || fail();
  }
  bool failed() const { return failed_; }
  std::size_t position() const { return at_; }

 private:
  static constexpr std::size_t into_name = 2;  // where qmgr's caret stands when a name and its letter don't go together

  bool take(limit_entry& entry) {
    if (!here('[')) return false;
    ++at_;
    if (at_ == text_.size() || std::string_view("ugpo").find(text_[at_]) == std::string_view::npos) return false;
    entry.kind = text_[at_++];
    if (!here(':')) return false;
    ++at_;
    const std::size_t name_at = at_;
    entry.entity = take_name();
    if ((entry.kind == 'o') != (entry.entity == everybody)) {
      at_ = std::min(name_at + into_name, text_.size());
      return false;
    }
    skip_blanks();
    entry.value.clear();
    if (here('=')) {
      ++at_;
      entry.value = take_value();
    }
    if (!here(']')) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  std::string take_name() {
    if (here('"') || here('\'')) {
      const auto end = text_.find(text_[at_], at_ + 1);
      const auto start = at_ + 1;
      if (end == std::string_view::npos) return {};
      at_ = end + 1;
      const auto name = text_.substr(start, end - start);
      return std::string(name.find_first_of("[],:\"'") == std::string_view::npos ? trimmed(name) : std::string_view());
    }
    const auto start = at_;
    while (at_ < text_.size() && !blank(text_[at_]) && std::string_view("=[],:\"'").find(text_[at_]) == std::string_view::npos) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  // A count, or a value of a resource's type: "4", "1.5", "4gb", "01:00:00".
  std::string take_value() {
    skip_blanks();
    const auto start = at_;
    const auto may_stand = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == ':' || c == '_'; };
    while (at_ < text_.size() && may_stand(text_[at_])) ++at_;
    const auto value = text_.substr(start, at_ - start);
    skip_blanks();
    return std::string(value);
  }

  bool separator() {
    if (!here(',')) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  bool here(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  bool fail() {
    failed_ = true;
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_ = true, failed_ = false;
};

// By their printed text, each printed once.
void sort_as_text(limit_spec& limits) {
  std::vector<std::pair<std::string, limit_entry>> printed;
  printed.reserve(limits.size());
  for (auto& entry : limits) printed.emplace_back(print(entry), std::move(entry));
  std::sort(printed.begin(), printed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = std::move(printed[i].second);
}

// Where the entry of each entity stands.
using places = std::map<std::pair<char, std::string_view>, std::size_t>;
places places_of(const limit_spec& limits) {
  places out;
  for (std::size_t i = 0; i < limits.size(); ++i) out.emplace(std::pair(limits[i].kind, std::string_view(limits[i].entity)), i);
  return out;
}

}  // namespace

std::optional<std::size_t> limit_syntax_problem(std::string_view text) {
  reader entries(text);
  limit_entry entry;
  std::size_t count = 0;
  while (entries.next(entry)) ++count;
  if (entries.failed() || count == 0) return entries.position();
  return std::nullopt;
}

result<limit_spec, limit_error> parse_limits(std::string_view text, bool need_values) {
  limit_spec out;
  reader entries(text);
  for (limit_entry entry; entries.next(entry);) {
    if (entry.entity.empty() || (need_values && entry.value.empty())) return limit_error::malformed;
    out.push_back(std::move(entry));
  }
  if (entries.failed() || out.empty()) return limit_error::malformed;
  sort_as_text(out);
  // Sorted by text, the entries of one entity are neighbours.
  const auto twice = std::adjacent_find(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.same_entity(b); });
  if (twice != out.end()) return limit_error::duplicate_entity;
  return out;
}

std::string print(const limit_entry& entry) {
  std::string out = {'[', entry.kind, ':'};
  // A name with a blank needs the quotes it came with.
  const bool plain = entry.entity.find_first_of(" \t=") == std::string::npos;
  out += plain ? entry.entity : '"' + entry.entity + '"';
  if (!entry.value.empty()) out += '=' + entry.value;
  return out + ']';
}

std::string print(const limit_spec& limits) {
  std::string out;
  for (const limit_entry& entry : limits) {
    if (!out.empty()) out += ',';
    out += print(entry);
  }
  return out;
}

void add_limits(limit_spec& limits, const limit_spec& more) {
  const auto before = places_of(limits);
  limit_spec sum = limits;
  for (const limit_entry& entry : more) {
    const auto at = before.find({entry.kind, entry.entity});
    if (at == before.end()) sum.push_back(entry);
    else sum[at->second] = entry;
  }
  limits = std::move(sum);
  sort_as_text(limits);
}

void remove_limits(limit_spec& limits, const limit_spec& gone) {
  const auto leaving = places_of(gone);
  std::erase_if(limits, [&](const limit_entry& entry) {
    const auto at = leaving.find({entry.kind, entry.entity});
    return at != leaving.end() && (gone[at->second].value.empty() || gone[at->second].value == entry.value);
  });
}

}  // namespace annals::values
