// A report for spreadsheets and scripts (RFC 4180), a line for each group and none for all. Control characters are shown as \xNN, so that
// each line is one row. A name that a spreadsheet would take for a formula has a ' before it.
#include "events/values/shown_text.hpp"
#include "tools/report/report.hpp"

namespace annals::reporting {
namespace {

// A group without a name is an empty field, and an empty name is "", as in files of pbs_export.
std::string field_of(const std::optional<std::string>& name) {
  if (!name) return {};
  std::string text;
  if (name->find_first_of("=+-@") == 0) text += '\'';
  values::put_hex(text, *name);
  const bool blank_at_an_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!text.empty() && text.find_first_of(",\"") == std::string::npos && !blank_at_an_end) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace

std::string csv_form(const report& r) {
  std::string text;
  const auto put = [&](std::string&& field, bool is_first) { text += (is_first ? "" : ",") + field; };
  for (const auto d : r.by) put(name_of(d), text.empty());
  for (const auto& c : r.columns) put(field_of(c.name), text.empty());
  if (!r.currency.empty()) put("currency", false);
  text += '\n';
  for (const auto& l : r.lines) {
    for (std::size_t i = 0; i < l.key.size(); ++i) put(field_of(l.key[i]), i == 0);
    for (const auto& c : l.cells) put(std::string(c.data), false);
    if (!r.currency.empty()) put(std::string(r.currency), false);
    text += '\n';
  }
  return text;
}

}  // namespace annals::reporting
