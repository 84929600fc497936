#include "tools/audit/startup_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

#include "events/values/shown_text.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/starts.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t time_width = 12;

// "2.250 s"
std::string seconds_text(std::int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(ns) / 1e9);
  return text;
}

// Since the host's part of the start began: the first host is assigned the run, the others are asked by it.
std::string since(const job_start& start, const host_part& part, std::int64_t at_ns) {
  if (at_ns == 0) return "-";
  const bool first = &part == start.hosts.data();
  return seconds_text(at_ns - (first || start.asked_ns == 0 ? start.assigned_ns : start.asked_ns));
}

std::string joined_text(const job_start& start, const host_part& part) {
  if (&part == start.hosts.data()) return "first host";
  if (part.joined_ns != 0) return since(start, part, part.joined_ns);
  if (!part.asked) return "not asked";
  return start.end == start_end::on_its_way && !part.failure ? "waited for" : "no";
}

std::string_view when_text(failed_when when) {
  switch (when) {
    case failed_when::before_start: return "before the program started";
    case failed_when::while_running: return "while the program ran";
    case failed_when::at_the_end: return "given up at the end";
  }
  return {};
}

std::string failure_text(const host_part& part) {
  const auto& f = *part.failure;
  const bool after_let_go = f.when == failed_when::at_the_end && part.let_go_ns != 0;
  std::string text(after_let_go ? "given up after it was let go" : when_text(f.when));
  if (f.borne) text += ", borne";
  if (f.code != 0) text += ", code " + std::to_string(f.code);
  return text + (f.text.empty() ? "" : ": " + harmless(f.text));
}

std::string end_text(const job_start& start) {
  const auto after = seconds_text(start.end_ns - start.assigned_ns);
  switch (start.end) {
    case start_end::on_its_way: return "on its way";
    case start_end::started: return "started after " + after;
    case start_end::failed:
      return "did not start, code " + std::to_string(start.code) + " after " + after +
             (start.text.empty() ? "" : ": " + harmless(start.text));
    case start_end::lost: return "lost after " + after + ", before anybody knew that it had started";
    case start_end::given_up: return "given up by force after " + after + ", before anybody knew that it had started";
  }
  return {};
}

std::string hosts_text(const job_start& start) {
  if (start.hosts.size() == 1) return harmless(start.hosts.front().host);
  return std::to_string(start.hosts.size()) + " hosts";
}

std::string table_text(const job_start& start) {
  std::size_t width = 4;
  for (const auto& part : start.hosts) width = std::max(width, harmless(part.host).size());
  const auto line = [&](const std::string& host, const std::vector<std::string>& times, const std::string& why) {
    std::string text = "  " + padded(host, width);
    for (const auto& time : times) text += right(time, time_width);
    return text + (why.empty() ? "" : "  " + why) + "\n";
  };
  auto text = line("host", {"joined", "prologue", "failed", "let go", "left"}, "");
  for (const auto& part : start.hosts)
    text +=
        line(harmless(part.host),
             {joined_text(start, part), since(start, part, part.prologue_ns), since(start, part, part.failure ? part.failure->at_ns : 0),
              since(start, part, part.let_go_ns), since(start, part, part.left_ns)},
             part.failure ? failure_text(part) : std::string());
  return text;
}

std::string start_text(const job_start& start) {
  std::string text = "run " + std::to_string(start.run) + "  from " + time_text(start.assigned_ns) + " on " + hosts_text(start);
  if (const auto word = start.tolerates.word(); !word.empty()) text += ", tolerate_node_failures=" + harmless(word);
  if (const auto by = start.tolerates.implied_by(); !by.empty()) text += " by " + std::string(by);
  text += ": " + end_text(start);
  if (const auto n = start.borne()) text += ", " + std::to_string(n) + (n == 1 ? " failure borne" : " failures borne");
  if (const auto n = start.let_go()) text += ", " + std::to_string(n) + (n == 1 ? " host let go" : " hosts let go");
  if (start.exit_status) text += ", exit status " + std::to_string(*start.exit_status);
  return text + "\n" + (start.hosts.size() > 1 ? table_text(start) : std::string());
}

std::string text_of(const job_starts& job) {
  std::string text = "job " + harmless(job.id()) + "\n";
  if (job.starts().empty()) text += "it has not run\n";
  for (const auto& start : job.starts()) text += start_text(start);
  return text;
}

json json_of(const host_part& part) {
  json h{{"host", part.host}};
  if (part.joined_ns != 0) h["joinedNs"] = part.joined_ns;
  if (part.prologue_ns != 0) h["prologueNs"] = part.prologue_ns;
  if (part.failure) {
    constexpr const char* when[] = {"beforeStart", "whileRunning", "atTheEnd"};
    const auto& f = *part.failure;
    h["failed"] = {
        {"when", when[static_cast<std::size_t>(f.when)]}, {"atNs", f.at_ns}, {"code", f.code}, {"text", f.text}, {"borne", f.borne}};
  }
  if (part.let_go_ns != 0) h["letGoNs"] = part.let_go_ns;
  if (part.left_ns != 0) h["leftNs"] = part.left_ns;
  return h;
}

json json_of(const job_start& start) {
  constexpr const char* ends[] = {"onItsWay", "started", "failed", "lost", "givenUp"};
  json s{{"run", start.run}, {"assignedNs", start.assigned_ns}};
  if (const auto word = start.tolerates.word(); !word.empty()) s["tolerateNodeFailures"] = word;
  if (const auto by = start.tolerates.implied_by(); !by.empty()) s["toleranceImpliedBy"] = by;
  if (start.asked_ns != 0) s["askedNs"] = start.asked_ns;
  if (start.join_over_ns != 0) s["joinWaitEndedNs"] = start.join_over_ns;
  s["end"] = ends[static_cast<std::size_t>(start.end)];
  if (start.end != start_end::on_its_way) s["endNs"] = start.end_ns;
  if (start.end == start_end::failed) {
    s["code"] = start.code;
    s["text"] = start.text;
  }
  if (start.exit_status) s["exitStatus"] = *start.exit_status;
  s["hosts"] = json::array();
  for (const auto& part : start.hosts) s["hosts"].push_back(json_of(part));
  return s;
}

std::string json_text_of(const job_starts& job) {
  json out{{"job", job.id()}, {"starts", json::array()}};
  for (const auto& start : job.starts()) out["starts"].push_back(json_of(start));
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace

jobs_told tell_startup(const ports::event_store& store, const values::job_id& job, bool as_json,
                       const std::function<bool(const std::string&)>& print, const std::function<bool()>& go_on) {
  return tell_jobs<job_starts>(store, job, as_json, print, go_on,
                               [as_json](const job_starts& j) { return as_json ? json_text_of(j) : text_of(j); });
}

}  // namespace annals::audit
