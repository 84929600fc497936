// A report as one page that needs nothing beside itself: no script, no network, bars drawn by widths. Whatever names are, they are text.
#include <algorithm>
#include <string_view>

#include "events/values/shown_text.hpp"
#include "projections/exports/value.hpp"
#include "tools/report/limits.hpp"
#include "tools/report/report.hpp"

namespace annals::reporting {
namespace {

constexpr std::string_view head_end = R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 80em; padding: 0 1em; color: #1c2733; background: #fff; }
h1 { font-size: 1.5em; margin: 0; }
h2 { font-size: 1.1em; margin: 2em 0 .5em; }
.when { color: #5a6a7a; margin: .2em 0 1.5em; }
.tiles { display: flex; flex-wrap: wrap; gap: 1em; }
.tile { border: 1px solid #d5dde5; border-radius: 6px; padding: .6em 1em; }
.tile b { display: block; font-size: 1.2em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25em .7em; border-bottom: 1px solid #e3e9ef; text-align: right; white-space: nowrap; }
th.name, td.name { text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; }
tr.all td { font-weight: bold; border-top: 2px solid #8fa0b0; }
.bars td { border: 0; }
.bars td.space { width: 60%; min-width: 15em; }
.bar { background: #2f6fb2; height: 1em; border-radius: 2px; }
@media print { body { margin: 0; max-width: none; } }
</style>
</head>
<body>
)";

std::string escaped(std::string_view text) {
  std::string shown, safe;
  values::put_shown(shown, exports::clean_text(text));
  for (const char c : shown) switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  return safe;
}

std::string name_text(const std::optional<std::string>& name) {
  if (!name) return "&ndash;";
  return name->empty() ? "&quot;&quot;" : escaped(*name);
}

std::string tiles(const report& r) {
  std::string text = "<div class=\"tiles\">\n";
  for (std::size_t i = 0; i < r.columns.size(); ++i)
    text += "<div class=\"tile\"><b>" + escaped(r.all.cells[i].shown) + "</b>" + escaped(r.columns[i].heading) + "</div>\n";
  return text + "</div>\n";
}

std::string group_text(const line& l) {
  std::string text;
  for (const auto& name : l.key) text += (text.empty() ? "" : ", ") + name_text(name);
  return text;
}

// Days and months stay in their order; of others the largest come first.
std::vector<const line*> lines_with_bars(const report& r) {
  std::vector<const line*> lines;
  for (const auto& l : r.lines) lines.push_back(&l);
  const bool in_time = r.by.front() == dimension::day || r.by.front() == dimension::month;
  if (!in_time) std::stable_sort(lines.begin(), lines.end(), [](const line* a, const line* b) { return a->core_s > b->core_s; });
  if (lines.size() <= limits::bars_max) return lines;
  if (in_time) lines.erase(lines.begin(), lines.end() - limits::bars_max);
  else lines.resize(limits::bars_max);
  return lines;
}

std::size_t core_column(const report& r) {
  const auto at = std::find_if(r.columns.begin(), r.columns.end(), [](const column& c) { return c.name == "core_s"; });
  return static_cast<std::size_t>(at - r.columns.begin());
}

std::string bars(const report& r) {
  const auto lines = lines_with_bars(r);
  exact most = 0;
  for (const auto* l : lines) most = std::max(most, l->core_s);
  if (most <= 0) return {};
  std::string text = "<h2>Core time</h2>\n<table class=\"bars\">\n";
  const auto core = core_column(r);
  for (const auto* l : lines) {
    const auto tenths = rounded(times(std::max<exact>(l->core_s, 0), 1000), most);
    text += "<tr><td class=\"name\">" + group_text(*l) + "</td><td class=\"space\"><div class=\"bar\" style=\"width:" +
            print_decimal(tenths, 1) + "%\"></div></td><td>" + escaped(l->cells[core].shown) + "</td></tr>\n";
  }
  return text + "</table>\n";
}

std::string row_of(const report& r, const line& l) {
  const bool is_all = l.key.empty();
  std::string text = is_all ? "<tr class=\"all\">" : "<tr>";
  for (std::size_t i = 0; i < r.by.size(); ++i) {
    const auto name = !is_all ? name_text(l.key[i]) : i == 0 ? "all"
                                                             : "";
    text += "<td class=\"name\">" + name + "</td>";
  }
  for (const auto& c : l.cells) text += "<td>" + escaped(c.shown) + "</td>";
  return text + "</tr>\n";
}

std::string table_of_lines(const report& r) {
  std::string text = "<h2>All numbers</h2>\n<div class=\"wide\"><table>\n<tr>";
  for (const auto d : r.by) text += std::string("<th class=\"name\">") + name_of(d) + "</th>";
  for (const auto& c : r.columns) text += "<th>" + escaped(c.heading) + "</th>";
  text += "</tr>\n";
  for (const auto& l : r.lines) text += row_of(r, l);
  return text + row_of(r, r.all) + "</table></div>\n";
}

}  // namespace

std::string html_form(const report& r) {
  const auto title = escaped(r.title.empty() ? "Use of the cluster" : r.title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + title + "</title>\n" + std::string(head_end) +
         "<h1>" + title + "</h1>\n<p class=\"when\">Runs that ended: " + period_text(r) + "</p>\n" + tiles(r) + bars(r) +
         table_of_lines(r) + "</body>\n</html>\n";
}

}  // namespace annals::reporting
