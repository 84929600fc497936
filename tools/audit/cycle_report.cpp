#include "tools/audit/cycle_report.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/values/duration.hpp"
#include "events/values/shown_text.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/scan.hpp"
#include "tools/audit/stream_names.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;

struct place_of_job {
  std::uint64_t job = 0, sequence = 0;
  std::string exec_vnode, reason;  // reason: of a refused one
  std::uint64_t walltime = 0;      // that the run was given; 0: what the job asks for
  bool resumes = false;            // a suspended one that took its vnodes again
};
struct waiting_job {
  std::uint64_t job = 0;
  std::string behind;
};
// A comment with its data, and who has it.
struct told_reason {
  std::string comment;
  json data = json::object();
  std::vector<waiting_job> jobs;
};
struct cycle_story {
  log::record_ptr began, ended;
  std::vector<place_of_job> started, refused;
  std::vector<told_reason> reasons;
  std::map<std::pair<std::string, std::string>, std::size_t> reason_at;  // comment and data
};

std::string kind_text(schema::Why::Kind kind) {
  constexpr const char* names[] = {"other", "resources", "pool", "limit", "queue", "prime_time",
                                   "dedicated_time", "order", "booked", "formula", "shares", "preemption"};
  const auto at = static_cast<std::size_t>(kind);
  return at < std::size(names) ? names[at] : "other";
}

json data_of(schema::Why::Reader why) {
  json data = json::object();
  const auto put = [&](const char* name, capnp::Text::Reader value) {
    if (value.size() > 0) data[name] = schema::str(value);
  };
  if (why.getKind() != schema::Why::Kind::OTHER) data["kind"] = kind_text(why.getKind());
  put("resource", why.getResource());
  put("asked", why.getAsked());
  put("free", why.getFree());
  put("total", why.getTotal());
  for (const auto vnode : why.getVnodes()) data["vnodes"].push_back(schema::str(vnode));
  put("limit", why.getLimit());
  put("owner", why.getOwner());
  put("count", why.getCount());
  return data;
}

// Reads the records up to the next cycle of the same scheduler.
class reading {
 public:
  explicit reading(const cycle_wanted& wanted) : wanted_(wanted) {}

  // False: the cycle is over.
  bool take(const log::record_ptr& record) {
    const auto event = record->event();
    if (event.isJob()) return take_job(*record, event.getJob());
    if (!event.isScheduler()) return true;
    const auto e = event.getScheduler();
    const auto stream = record->get().getStream();
    if (e.isCreated() && schema::text(e.getCreated().getName()) == wanted_.scheduler) stream_ = stream;
    if (stream != stream_) return true;
    if (e.isCycleBegan()) {
      const auto view = e.getCycleBegan().getViewSequence();
      if (story_ && e.getCycleBegan().getNumber() == wanted_.number) {  // with what programs told
        story_->began = record;
        return true;
      }
      if (story_) return cut_starts(view), false;
      std::erase_if(starts_, [&](const place_of_job& s) { return s.sequence <= view; });
      if (e.getCycleBegan().getNumber() == wanted_.number) story_.emplace(cycle_story{record, nullptr, std::move(starts_), {}, {}, {}});
    }
    if (!story_) return true;
    if (e.isCycleReasons()) take_reasons(e.getCycleReasons());
    if (e.isProposalRefused() && e.getProposalRefused().getCycle() == wanted_.number) {
      const auto r = e.getProposalRefused();
      story_->refused.push_back({r.getJob(), record->sequence(), schema::str(r.getExecVnode()), schema::str(r.getReason())});
    }
    if (e.isCycleEnded()) story_->ended = record;
    return true;
  }
  const std::optional<cycle_story>& story() const { return story_; }

