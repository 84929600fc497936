#include "tools/audit/efficiency_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "events/values/duration.hpp"
#include "events/values/shown_text.hpp"
#include "projections/usage/efficiency.hpp"
#include "tools/audit/csv.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;
using projections::efficiency_sum;
using projections::run_efficiency;
using runs = std::vector<run_efficiency>;

std::int64_t percent(double part) { return std::llround(100 * part); }
std::string percent_text(std::optional<double> part, const char* none) { return part ? std::to_string(percent(*part)) : none; }
std::string amount_text(std::optional<std::uint64_t> amount) { return amount ? std::to_string(*amount) : std::string(); }
std::string duration_text(std::uint64_t seconds) { return values::print_duration(static_cast<std::int64_t>(seconds)); }

efficiency_sum sum_of(const runs& all) {
  efficiency_sum sum;
  for (const auto& r : all) sum.add(r);
  return sum;
}

// -- text --------------------------------------------------------------------------------------------------------------------

using cells = std::vector<std::string>;
// Names stand at the left of their column, numbers at the right.
constexpr std::size_t names = 5;

cells cells_of(const run_efficiency& r) {
  return {harmless(r.job),
          std::to_string(r.run),
          harmless(r.user),
          harmless(r.queue),
          r.ended_ns == 0 ? "goes on" : time_text(r.ended_ns),
          duration_text(r.cput_s),
          std::to_string(r.ncpus),
          duration_text(r.walltime_s),
          std::to_string(r.mem_kb) + "kb",
          percent_text(r.cpu(), "-"),
          percent_text(r.memory(), "-"),
          percent_text(r.walltime(), "-")};
}

cells cells_of(const efficiency_sum& s) {
  return {"all",
          std::to_string(s.runs()),
          "",
          "",
          "",
          duration_text(s.cput_s()),
          "",
          "",
          "",
          percent_text(s.cpu(), "-"),
          percent_text(s.memory(), "-"),
          percent_text(s.walltime(), "-")};
}

std::string text_of(const runs& all) {
  if (all.empty()) return "no run\n";
  std::vector<cells> lines{{"job", "run", "user", "queue", "ended", "cput", "ncpus", "walltime", "mem", "cpu%", "mem%", "walltime%"}};
  for (const auto& r : all) lines.push_back(cells_of(r));
  lines.push_back(cells_of(sum_of(all)));
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += (i == 0 ? "" : "  ") + (i < names ? padded(line[i], widths[i]) : right(line[i], widths[i]));
    text += "\n";
  }
  return text;
}

// -- data --------------------------------------------------------------------------------------------------------------------

void put_percents(json& to, const auto& from) {
  if (const auto p = from.cpu()) to["cpuPercent"] = percent(*p);
  if (const auto p = from.memory()) to["memPercent"] = percent(*p);
  if (const auto p = from.walltime()) to["walltimePercent"] = percent(*p);
}

json json_of(const run_efficiency& r) {
  json one{{"job", r.job}, {"run", r.run}, {"user", r.user}, {"queue", r.queue}, {"assignedNs", r.assigned_ns}};
  if (r.ended_ns != 0) one["endedNs"] = r.ended_ns;
  one["cput"] = r.cput_s;
  one["ncpus"] = r.ncpus;
  one["walltime"] = r.walltime_s;
  one["memKb"] = r.mem_kb;
  if (r.mem_asked_kb) one["memAskedKb"] = *r.mem_asked_kb;
  if (r.walltime_asked_s) one["walltimeAsked"] = *r.walltime_asked_s;
  put_percents(one, r);
  return one;
}

std::string json_text_of(const runs& all) {
  json out{{"runs", json::array()}};
  for (const auto& r : all) out["runs"].push_back(json_of(r));
  const auto sum = sum_of(all);
  json whole{{"runs", sum.runs()}, {"cput", sum.cput_s()}, {"cpuGiven", sum.cpu_given_s()}};
  put_percents(whole, sum);
  out["all"] = std::move(whole);
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

std::string csv_of(const runs& all) {
  auto text = csv_line({"job", "run", "user", "queue", "assigned", "ended", "cput", "ncpus", "walltime", "mem", "mem_asked",
                        "walltime_asked", "cpu_percent", "mem_percent", "walltime_percent"});
  for (const auto& r : all)
    text += csv_line({r.job, std::to_string(r.run), r.user, r.queue, csv_time(r.assigned_ns), r.ended_ns == 0 ? "" : csv_time(r.ended_ns),
                      std::to_string(r.cput_s), std::to_string(r.ncpus), std::to_string(r.walltime_s), std::to_string(r.mem_kb),
                      amount_text(r.mem_asked_kb), amount_text(r.walltime_asked_s), percent_text(r.cpu(), ""),
                      percent_text(r.memory(), ""), percent_text(r.walltime(), "")});
  return text;
}

std::string text_in_form(const runs& all, efficiency_form form) {
  switch (form) {
    case efficiency_form::json: return json_text_of(all);
    case efficiency_form::csv: return csv_of(all);
    case efficiency_form::text: return text_of(all);
  }
  return {};
}

}  // namespace

efficiency_told tell_efficiency(const ports::event_store& store, const efficiency_wanted& wanted,
                                const std::function<bool(const std::string&)>& print, const beside_jobs& beside) {
  std::set<std::size_t> known;  // of wanted.jobs
  projections::job_efficiency fold([&](std::string_view id, std::string_view user) {
    bool named = wanted.jobs.empty();
    for (std::size_t i = 0; i < wanted.jobs.size(); ++i)
      if (is_job(id, wanted.jobs[i])) {
        known.insert(i);
        named = true;
      }
    return named && (wanted.user.empty() || user == wanted.user);
  });
  runs found;
  const auto take = [&](const run_efficiency& r) {
    if (wanted.queue.empty() || r.queue == wanted.queue) found.push_back(r);
  };
  efficiency_told end;
  end.sound = scan(store, 1, wanted.to,
                   {[&](const log::record_ptr& r) {
                      if (const auto run = fold.fold(*r); run && run->ended_sequence >= wanted.from) take(*run);
                      return beside.go_on();
                    },
                    beside.damaged});
  if (!beside.go_on()) return end;
  for (std::size_t i = 0; i < wanted.jobs.size(); ++i)
    if (!known.contains(i)) end.unknown.push_back(i);
  if (!end.unknown.empty()) return end;
  for (const auto& run : fold.open())
    if (run.ended_ns == 0 || run.ended_sequence >= wanted.from) take(run);
  end.runs = found.size();
  print(text_in_form(found, wanted.form));
  return end;
}

}  // namespace annals::audit
