#include "tools/audit/usage_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "events/values/shown_text.hpp"
#include "projections/usage/usage.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/usage_data.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;
using projections::run_series;
using projections::usage_sample;
using jobs = std::vector<projections::job_usage>;
using samples = std::vector<usage_sample>;

// A sum of several hosts, where a run has them.
constexpr std::string_view sum_name = "all hosts";

std::string value_of(const usage_sample& s, const char* resource, const char* none) {
  return std::string(s.used.get(resource).value_or(none));
}

std::string sample_line(const usage_sample& s) {
  constexpr const char* no_time = "00:00:00";
  return "    " + padded(time_text(s.wall_ns), 23) + right(value_of(s, "walltime", no_time), 11) + right(value_of(s, "cput", no_time), 11) +
         right(value_of(s, "cpupercent", "0"), 8) + right(value_of(s, "mem", "0kb"), 14) + right(value_of(s, "vmem", "0kb"), 14) +
         right(value_of(s, "ncpus", "0"), 7) + "\n";
}

std::string measured_table(const samples& all) {
  auto text = "    " + padded("when", 23) + right("walltime", 11) + right("cput", 11) + right("cpu%", 8) + right("mem", 14) +
              right("vmem", 14) + right("ncpus", 7) + "\n";
  for (const auto& s : all) text += sample_line(s);
  return text;
}

// A column for each resource that has a value here.
std::string whole_table(const samples& all, const std::vector<std::string>& resources) {
  std::vector<std::string> lines{"    " + padded("when", 23)};
  for (const auto& s : all) lines.push_back("    " + padded(time_text(s.wall_ns), 23));
  for (const auto& r : resources) {
    std::vector<std::string> cells{r};
    bool any = false;
    for (const auto& s : all) {
      any |= s.used.get(r).has_value();
      cells.push_back(harmless(value_of(s, r.c_str(), "-")));
    }
    if (!any) continue;
    std::size_t width = 0;
    for (const auto& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += right(cells[i], width + 2);
  }
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

using table = std::function<std::string(const samples&)>;

std::string series_text(std::string_view name, const samples& all, const table& as_table) {
  std::string text = "  " + harmless(name);
  if (all.empty()) return text + ": nothing was reported\n";
  return text + ": " + std::to_string(projections::cpu_efficiency(all.back())) + " % of " + value_of(all.back(), "ncpus", "0") +
         " cpus used, " + value_of(all.back(), "mem", "0kb") + " of memory at most\n" + as_table(all);
}

std::string tables_text(const run_series& run, const table& as_table) {
  std::string text;
  for (const auto& host : run.hosts) text += series_text(host.host, host.samples, as_table);
  if (!run.total.empty()) text += series_text(sum_name, run.total, as_table);
  return text;
}

std::string text_of(const projections::job_usage& job, bool in_part, const std::function<std::string(const run_series&)>& text_of_run) {
  std::string text = "job " + harmless(job.id()) + "\n";
  if (job.runs().empty()) text += in_part ? "it did not run then\n" : "it has not run\n";
  for (const auto& run : job.runs()) {
    text += "run " + std::to_string(run.run) + "  from " + time_text(run.assigned_ns) +
            (run.ended_ns != 0 ? " to " + time_text(run.ended_ns) : std::string(", goes on"));
    if (run.has_exit_status) text += ", exit status " + std::to_string(run.exit_status);
    text += "\n" + text_of_run(run);
  }
  return text;
}

json json_of(const samples& all) {
  auto list = json::array();
  for (const auto& s : all)
    list.push_back({{"wallNs", s.wall_ns},
                    {"walltime", s.used.seconds("walltime")},
                    {"cput", s.used.seconds("cput")},
                    {"cpupercent", s.used.count("cpupercent")},
                    {"memKb", s.used.kb("mem")},
                    {"vmemKb", s.used.kb("vmem")},
                    {"ncpus", s.used.count("ncpus")}});
  return list;
}

std::string json_text_of(const projections::job_usage& job) {
  json out{{"job", job.id()}, {"runs", json::array()}};
  for (const auto& run : job.runs()) {
    json r{{"run", run.run}, {"assignedNs", run.assigned_ns}};
    if (run.ended_ns != 0) r["endedNs"] = run.ended_ns;
    if (run.has_exit_status) r["exitStatus"] = run.exit_status;
    r["hosts"] = json::array();
    for (const auto& host : run.hosts) {
      json h{{"host", host.host}};
      if (!host.samples.empty()) h["cpuEfficiencyPercent"] = projections::cpu_efficiency(host.samples.back());
      h["samples"] = json_of(host.samples);
      r["hosts"].push_back(std::move(h));
    }
    if (!run.total.empty()) r["total"] = json_of(run.total);
    out["runs"].push_back(std::move(r));
  }
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

std::string text_of(const projections::job_usage& job, const std::vector<std::string>& resources, const resource_types& types,
                    const usage_wanted& wanted) {
  if (wanted.form == usage_form::json) return wanted.by_host ? usage_json(job, resources, types) : json_text_of(job);
  return text_of(job, wanted.from > 1, [&](const run_series& run) {
    if (wanted.form == usage_form::plot) return plot_text(run, resources, types, wanted.drawn_on);
    if (wanted.by_host) return tables_text(run, [&](const samples& all) { return whole_table(all, resources); });
    return tables_text(run, measured_table);
  });
}

// What of the wanted resources no job has a value of.
std::string without_value(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  for (const auto& name : wanted)
    if (std::find(there.begin(), there.end(), name) == there.end()) return name;
  return {};
}

std::string word_among(const jobs& all, const std::vector<std::string>& resources, const resource_types& types) {
  for (const auto& job : all)
    if (auto word = word_among(job, resources, types); !word.empty()) return word;
  return {};
}

}  // namespace

usage_told tell_usage(const ports::event_store& store, const usage_wanted& wanted, const std::function<bool(const std::string&)>& print,
                      const beside_jobs& beside) {
  resource_types types;
  auto and_types = beside;
  and_types.other = [&](const log::record& r) { types.fold(r); };
  auto found = find_jobs<projections::job_usage>(store, wanted.job, wanted.to, and_types);
  usage_told end{{found.by_stream.size(), found.sound}, {}, {}};
  if (!beside.go_on()) return end;
  jobs all;
  for (auto& [stream, job] : found.by_stream) {
    job.keep_from(wanted.from);
    all.push_back(std::move(job));
  }
  const bool drawn = wanted.form == usage_form::plot;
  const auto only = drawn && wanted.resources.empty() ? std::vector<std::string>{"cput", "mem"} : wanted.resources;
  const auto resources = resources_of(all, only);
  if (!all.empty()) end.without_value = without_value(wanted.resources, resources);
  if (drawn) end.not_drawn = word_among(all, resources, types);
  if (!end.without_value.empty() || !end.not_drawn.empty()) return end;
  if (wanted.form == usage_form::csv) {
    if (!all.empty()) print(usage_csv(all, resources, types));
    return end;
  }
  for (const auto& job : all)
    if (!print(text_of(job, resources, types, wanted))) break;
  return end;
}

}  // namespace annals::audit
