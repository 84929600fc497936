#include "tools/audit/usage_plot.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstring>
#include <limits>
#include <optional>

#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"

namespace annals::audit {
namespace {

using projections::host_series;
using projections::run_series;
using projections::usage_sample;

constexpr std::size_t levels = 8;
constexpr const char* block_levels[levels] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* ascii_levels[levels] = {".", ":", "-", "=", "+", "*", "%", "#"};
constexpr std::size_t drawn_min = 10;  // columns: less shows no course, a longer line is the lesser evil

std::optional<double> value_of(const usage_sample& s, const std::string& resource, const resource_types& types) {
  const auto value = s.used.get(resource);
  return value ? number_of(types.quantity_of(resource, *value)) : std::nullopt;
}

struct time_axis {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::max(), to_ns = 0;
};

// From the first sample of a host to the last one.
time_axis axis_of(const run_series& run) {
  time_axis axis;
  for (const auto& host : run.hosts) {
    if (host.samples.empty()) continue;
    axis.from_ns = std::min(axis.from_ns, host.samples.front().wall_ns);
    axis.to_ns = std::max(axis.to_ns, host.samples.back().wall_ns);
  }
  return axis;
}

struct scale {
  double low = 0, high = 0;
  std::size_t level(double value) const {
    if (high <= low) return 0;
    const auto at = static_cast<std::size_t>((value - low) / (high - low) * static_cast<double>(levels));
    return std::min(at, levels - 1);
  }
};

scale scale_of(const run_series& run, const std::string& resource, const resource_types& types) {
  scale s;
  for (const auto& host : run.hosts)
    for (const auto& sample : host.samples)
      if (const auto v = value_of(sample, resource, types)) {
        s.low = std::min(s.low, *v);
        s.high = std::max(s.high, *v);
      }
  return s;
}

// Each column shows the last value up to the end of its part of the time; a blank, that there was none yet.
std::string drawn(const host_series& host, const std::string& resource, const resource_types& types, const time_axis& axis,
                  const scale& heights, std::size_t columns, bool blocks) {
  std::string line;
  std::optional<double> value;
  auto next = host.samples.begin();
  const auto span = static_cast<double>(axis.to_ns - axis.from_ns);
  for (std::size_t column = 1; column <= columns; ++column) {
    const auto until = column == columns ? span : span * static_cast<double>(column) / static_cast<double>(columns);
    for (; next != host.samples.end() && static_cast<double>(next->wall_ns - axis.from_ns) <= until; ++next)
      if (const auto v = value_of(*next, resource, types)) value = v;
    line += !value ? " " : (blocks ? block_levels : ascii_levels)[heights.level(*value)];
  }
  return line;
}

std::string last_text(const host_series& host, const std::string& resource) {
  for (auto s = host.samples.rbegin(); s != host.samples.rend(); ++s)
    if (const auto value = s->used.get(resource)) return std::string(*value);
  return "-";
}

}  // namespace

page page_of_output() {
  page on;
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) on.columns = size.ws_col;
  std::setlocale(LC_CTYPE, "");
  on.blocks = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  return on;
}

std::string word_among(const projections::job_usage& job, const std::vector<std::string>& resources, const resource_types& types) {
  for (const auto& run : job.runs())
    for (const auto& host : run.hosts)
      for (const auto& s : host.samples)
        for (const auto& r : resources)
          if (const auto value = s.used.get(r); value && !number_of(types.quantity_of(r, *value))) return r + "=" + std::string(*value);
  return {};
}

std::string plot_text(const run_series& run, const std::vector<std::string>& resources, const resource_types& types, const page& on) {
  const auto axis = axis_of(run);
  if (axis.to_ns == 0) return "  nothing was reported\n";
  std::string text = "  drawn from " + time_text(axis.from_ns) + " to " + time_text(axis.to_ns) + "\n";
  for (const auto& resource : resources) {
    const auto heights = scale_of(run, resource, types);
    std::size_t name_width = 0, value_width = 0;
    for (const auto& host : run.hosts) {
      name_width = std::max(name_width, harmless(host.host).size());
      value_width = std::max(value_width, last_text(host, resource).size());
    }
    const auto beside = name_width + value_width + 6;  // the indentation, and a blank on each side of the drawing
    const auto columns = std::max(drawn_min, on.columns > beside ? on.columns - beside : 0);
    text += "  " + resource + ", " + types.text_of(resource, heights.low) + " to " + types.text_of(resource, heights.high) + "\n";
    for (const auto& host : run.hosts)
      text += "    " + padded(harmless(host.host), name_width) + " " +
              drawn(host, resource, types, axis, heights, columns, on.blocks) + " " + right(last_text(host, resource), value_width) + "\n";
  }
  return text;
}

}  // namespace annals::audit
