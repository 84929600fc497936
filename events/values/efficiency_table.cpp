#include "events/values/efficiency_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "events/values/date_time.hpp"
#include "events/values/duration.hpp"
#include "events/values/shown_text.hpp"

namespace annals::values {

namespace {

using table_line = std::vector<std::string>;
// Names stand at the left of their column, numbers at the right.
constexpr std::size_t columns_of_names = 4;

std::string percent_of(std::optional<double> part) { return part ? std::to_string(std::llround(100 * *part)) : "-"; }
std::string duration_of(std::uint64_t s) { return print_duration(static_cast<std::int64_t>(s)); }
std::string shown_name(const std::string& name) {
  std::string text;
  put_shown(text, name);
  return text;
}

table_line line_of(const job_efficiency& j) {
  return {j.job,
          shown_name(j.name),
          j.queue,
          j.ended_s == 0 ? "goes on" : print_date(j.ended_s),
          duration_of(j.cput_s),
          std::to_string(j.ncpus),
          duration_of(j.walltime_s),
          std::to_string(j.mem_kb) + "kb",
          percent_of(j.cpu()),
          percent_of(j.memory()),
          percent_of(j.walltime())};
}

table_line line_of(const efficiency_sum& s) {
  return {"all", std::to_string(s.runs()), "", "",
          duration_of(s.cput_s()), "", "", "",
          percent_of(s.cpu()), percent_of(s.memory()), percent_of(s.walltime())};
}

std::vector<table_line> lines_of(const std::vector<job_efficiency>& all) {
  std::vector<table_line> lines{{"job", "name", "queue", "ended", "cput", "ncpus", "walltime", "mem", "cpu%", "mem%", "walltime%"}};
  efficiency_sum sum;
  for (const auto& job : all) {
    lines.push_back(line_of(job));
    sum.add(job);
  }
  lines.push_back(line_of(sum));
  return lines;
}

void put_cell(std::string& out, const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - text.size(), ' ');
  out += left ? text + blanks : blanks + text;
}

}  // namespace

void put_efficiency_table(std::string& out, const std::vector<job_efficiency>& all) {
  if (all.empty()) return void(out += "no run\n");
  const auto lines = lines_of(all);
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (i > 0) out += "  ";
      put_cell(out, line[i], widths[i], i < columns_of_names);
    }
    out += '\n';
  }
}

}  // namespace annals::values
