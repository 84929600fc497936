// A report as one JSON object. Sums are numbers with all of their digits, also beyond 2^53.
#include <nlohmann/json.hpp>

#include "events/values/shown_text.hpp"
#include "tools/report/report.hpp"

namespace annals::reporting {
namespace {

using json = nlohmann::json;

std::string quoted_text(std::string_view text) {
  return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}
std::string text_or_null(const std::optional<std::string>& text) { return text ? quoted_text(*text) : "null"; }
std::string seconds_or_null(const std::optional<std::int64_t>& ns) { return ns ? std::to_string(*ns / 1'000'000'000) : "null"; }

std::string object_of(const report& r, const line& l) {
  std::string text = "{";
  const auto put = [&](std::string_view name, const std::string& value) {
    text += (text.size() > 1 ? "," : "") + quoted_text(name) + ":" + value;
  };
  for (std::size_t i = 0; i < l.key.size(); ++i) put(name_of(r.by[i]), text_or_null(l.key[i]));
  for (std::size_t i = 0; i < r.columns.size(); ++i) {
    const auto& data = l.cells[i].data;
    put(r.columns[i].name, data.empty() ? "null" : r.columns[i].is_text ? quoted_text(data)
                                                                        : data);
  }
  return text + "}";
}

}  // namespace

std::string json_form(const report& r) {
  std::string text = "{\"title\":" + quoted_text(r.title) + ",\"from\":" + seconds_or_null(r.from_ns) +
                     ",\"to\":" + seconds_or_null(r.until_ns) + ",\"by\":[";
  for (std::size_t i = 0; i < r.by.size(); ++i) text += (i ? "," : "") + quoted_text(name_of(r.by[i]));
  text += "],\"currency\":" + (r.currency.empty() ? std::string("null") : quoted_text(r.currency)) + ",\"rows\":[";
  for (std::size_t i = 0; i < r.lines.size(); ++i) text += (i ? ",\n" : "\n") + object_of(r, r.lines[i]);
  text += "\n],\"all\":" + object_of(r, r.all) + "}";
  return values::json_escaped(text) + "\n";
}

}  // namespace annals::reporting
