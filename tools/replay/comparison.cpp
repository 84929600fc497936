#include "tools/replay/comparison.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "events/values/shown_text.hpp"

namespace annals::replay {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

struct gathered {
  compared_group group;
  std::vector<std::int64_t> then, now;  // waits
};

std::int64_t sum(const std::vector<std::int64_t>& values) {
  std::int64_t s = 0;
  for (const auto v : values) s += v;
  return s;
}

void put_waits(std::vector<std::int64_t>& waits, std::int64_t& mean, std::int64_t& median, std::int64_t& longest) {
  if (waits.empty()) return;
  mean = sum(waits) / static_cast<std::int64_t>(waits.size());
  const auto middle = waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2);
  std::nth_element(waits.begin(), middle, waits.end());
  median = *middle;
  longest = *std::max_element(waits.begin(), waits.end());
}

void add(gathered& to, const job_history& then, const simulated_job& now) {
  auto& g = to.group;
  ++g.jobs;
  g.started_then += then.first_start_ns > 0;
  g.started_now += now.first_start_ns > 0;
  g.cpu_then += then.cpu_ns / second_ns;
  g.cpu_now += now.cpu_ns / second_ns;
  if (then.first_start_ns == 0 || now.first_start_ns == 0) return;
  g.sooner += then.first_start_ns - now.first_start_ns >= second_ns;
  g.later += now.first_start_ns - then.first_start_ns >= second_ns;
  to.then.push_back((then.first_start_ns - then.queued_ns) / (second_ns / 1000));
  to.now.push_back((now.first_start_ns - then.queued_ns) / (second_ns / 1000));
}

compared_group finished(gathered& g) {
  put_waits(g.then, g.group.mean_wait_then, g.group.median_wait_then, g.group.longest_wait_then);
  put_waits(g.now, g.group.mean_wait_now, g.group.median_wait_now, g.group.longest_wait_now);
  return g.group;
}

std::vector<compared_group> finished(std::map<std::uint32_t, gathered>& groups, const std::vector<std::string>& names) {
  std::vector<std::pair<std::int64_t, compared_group>> order;
  for (auto& [name, g] : groups) {
    g.group.name = names[name];
    const auto lost = sum(g.now) - sum(g.then);
    order.emplace_back(lost, finished(g));
  }
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return std::tie(a.first, a.second.name) < std::tie(b.first, b.second.name); });
  std::vector<compared_group> out;
  for (auto& o : order) out.push_back(std::move(o.second));
  return out;
}

// "1:02:03", of milliseconds.
std::string duration(std::int64_t ms) {
  char text[40];
  const auto s = ms / 1000;
  std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", static_cast<long long>(s / 3600), static_cast<long long>(s / 60 % 60),
                static_cast<long long>(s % 60));
  return text;
}

std::string change(std::int64_t then, std::int64_t now) {
  return (now >= then ? "+" : "-") + duration(now >= then ? now - then : then - now);
}

std::string hours(std::int64_t seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(seconds) / 3600);
  return text;
}

std::string percent(std::int64_t cpu_s, std::int64_t capacity_ns) {
  if (capacity_ns <= 0) return "-";
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(cpu_s) / (static_cast<double>(capacity_ns) / second_ns));
  return text;
}

void put_row(std::string& out, const char* what, const std::string& then, const std::string& now) {
  char line[160];
  std::snprintf(line, sizeof line, "%-24s %16s %16s\n", what, then.c_str(), now.c_str());
  out += line;
}

