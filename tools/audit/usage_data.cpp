#include "tools/audit/usage_data.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "events/values/shown_text.hpp"
#include "tools/audit/csv.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;
using samples = std::vector<projections::usage_sample>;

constexpr const char* measured_first[] = {"walltime", "cput", "cpupercent", "mem", "vmem", "ncpus"};

void add_names(const samples& all, std::set<std::string>& to) {
  for (const auto& s : all)
    for (const auto& e : s.used) to.emplace(e.resource);
}

json json_of(const samples& all, const std::vector<std::string>& resources, const resource_types& types) {
  auto list = json::array();
  for (const auto& s : all) {
    json used = json::object();
    for (const auto& r : resources)
      if (const auto value = s.used.get(r)) std::visit([&](const auto& v) { used[r] = v; }, types.quantity_of(r, *value));
    list.push_back({{"wallNs", s.wall_ns}, {"used", std::move(used)}});
  }
  return list;
}

}  // namespace

std::vector<std::string> resources_of(const std::vector<projections::job_usage>& jobs, const std::vector<std::string>& only) {
  std::set<std::string> there;
  for (const auto& job : jobs)
    for (const auto& run : job.runs()) {
      for (const auto& host : run.hosts) add_names(host.samples, there);
      add_names(run.total, there);
    }
  std::vector<std::string> names;
  const auto take = [&](const std::string& name) {
    if (there.erase(name) > 0) names.push_back(name);
  };
  for (const auto& name : only) take(name);
  if (!only.empty()) return names;
  for (const auto* name : measured_first) take(name);
  names.insert(names.end(), there.begin(), there.end());
  return names;
}

std::string usage_csv(const std::vector<projections::job_usage>& jobs, const std::vector<std::string>& resources,
                      const resource_types& types) {
  std::vector<std::string> head{"job", "run", "host", "time"};
  head.insert(head.end(), resources.begin(), resources.end());
  auto text = csv_line(head);
  for (const auto& job : jobs)
    for (const auto& run : job.runs())
      for (const auto& host : run.hosts)
        for (const auto& s : host.samples) {
          std::vector<std::string> fields{job.id(), std::to_string(run.run), host.host, csv_time(s.wall_ns)};
          for (const auto& r : resources) {
            const auto value = s.used.get(r);
            fields.push_back(value ? plain_text(types.quantity_of(r, *value)) : std::string());
          }
          text += csv_line(fields);
        }
  return text;
}

std::string usage_json(const projections::job_usage& job, const std::vector<std::string>& resources, const resource_types& types) {
  json out{{"job", job.id()}, {"runs", json::array()}};
  for (const auto& run : job.runs()) {
    json r{{"run", run.run}, {"assignedNs", run.assigned_ns}};
    if (run.ended_ns != 0) r["endedNs"] = run.ended_ns;
    if (run.has_exit_status) r["exitStatus"] = run.exit_status;
    r["hosts"] = json::array();
    for (const auto& host : run.hosts) r["hosts"].push_back({{"host", host.host}, {"samples", json_of(host.samples, resources, types)}});
    if (!run.total.empty()) r["total"] = json_of(run.total, resources, types);
    out["runs"].push_back(std::move(r));
  }
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace annals::audit