 private:
  // Who takes vnodes again was started by the same scheduler before.
  bool take_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto job = record.get().getStream();
    auto& starts = story_ ? story_->started : starts_;
    if (event.isEnded()) {
      its_jobs_.erase(job);
    } else if (event.isAssigned()) {
      const auto e = event.getAssigned();
      if (schema::text(e.getScheduler()) != wanted_.scheduler) return its_jobs_.erase(job), true;
      its_jobs_.insert(job);
      starts.push_back({job, record.sequence(), schema::str(e.getExecVnode()), {}, e.getWalltimeSeconds()});
    } else if (event.isVnodesTaken() && its_jobs_.contains(job)) {
      starts.push_back({job, record.sequence(), schema::str(event.getVnodesTaken().getExecVnode()), {}, 0, true});
    }
    return true;
  }

  // A start may stand before the beginning of its cycle; the view of the next cycle has all of the one before.
  void cut_starts(std::uint64_t next_view) {
    std::erase_if(story_->started, [&](const place_of_job& s) { return s.sequence > next_view; });
  }

  void take_reasons(schema::CycleReasons::Reader said) {
    std::vector<std::size_t> at;
    for (unsigned i = 0; i < said.getTexts().size(); ++i) {
      auto data = i < said.getWhys().size() ? data_of(said.getWhys()[i]) : json::object();
      const auto comment = schema::str(said.getTexts()[i]);
      const auto [known, is_new] = story_->reason_at.try_emplace({comment, data.dump(-1, ' ', false, json::error_handler_t::replace)},
                                                                 story_->reasons.size());
      if (is_new) story_->reasons.push_back({comment, std::move(data), {}});
      at.push_back(known->second);
    }
    for (const auto job : said.getJobs()) {
      if (job.getText() >= at.size()) continue;
      const auto behind = job.getBehind();
      const bool known = behind > 0 && behind <= said.getBlockers().size();
      story_->reasons[at[job.getText()]].jobs.push_back(
          {job.getJob(), known ? schema::str(said.getBlockers()[behind - 1]) : std::string()});
    }
  }

  const cycle_wanted& wanted_;
  std::uint64_t stream_ = 0;
  std::unordered_set<std::uint64_t> its_jobs_;  // that the scheduler started last
  std::vector<place_of_job> starts_;            // since the last cycle looked, until the wanted one begins
  std::optional<cycle_story> story_;
};

class job_names {
 public:
  explicit job_names(const ports::event_store& store) : reader_(store) {}
  const std::string& of(std::uint64_t job) {
    const auto known = known_.try_emplace(job);
    auto& name = known.first->second;
    if (!known.second) return name;
    name = "#" + std::to_string(job);  // its beginning can't be read
    (void)reader_.read_stream(job, 1, [&](const log::record_ptr& r) {
      name = subject_of(*r).name;
      return false;
    });
    return name;
  }

 private:
  const log::log_reader reader_;
  std::unordered_map<std::uint64_t, std::string> known_;
};

constexpr std::size_t jobs_shown_max = 20;  // of one reason, as text

// A cycle names only jobs that the one before it could not run; it is without those of the cycles before that, too.
std::string without_text(schema::CycleBegan::Reader began, job_names& names) {
  std::string out;
  for (const auto job : began.getWithout()) out += (out.empty() ? "  without   " : ", ") + harmless(names.of(job));
  return out.empty() ? out : out + ": the cycle before could not run them\n";
}

std::string began_text(const cycle_story& story, const cycle_wanted& wanted, job_names& names) {
  const auto e = story.began->event().getScheduler().getCycleBegan();
  std::string out = "cycle " + std::to_string(wanted.number) + " of scheduler " + harmless(wanted.scheduler) + "\n";
  out += "  began     " + time_text(story.began->get().getWallNs()) + "  #" + std::to_string(story.began->sequence());
  if (e.getTrigger().size() > 0) out += "  because of: " + harmless(schema::text(e.getTrigger()));
  out += "\n  decided   on the view of #" + std::to_string(e.getViewSequence());
  if (e.getWallNs() > 0) out += " for " + time_text(e.getWallNs());
  out += "\n  policy    SHA-256 " + hex(schema::bytes_of(e.getPolicy().getHash())) + ", " + std::to_string(e.getPolicy().getSize()) +
         " bytes\n";
  for (const auto d : e.getDynamic()) out += "  script    " + harmless(attribute_text(d)) + "\n";
  out += without_text(e, names);
  if (!story.ended) return out + "  ended     never\n";
  const auto end = story.ended->event().getScheduler().getCycleEnded();
  return out + "  ended     " + time_text(story.ended->get().getWallNs()) + "  #" + std::to_string(story.ended->sequence()) +
         "  considered " + std::to_string(end.getConsidered()) + ", proposed " + std::to_string(end.getStarted()) + ", " +
         std::to_string(end.getElapsedUs()) + " us\n";
}

