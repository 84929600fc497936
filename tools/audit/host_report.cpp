#include "tools/audit/host_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "events/values/shown_text.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/scan.hpp"
#include "tools/audit/starts.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;

struct host_count {
  std::uint64_t starts = 0, spoiled = 0, failed_later = 0;
  std::string last_job;
  std::uint32_t last_run = 0;
  host_failure last;
  bool failed() const { return spoiled + failed_later > 0; }
};
using counted = std::pair<std::string, host_count>;

class counting {
 public:
  counting(const ports::event_store& store, const std::function<void(std::uint64_t, const std::string&)>& damaged)
      : reader_(store), names_(reader_), damaged_(damaged) {}

  void take(const log::record& record) {
    if (record.kind() != schema::StreamKind::JOB) return;
    const auto stream = record.get().getStream();
    const auto event = record.event().getJob();
    if (event.isAssigned()) {
      open_[stream] = {};  // what is known of the runs before is counted
      for (auto host : event.getAssigned().getHosts()) ++hosts_[schema::str(host)].starts;
    } else if (!open_.contains(stream)) {
      if (!may_tell_of_failure(event)) return;
      look_up(record);
    }
    for (const auto& told : open_[stream].fold(record)) count(record, told);
    if (event.isEnded() || event.isRequeued()) open_.erase(stream);
  }

  bool sound() const { return sound_; }
  // Worst first.
  std::vector<counted> result(bool all) const {
    std::vector<counted> list;
    for (const auto& h : hosts_)
      if (all || h.second.failed()) list.push_back(h);
    std::stable_sort(list.begin(), list.end(), [](const counted& a, const counted& b) {
      return std::tuple(a.second.spoiled, a.second.failed_later) > std::tuple(b.second.spoiled, b.second.failed_later);
    });
    return list;
  }

 private:
  static bool tells_of_failure(schema::RunEvent::Reader step) {
    return step.isSisterFailed() || (step.isSisterLeft() && step.getSisterLeft().getAbandoned());
  }
  static bool may_tell_of_failure(schema::JobEvent::Reader event) {
    if (event.isRunStep()) return tells_of_failure(event.getRunStep().getStep());
    return event.isStartFailed() || (event.isExited() && !event.getExited().getReported());
  }

  // The run began before what is read.
  void look_up(const log::record& record) {
    auto& starts = open_[record.get().getStream()];
    const auto read = reader_.read_stream(record.get().getStream(), 1, [&](const log::record_ptr& r) {
      if (r->sequence() >= record.sequence()) return false;
      starts.fold(*r);
      return true;
    });
    if (read) return;
    sound_ = false;
    damaged_(record.sequence(), "what came before it in its stream: " + read.text);
  }

  void count(const log::record& record, const told_failure& told) {
    auto& host = hosts_[told.host];
    ++(told.failure.when == failed_when::before_start ? host.spoiled : host.failed_later);
    host.last = told.failure;
    host.last_job = names_.of(record).name;
    host.last_run = told.run;
  }

  const log::log_reader reader_;
  stream_names names_;
  const std::function<void(std::uint64_t, const std::string&)>& damaged_;
  std::unordered_map<std::uint64_t, job_starts> open_;  // by stream: the run that goes on
  std::map<std::string, host_count> hosts_;
  bool sound_ = true;
};

std::string reason_text(const host_count& h) {
  if (!h.failed()) return {};
  std::string text = time_text(h.last.at_ns) + "  " + harmless(h.last_job) + " run " + std::to_string(h.last_run);
  if (h.last.code != 0) text += ", code " + std::to_string(h.last.code);
  return text + (h.last.text.empty() ? "" : ": " + harmless(h.last.text));
}

std::string text_of(const std::vector<counted>& hosts, bool all) {
  if (hosts.empty()) return all ? "no job was started\n" : "no host has failed\n";
  constexpr std::size_t number = 9;
  std::size_t width = 4;
  for (const auto& [name, h] : hosts) width = std::max(width, harmless(name).size());
  const auto line = [&](const std::string& name, const std::string& starts, const std::string& spoiled, const std::string& later,
                        const std::string& last) {
    return padded(name, width) + right(starts, number) + right(spoiled, number) + right(later, number) + (last.empty() ? "" : "  " + last) +
           "\n";
  };
  auto text = line("host", "starts", "spoiled", "later", "the last time");
  for (const auto& [name, h] : hosts)
    text += line(harmless(name), std::to_string(h.starts), std::to_string(h.spoiled), std::to_string(h.failed_later), reason_text(h));
  return text;
}

std::string json_text_of(const std::vector<counted>& hosts) {
  json out{{"hosts", json::array()}};
  for (const auto& [name, h] : hosts) {
    json one{{"host", name}, {"starts", h.starts}, {"spoiled", h.spoiled}, {"failedLater", h.failed_later}};
    if (h.failed())
      one["last"] = {{"atNs", h.last.at_ns}, {"job", h.last_job}, {"run", h.last_run}, {"code", h.last.code}, {"text", h.last.text}};
    out["hosts"].push_back(std::move(one));
  }
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace

bool tell_hosts(const ports::event_store& store, const hosts_wanted& wanted, const std::function<bool(const std::string&)>& print,
                const std::function<bool()>& go_on) {
  const std::function<void(std::uint64_t, const std::string&)> damaged = [&](std::uint64_t sequence, const std::string& what) {
    print(damage_line(sequence, what, wanted.json));
  };
  counting counts(store, damaged);
  const bool sound = scan(store, wanted.from, wanted.to,
                          {[&](const log::record_ptr& r) {
                             counts.take(*r);
                             return go_on();
                           },
                           damaged});
  if (!go_on()) return false;  // half the truth would be a wrong count
  const auto hosts = counts.result(wanted.all);
  print(wanted.json ? json_text_of(hosts) : text_of(hosts, wanted.all));
  return sound && counts.sound();
}

}  // namespace annals::audit
