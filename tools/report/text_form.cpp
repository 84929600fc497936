// A report for a terminal or a mail: names at the left, numbers at the right.
#include <algorithm>
#include <string_view>

#include "events/values/shown_text.hpp"
#include "tools/report/limits.hpp"
#include "tools/report/report.hpp"

namespace annals::reporting {
namespace {

using cells = std::vector<std::string>;

// What nobody has a name for is "-", and an empty name is "".
std::string key_text(const std::optional<std::string>& name) {
  if (!name) return "-";
  if (name->empty()) return "\"\"";
  std::string text;
  values::put_shown(text, *name);
  return text;
}

cells cells_of(const report& r, const line& l) {
  cells all;
  for (std::size_t i = 0; i < r.by.size(); ++i) all.push_back(l.key.empty() ? (i == 0 ? "all" : "") : key_text(l.key[i]));
  for (const auto& c : l.cells) all.push_back(c.shown);
  return all;
}

// In characters: bytes that go on with one of UTF-8 take no place.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// A name that is wider than its column pushes its own line to the right, and no other.
std::string laid_out(const std::vector<cells>& lines, std::size_t names) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& l : lines)
    for (std::size_t i = 0; i < l.size(); ++i) widths[i] = std::max(widths[i], std::min(width_of(l[i]), limits::text_width_max));
  std::string text;
  for (const auto& l : lines) {
    std::string shown;
    for (std::size_t i = 0; i < l.size(); ++i) {
      const std::string blanks(widths[i] - std::min(width_of(l[i]), widths[i]), ' ');
      shown += (i == 0 ? "" : "  ") + (i < names ? l[i] + blanks : blanks + l[i]);
    }
    text += shown.substr(0, shown.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string text_form(const report& r) {
  std::string text;
  values::put_shown(text, r.title);
  text += (r.title.empty() ? "" : "\n") + std::string("runs that ended: ") + period_text(r) + "\n\n";
  cells heads;
  for (const auto d : r.by) heads.emplace_back(name_of(d));
  for (const auto& c : r.columns) heads.push_back(c.heading);
  std::vector<cells> lines{heads};
  for (const auto& l : r.lines) lines.push_back(cells_of(r, l));
  lines.push_back(cells_of(r, r.all));
  return text + laid_out(lines, r.by.size());
}

}  // namespace annals::reporting
