#include "tools/audit/usage_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "projections/usage/usage.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;
using projections::usage_sample;
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

std::string series_text(std::string_view name, const samples& all) {
  std::string text = "  " + harmless(name);
  if (all.empty()) return text + ": nothing was reported\n";
  text += ": " + std::to_string(projections::cpu_efficiency(all.back())) + " % of " + value_of(all.back(), "ncpus", "0") + " cpus used, " +
          value_of(all.back(), "mem", "0kb") + " of memory at most\n    " + padded("when", 23) + right("walltime", 11) +
          right("cput", 11) + right("cpu%", 8) + right("mem", 14) + right("vmem", 14) + right("ncpus", 7) + "\n";
  for (const auto& s : all) text += sample_line(s);
  return text;
}

std::string text_of(const projections::job_usage& job) {
  std::string text = "job " + harmless(job.id()) + "\n";
  if (job.runs().empty()) text += "it has not run\n";
  for (const auto& run : job.runs()) {
    text += "run " + std::to_string(run.run) + "  from " + time_text(run.assigned_ns) +
            (run.ended_ns != 0 ? " to " + time_text(run.ended_ns) : std::string(", goes on"));
    if (run.has_exit_status) text += ", exit status " + std::to_string(run.exit_status);
    text += "\n";
    for (const auto& host : run.hosts) text += series_text(host.host, host.samples);
    if (!run.total.empty()) text += series_text(sum_name, run.total);
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
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

jobs_told tell_usage(const ports::event_store& store, const values::job_id& job, bool as_json,
                     const std::function<bool(const std::string&)>& print) {
  return tell_jobs<projections::job_usage>(
      store, job, as_json, print, [] { return true; },
      [as_json](const projections::job_usage& j) { return as_json ? json_text_of(j) : text_of(j); });
}

}  // namespace annals::audit