void put_groups(std::string& out, const char* of, const std::vector<compared_group>& groups) {
  char line[320];
  std::snprintf(line, sizeof line, "\n%-20s %9s %9s %9s %12s %12s %13s %12s %12s\n", of, "jobs", "sooner", "later", "mean wait", "then",
                "change", "cpu hours", "then");
  out += line;
  for (const auto& g : groups) {
    std::snprintf(line, sizeof line, "%-20s %9llu %9llu %9llu %12s %12s %13s %12s %12s\n", g.name.c_str(),
                  static_cast<unsigned long long>(g.jobs), static_cast<unsigned long long>(g.sooner),
                  static_cast<unsigned long long>(g.later), duration(g.mean_wait_now).c_str(), duration(g.mean_wait_then).c_str(),
                  change(g.mean_wait_then, g.mean_wait_now).c_str(), hours(g.cpu_now).c_str(), hours(g.cpu_then).c_str());
    out += line;
  }
}

nlohmann::ordered_json json_of(const compared_group& g) {
  nlohmann::ordered_json out;
  if (!g.name.empty()) out["name"] = g.name;
  out["jobs"] = g.jobs;
  const auto both = [&](const char* name, auto then, auto now) { out[name] = {{"recorded", then}, {"simulated", now}}; };
  both("started", g.started_then, g.started_now);
  both("meanWaitMs", g.mean_wait_then, g.mean_wait_now);
  both("medianWaitMs", g.median_wait_then, g.median_wait_now);
  both("longestWaitMs", g.longest_wait_then, g.longest_wait_now);
  both("cpuSeconds", g.cpu_then, g.cpu_now);
  out["sooner"] = g.sooner;
  out["later"] = g.later;
  return out;
}

}  // namespace

comparison compare(const histories& recorded, const simulation_outcome& simulated) {
  comparison c;
  c.from_ns = recorded.began_ns;
  c.to_ns = recorded.ended_ns;
  c.capacity_cpu_ns = simulated.capacity_cpu_ns;
  c.cycles = simulated.cycles;
  gathered all;
  std::map<std::uint32_t, gathered> users, queues;
  for (std::size_t i = 0; i < recorded.jobs.size(); ++i) {
    const auto& then = recorded.jobs[i];
    const auto& now = simulated.jobs[i];
    if (!now.takes_part) continue;
    for (auto* group : {&all, &users[then.user], &queues[then.queue]}) add(*group, then, now);
  }
  c.all = finished(all);
  c.users = finished(users, recorded.names);
  c.queues = finished(queues, recorded.names);
  return c;
}

std::string comparison_text(const comparison& c) {
  std::string out = std::to_string(c.all.jobs) + " jobs, " + std::to_string(c.cycles) + " cycles simulated, " +
                    hours((c.to_ns - c.from_ns) / second_ns) + " hours of history\n\n";
  const auto& a = c.all;
  put_row(out, "", "recorded", "simulated");
  put_row(out, "jobs started", std::to_string(a.started_then), std::to_string(a.started_now));
  put_row(out, "mean wait", duration(a.mean_wait_then), duration(a.mean_wait_now));
  put_row(out, "median wait", duration(a.median_wait_then), duration(a.median_wait_now));
  put_row(out, "longest wait", duration(a.longest_wait_then), duration(a.longest_wait_now));
  put_row(out, "cpu hours", hours(a.cpu_then), hours(a.cpu_now));
  put_row(out, "of all cpus", percent(a.cpu_then, c.capacity_cpu_ns), percent(a.cpu_now, c.capacity_cpu_ns));
  put_row(out, "start sooner", "", std::to_string(a.sooner));
  put_row(out, "start later", "", std::to_string(a.later));
  put_groups(out, "user", c.users);
  put_groups(out, "queue", c.queues);
  return out;
}

std::string comparison_json(const comparison& c) {
  nlohmann::ordered_json out{
      {"from", c.from_ns}, {"to", c.to_ns}, {"cycles", c.cycles}, {"capacityCpuSeconds", c.capacity_cpu_ns / second_ns}};
  out["all"] = json_of(c.all);
  out["users"] = out["queues"] = nlohmann::ordered_json::array();
  for (const auto& g : c.users) out["users"].push_back(json_of(g));
  for (const auto& g : c.queues) out["queues"].push_back(json_of(g));
  return values::json_escaped(out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace annals::replay