std::string reason_text(const told_reason& reason, job_names& names) {
  std::string out =
      "  " + std::to_string(reason.jobs.size()) + (reason.jobs.size() == 1 ? " job: " : " jobs: ") + harmless(reason.comment) + "\n    ";
  for (std::size_t i = 0; i < reason.jobs.size() && i < jobs_shown_max; ++i) {
    out += (i ? ", " : "") + harmless(names.of(reason.jobs[i].job));
    if (!reason.jobs[i].behind.empty()) out += " (behind " + harmless(reason.jobs[i].behind) + ")";
  }
  if (reason.jobs.size() > jobs_shown_max)
    out += " and " + std::to_string(reason.jobs.size() - jobs_shown_max) + " more (--json names them)";
  out += "\n";
  if (!reason.data.empty()) {
    out += "    ";
    const char* before = "";
    for (const auto& [name, value] : reason.data.items()) {
      out += std::exchange(before, ", ") + name + " ";
      if (value.is_string()) out += harmless(value.get<std::string>());
      else
        for (const auto& v : value) out += (&v == &value.front() ? "" : " ") + harmless(v.get<std::string>());
    }
    out += "\n";
  }
  return out;
}

std::string walltime_text(const place_of_job& s) {
  return s.walltime == 0 ? "" : " for " + values::print_duration(static_cast<std::int64_t>(s.walltime));
}

std::string story_text(const cycle_story& story, const cycle_wanted& wanted, job_names& names) {
  std::string out = began_text(story, wanted, names);
  if (!story.started.empty()) out += "started\n";
  for (const auto& s : story.started)
    out += "  " + harmless(names.of(s.job)) + (s.resumes ? " goes on with " : " on ") + harmless(s.exec_vnode) + walltime_text(s) + "  #" +
           std::to_string(s.sequence) + "\n";
  if (!story.refused.empty()) out += "proposed, and refused\n";
  for (const auto& r : story.refused)
    out += "  " + harmless(names.of(r.job)) + " on " + harmless(r.exec_vnode) + ": " + harmless(r.reason) + "  #" +
           std::to_string(r.sequence) + "\n";
  if (!story.reasons.empty()) out += "newly said of jobs that wait\n";
  for (const auto& reason : story.reasons) out += reason_text(reason, names);
  return out;
}

std::string story_json(const cycle_story& story, const cycle_wanted& wanted, job_names& names) {
  const auto e = story.began->event().getScheduler().getCycleBegan();
  json out{{"scheduler", wanted.scheduler},
           {"cycle", wanted.number},
           {"sequence", story.began->sequence()},
           {"began", story.began->get().getWallNs()},
           {"trigger", schema::str(e.getTrigger())},
           {"viewSequence", e.getViewSequence()},
           {"decidedFor", e.getWallNs()},
           {"policy", hex(schema::bytes_of(e.getPolicy().getHash()))}};
  for (const auto d : e.getDynamic()) out["dynamic"][schema::str(d.getResource())] = schema::str(d.getValue());
  for (const auto job : e.getWithout()) out["without"].push_back(names.of(job));
  if (story.ended) {
    const auto end = story.ended->event().getScheduler().getCycleEnded();
    out["ended"] = story.ended->get().getWallNs();
    out["considered"] = end.getConsidered();
    out["proposed"] = end.getStarted();
    out["elapsedUs"] = end.getElapsedUs();
  }
  out["started"] = out["refused"] = out["reasons"] = json::array();
  for (const auto& s : story.started) {
    json one{{"job", names.of(s.job)}, {"execVnode", s.exec_vnode}, {"sequence", s.sequence}};
    if (s.walltime > 0) one["walltime"] = s.walltime;
    if (s.resumes) one["resumes"] = true;
    out["started"].push_back(std::move(one));
  }
  for (const auto& r : story.refused)
    out["refused"].push_back({{"job", names.of(r.job)}, {"execVnode", r.exec_vnode}, {"why", r.reason}, {"sequence", r.sequence}});
  for (const auto& reason : story.reasons) {
    json one{{"comment", reason.comment}};
    one.update(reason.data);
    one["count"] = reason.jobs.size();
    for (const auto& job : reason.jobs) {
      one["jobs"].push_back(names.of(job.job));
      if (!job.behind.empty()) one["behind"][names.of(job.job)] = job.behind;
    }
    out["reasons"].push_back(std::move(one));
  }
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace

cycle_told tell_cycle(const ports::event_store& store, const cycle_wanted& wanted, const std::function<bool(const std::string&)>& print,
                      const std::function<bool()>& go_on) {
  reading read(wanted);
  cycle_told told;
  told.sound = scan(store, 1, store.last_sequence(),
                    {[&](const log::record_ptr& r) { return read.take(r) && go_on(); },
                     [&](std::uint64_t sequence, const std::string& what) {
                       print(damage_line(sequence, what, wanted.json));
                     }});
  told.found = read.story().has_value();
  if (!told.found) return told;
  job_names names(store);
  print(wanted.json ? story_json(*read.story(), wanted, names) : story_text(*read.story(), wanted, names));
  return told;
}

}  // namespace annals::audit
