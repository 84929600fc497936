// A report as its forms show it: lines of one table, and the line of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/use.hpp"

namespace annals::reporting {

// One value of a line.
struct cell {
  std::string data;   // for programs: digits, perhaps with a point; empty: there is none
  std::string shown;  // for people
};

struct column {
  std::string name;      // "core_s": the unit stands behind the last underscore
  std::string heading;   // for people
  bool is_text = false;  // in JSON data stands in quotes: money is no number there that a reader may round
};

struct line {
  group_key key;
  std::vector<cell> cells;  // of the columns
  exact core_s = 0;         // what bars are of
};

struct report {
  std::string title;
  std::optional<std::int64_t> from_ns, until_ns;  // nothing: from the first run, up to the last
  std::vector<dimension> by;
  std::string currency;  // empty: no prices
  unsigned decimals = 0;
  std::vector<column> columns;
  std::vector<line> lines;  // in the order of their keys
  line all;
};

struct report_head {
  std::string title;
  period in;
  std::vector<std::string> resources;
  const rates* prices = nullptr;  // nullptr: none
};
report make_report(const report_head& head, const use_table& table);

// "2026-11-01 00:00:00 to 2026-12-01 00:00:00", "until ...", "all".
std::string period_text(const report& r);

// The forms. Each is whole, and whatever names of users and projects are, they are shown as text and nothing else.
std::string text_form(const report& r);
std::string csv_form(const report& r);
std::string json_form(const report& r);
std::string html_form(const report& r);

}  // namespace annals::reporting
