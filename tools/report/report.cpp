#include "tools/report/report.hpp"

#include <limits>

#include "events/values/duration.hpp"
#include "tools/report/moments.hpp"

namespace annals::reporting {
namespace {

constexpr unsigned gb_shift = 30;

std::string duration_text(exact seconds) {
  if (seconds > std::numeric_limits<std::int64_t>::max()) return print(seconds) + " s";
  return values::print_duration(static_cast<std::int64_t>(seconds));
}

cell count_cell(std::int64_t n) { return {std::to_string(n), std::to_string(n)}; }
cell seconds_cell(exact n) { return {print(n), duration_text(n)}; }
cell wait_cell(const std::optional<std::int64_t>& n) { return n ? seconds_cell(*n) : cell{"", "-"}; }

cell percent_cell(const std::optional<exact>& tenths) {
  if (!tenths) return {"", "-"};
  const auto text = print_decimal(*tenths, 1);
  return {text, text};
}

std::string gb_text(exact bytes) { return print_decimal(rounded(times(bytes, 100), exact{1} << gb_shift), 2); }
// Hours in hundredths: of one, or of a gigabyte.
std::string held_text(const held_sum& held) {
  const exact unit = held.kind == amount_kind::size ? exact{1} << gb_shift : amount_scale;
  return print_decimal(rounded(times(held.amount_s, 100), unit * seconds_of_hour), 2);
}

cell held_cell(const held_sum& held) {
  if (!held.kind) return {"0", "0.00"};
  const bool is_size = held.kind == amount_kind::size;
  return {is_size ? print(held.amount_s) : print_decimal(held.amount_s, amount_decimals, true), held_text(held)};
}

// ncpus are the column core_s.
bool has_column(const std::string& resource) { return resource != "ncpus"; }

// Nothing held any of it: it counts as a number.
bool is_size(const use_sum& all, std::size_t resource) {
  return resource < all.held.size() && all.held[resource].kind == amount_kind::size;
}

// What each report has, besides the resources that were asked for.
struct measure {
  const char* name;
  const char* heading;
  cell (*of)(const use_sum&);
};
constexpr measure measures[] = {
    {"jobs", "jobs", [](const use_sum& u) { return count_cell(u.jobs); }},
    {"runs", "runs", [](const use_sum& u) { return count_cell(u.runs); }},
    {"failed_starts", "failed", [](const use_sum& u) { return count_cell(u.failed_starts); }},
    {"walltime_s", "walltime", [](const use_sum& u) { return seconds_cell(u.walltime_s); }},
    {"core_s", "core time", [](const use_sum& u) { return seconds_cell(u.core_s); }},
    {"cput_s", "cpu time", [](const use_sum& u) { return seconds_cell(u.cput_s); }},
    {"efficiency_percent", "cpu %", [](const use_sum& u) { return percent_cell(u.efficiency_tenths()); }},
    {"suspended_s", "suspended", [](const use_sum& u) { return seconds_cell(u.suspended_s); }},
    {"mem_max_bytes", "max mem gb", [](const use_sum& u) { return cell{std::to_string(u.mem_bytes_max), gb_text(u.mem_bytes_max)}; }},
    {"mem_byte_s", "mem gb*h", [](const use_sum& u) { return held_cell({amount_kind::size, u.mem_byte_s}); }},
    {"wait_median_s", "wait median", [](const use_sum& u) { return wait_cell(u.wait_s(50)); }},
    {"wait_p95_s", "wait p95", [](const use_sum& u) { return wait_cell(u.wait_s(95)); }},
};

std::vector<column> columns_of(const report_head& head, const use_sum& all) {
  std::vector<column> columns;
  for (const auto& m : measures) columns.push_back({m.name, m.heading});
  for (std::size_t i = 0; i < head.resources.size(); ++i) {
    const auto& r = head.resources[i];
    if (!has_column(r)) continue;
    if (is_size(all, i)) columns.push_back({"held_" + r + "_byte_s", "held " + r + " gb*h"});
    else columns.push_back({"held_" + r + "_s", "held " + r + "*h"});
  }
  if (head.prices) columns.push_back({"price", "price " + head.prices->currency, true});
  return columns;
}

line line_of(const report_head& head, const group_key& key, const use_sum& use) {
  line l{key, {}, use.core_s};
  for (const auto& m : measures) l.cells.push_back(m.of(use));
  for (std::size_t i = 0; i < head.resources.size(); ++i)
    if (has_column(head.resources[i])) l.cells.push_back(held_cell(i < use.held.size() ? use.held[i] : held_sum()));
  if (head.prices) {
    const auto money = print_decimal(use.cost, head.prices->decimals);
    l.cells.push_back({money, money});
  }
  return l;
}

}  // namespace

report make_report(const report_head& head, const use_table& table) {
  report r;
  r.title = head.title;
  if (head.in.from_ns != period().from_ns) r.from_ns = head.in.from_ns;
  if (head.in.until_ns != period().until_ns) r.until_ns = head.in.until_ns;
  r.by = table.by();
  if (head.prices) {
    r.currency = head.prices->currency;
    r.decimals = head.prices->decimals;
  }
  r.columns = columns_of(head, table.all());
  for (const auto& [key, use] : table.groups()) r.lines.push_back(line_of(head, key, use));
  r.all = line_of(head, {}, table.all());
  return r;
}

std::string period_text(const report& r) {
  if (!r.from_ns && !r.until_ns) return "all";
  if (!r.from_ns) return "until " + local_second(*r.until_ns);
  const auto from = local_second(*r.from_ns);
  return r.until_ns ? from + " to " + local_second(*r.until_ns) : "from " + from;
}

}  // namespace annals::reporting
