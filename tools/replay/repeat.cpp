#include "tools/replay/repeat.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "actors/scheduler/cycle_driver.hpp"
#include "events/values/job_id.hpp"
#include "events/values/shown_text.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/scheduling/withheld_jobs.hpp"

namespace annals::replay {

namespace {

struct no_clock : ports::clock {  // only for how long a cycle takes, which is not looked at
  std::int64_t now_ns() const override { return 0; }
};

// One scheduler object: its view as the server would send it, and the driver that takes it in.
class again {
 public:
  again(const projections::status& from, const std::string& name)
      : view_(from, name),
        withheld_(from, view_),
        driver_({.name = name},
                {.send = [this](const auto& m) { sent_.push_back(m); },
                 .log = [](auto, auto, auto, auto) {},
                 .clock = &clock_,
                 .has_program = [this](const auto& command) { return told_by(command) != nullptr; },
                 .run_program = [this](const auto& command, auto) { return answer_of(command); }}) {}

  void apply(const log::record& record) {
    view_.apply(record);
    withheld_.folded(record);
  }

  // Nothing: the policy is not there. Else what the driver said.
  using messages = std::vector<actors::cycle_driver::message>;
  std::optional<messages> run(const recorded_cycle& c, const log::log_reader& reader) {
    scripts_said_.clear();
    for (const auto d : c.began.get().getDynamic()) scripts_said_[schema::str(d.getResource())] = schema::str(d.getValue());
    if (!set_policy(schema::bytes_of(c.began.get().getPolicy().getHash()), reader)) return std::nullopt;
    const auto began = c.began.get();
    const auto wall_ns = began.getWallNs() > 0 ? began.getWallNs() : c.wall_ns;
    withheld_.time_is(wall_ns);
    if (c.first || !greeted_) driver_.connected(), hear(view_.full_view());
    else hear(view_.take_delta());
    greeted_ = true;
    give_whole_view_if_wanted();
    sent_.clear();
    tell([&](schema::ToScheduler::Builder m) {
      auto start = m.initCycle();
      start.setNumber(began.getNumber());
      start.setTrigger(began.getTrigger());
      start.setViewSequence(driver_.view().sequence());
      start.setWallNs(wall_ns);
      auto without = start.initWithout(static_cast<unsigned>(c.without.size()));
      for (unsigned i = 0; const auto job : c.without) without.set(i++, job);
    });
    return std::exchange(sent_, {});
  }

  // The server did not let it run: nothing will be said of it, and the scheduler has its place again.
  void withdraw(std::uint64_t job, const recorded_cycle& c) {
    tell([&](schema::ToScheduler::Builder m) {
      auto r = m.initRefused();
      r.setJob(job);
      r.setCycle(c.began.get().getNumber());
      r.setReason(why_refused(c, job));
    });
    give_whole_view_if_wanted();  // of a job whose victims did not go
  }

 private:
  static std::string why_refused(const recorded_cycle& c, std::uint64_t job) {
    if (const auto now = c.refused.find(job); now != c.refused.end()) return now->second.why;
    const auto before = c.refused_before ? c.refused_before->find(job) : refusals::const_iterator();
    return c.refused_before && before != c.refused_before->end() ? before->second.why : std::string();
  }

  bool set_policy(schema::byte_span hash, const log::log_reader& reader) {
    const std::string wanted(reinterpret_cast<const char*>(hash.data()), hash.size());
    if (greeted_ && wanted == policy_) return true;
    const auto bytes = reader.blobs().read_blob(wanted);
    if (!bytes) return false;
    std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    scripts_ = cycle::parse_policy(text).value.dynamic_resources;
    driver_.set_policy(std::move(text), wanted);
    policy_ = wanted;
    return true;
  }

  // What a server_dyn_res script said to the recorded cycle; nullptr: nothing.
  const std::string* told_by(const std::string& command) const {
    for (const auto& d : scripts_)
      if (const auto said = scripts_said_.find(d.resource); d.script == command && said != scripts_said_.end()) return &said->second;
    return nullptr;
  }
  actors::script_answer answer_of(const std::string& command) const {
    const auto* said = told_by(command);
    actors::script_answer answer;
    answer.what = said ? actors::script_answer::kind::told : actors::script_answer::kind::missing;
    if (said) answer.line = *said;
    return answer;
  }

  void give_whole_view_if_wanted() {
    for (const auto& m : std::exchange(sent_, {}))
      if (m.get().isFullView()) return hear(view_.full_view());
  }

  template <class Fill>
  void tell(Fill&& fill) { driver_.received(*schema::make<schema::ToScheduler>(std::forward<Fill>(fill))); }
  void hear(const std::vector<projections::scheduling_projection::message>& view) {
    for (const auto& m : view) driver_.received(m.get());
  }

  projections::scheduling_projection view_;
  projections::withheld_jobs withheld_;
  no_clock clock_;
  messages sent_;
  actors::cycle_driver driver_;
  std::string policy_;
  std::vector<cycle::dynamic_resource> scripts_;
  std::map<std::string, std::string> scripts_said_;  // by resource
  bool greeted_ = false;
};

class repeating {
 public:
  repeating(const log::log_reader& reader, repeat_outcome& out) : reader_(reader), out_(out) {}

  void run(const recorded_cycle& c) {
    auto& scheduler = scheduler_of(c.scheduler);
    if (c.before) return recall(c, scheduler);
    ++out_.cycles;
    if (!c.ended) return leave_out(c, "it never ended");
    const auto said = scheduler.run(c, reader_);
    if (!said) return leave_out(c, "its policy is not in the log");
    const auto differing = out_.differing;
    compare_answers(c, *said);
    compare_runs(c, *said);
    withdraw_what_did_not_start(c, *said, scheduler);
    compare_reasons(c, *said);
    out_.same += out_.differing == differing;
  }

  // A server has a session for each scheduler from its creation on, and knows by it which jobs wait for something.
  void fold(const log::record& record) {
    now_.fold(record);
    const auto event = record.event();
    if (schema::is(event, schema::SchedulerEvent::CREATED)) scheduler_of(schema::str(event.getScheduler().getCreated().getName()));
    for (auto& [name, scheduler] : schedulers_) scheduler->apply(record);
  }
  std::uint64_t sequence() const { return now_.sequence(); }

 private:
  again& scheduler_of(const std::string& name) {
    auto& s = schedulers_[name];
    if (!s) s = std::make_unique<again>(now_, name);
    return *s;
  }

  // What a scheduler has said is not said again, and a whole view does not tell what its jobs were said to wait behind.
  void recall(const recorded_cycle& c, again& scheduler) {
    if (!c.ended) return;
    if (const auto said = scheduler.run(c, reader_)) withdraw_what_did_not_start(c, *said, scheduler);
  }
  static void withdraw_what_did_not_start(const recorded_cycle& c, const again::messages& said, again& scheduler) {
    for (const auto& m : said)
      if (m.get().isRun() && !c.started.contains(job_key(m.get().getRun())))
        scheduler.withdraw(m.get().getRun().getJob(), c);
  }

  void leave_out(const recorded_cycle& c, std::string why) {
    ++out_.not_repeated;
    keep({c.sequence, c.scheduler, c.began.get().getNumber(), {}, std::move(why), {}});
  }
  void keep(difference d) {
    if (out_.differences.size() < differences_kept_max) out_.differences.push_back(std::move(d));
  }
  void differs(const recorded_cycle& c, std::uint64_t job, std::string recorded, std::string now) {
    const auto state = now_.job(values::array_of(job));
    const auto reservation = now_.reservations().find(job);
    const auto of_job = [&] { return values::is_subjob(job) ? cycle::subjob_id(state->id, values::index_of(job)) : state->id; };
    auto id = state ? of_job() : reservation != now_.reservations().end() ? reservation->second.id
                                                                          : "#" + std::to_string(job);
    ++out_.differing;
    keep({c.sequence, c.scheduler, c.began.get().getNumber(), std::move(id), std::move(recorded), std::move(now)});
  }

  // An answer that the server did not take, since the reservation was changed meanwhile, is not in the log.
  void compare_answers(const recorded_cycle& c, const again::messages& said) {
    auto recorded = c.answers;
    for (const auto& m : said) {
      if (!m.get().isReservation()) continue;
      const auto a = m.get().getReservation();
      ++out_.answers;
      const auto at = recorded.find(a.getReservation());
      if (at == recorded.end()) continue;
      const auto now = a.isConfirmed() ? replay::words_of(a.getConfirmed()) : words_of_refusal(schema::text(a.getRefused()));
      if (at->second != now) differs(c, a.getReservation(), at->second, now);
      recorded.erase(at);
    }
    for (const auto& [reservation, words] : recorded) differs(c, reservation, words, "nothing said");
  }

  // The log says once what is refused in the same words in each cycle.
  static bool refused_again(const recorded_cycle& c, schema::ProposeRun::Reader run) {
    if (!c.refused_before || c.started.contains(job_key(run)) || c.refused.contains(run.getJob())) return false;
    const auto before = c.refused_before->find(run.getJob());
    return before != c.refused_before->end() && (run.getOfArray() || before->second.exec_vnode == schema::text(run.getExecVnode()));
  }

  void compare_runs(const recorded_cycle& c, const again::messages& said) {
    auto recorded = c.started;
    for (const auto& [job, refusal] : c.refused) recorded.emplace(job, refusal.exec_vnode);
    for (const auto& m : said)
      if (m.get().isRun() && refused_again(c, m.get().getRun()))
        recorded.emplace(m.get().getRun().getJob(), schema::str(m.get().getRun().getExecVnode()));
    std::set<std::uint64_t> refused_arrays;
    // Runs by hand (qrun) stand among those that the cycle proposed.
    auto by_hand = recorded.size() > c.proposed ? recorded.size() - c.proposed : 0;
    for (const auto& m : said) {
      if (!m.get().isRun()) continue;
      const auto run = m.get().getRun();
      ++out_.proposals;
      const auto job = job_key(run);
      const bool started = c.started.contains(job);                           // of one that was refused no walltime is known
      if (run.getOfArray() && !started && recorded.contains(run.getJob())) {  // which of its subjobs was refused is not in the log
        refused_arrays.insert(run.getJob());
        continue;
      }
      const auto place = place_text(schema::str(run.getExecVnode()),
                                    !started && (c.refused.contains(run.getJob()) || refused_again(c, run)) ? 0 : run.getWalltimeSeconds());
      const auto at = recorded.find(job);
      if (at == recorded.end()) {
        if (!c.last) differs(c, job, "not started", "on " + place);
      } else if (at->second != place)
        differs(c, job, "on " + at->second, "on " + place);
      if (at != recorded.end()) recorded.erase(at);
    }
    for (const auto array : refused_arrays) recorded.erase(array);
    for (const auto& [job, vnode] : recorded) {
      if (by_hand > 0) --by_hand;
      else differs(c, job, "on " + vnode, "not started");
    }
  }

  static std::string words_of(const recorded_reason& r) { return r.comment + (r.behind.empty() ? "" : " (behind " + r.behind + ")"); }

  void compare_reasons(const recorded_cycle& c, const again::messages& said) {
    auto recorded = c.reasons;
    for (const auto& m : said) {
      if (!m.get().isReasons()) continue;
      const auto r = m.get().getReasons();
      for (const auto job : r.getJobs()) {
        ++out_.reasons;
        const recorded_reason now{schema::str(r.getTexts()[job.getText()]),
                                  job.getBehind() > 0 ? schema::str(r.getBlockers()[job.getBehind() - 1]) : std::string()};
        const auto at = recorded.find(job.getJob());
        if (at == recorded.end()) differs(c, job.getJob(), "nothing new said", words_of(now));
        else if (at->second != now) differs(c, job.getJob(), words_of(at->second), words_of(now));
        if (at != recorded.end()) recorded.erase(at);
      }
    }
    for (const auto& [job, reason] : recorded) differs(c, job, words_of(reason), "nothing new said");
  }

  const log::log_reader& reader_;
  repeat_outcome& out_;
  projections::status now_;
  std::map<std::string, std::unique_ptr<again>> schedulers_;
};

}  // namespace

repeat_outcome repeat(const log::log_reader& reader, const range& within, const std::string& scheduler,
                      const std::function<bool()>& go_on) {
  repeat_outcome out;
  std::vector<recorded_cycle> cycles;
  if (const auto read = read_cycles(reader, within, go_on, cycles); !read) out.trouble = read.text;
  if (!scheduler.empty()) std::erase_if(cycles, [&](const auto& c) { return c.scheduler != scheduler; });
  repeating r(reader, out);
  auto next = cycles.begin();
  const auto run_due = [&] {
    for (; next != cycles.end() && next->began.get().getViewSequence() <= r.sequence(); ++next) r.run(*next);
  };
  const auto read = reader.read(1, [&](const log::record_ptr& record) {
    if (next == cycles.end() || !go_on()) return false;
    r.fold(*record);
    run_due();
    return true;
  });
  if (!read && out.trouble.empty()) out.trouble = read.text;
  return out;
}

std::string repeat_text(const repeat_outcome& outcome, std::size_t differences_max) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string text = number(outcome.cycles) + " cycles: " + number(outcome.same) + " decided as recorded, " +
                     number(outcome.cycles - outcome.same - outcome.not_repeated) + " otherwise, " + number(outcome.not_repeated) +
                     " could not be repeated\n" + number(outcome.proposals) + " runs and " + number(outcome.reasons) +
                     " reasons compared: " + number(outcome.differing) + " differ\n";
  if (outcome.answers > 0) text += number(outcome.answers) + " answers about reservations\n";
  for (std::size_t i = 0; i < outcome.differences.size() && i < differences_max; ++i) {
    const auto& d = outcome.differences[i];
    text += "#" + number(d.sequence) + " cycle " + number(d.cycle) + " of " + d.scheduler + ": ";
    text += d.job.empty() ? d.recorded : d.job + ": recorded: " + d.recorded + "; now: " + d.now;
    text += "\n";
  }
  if (outcome.differences.size() > differences_max) text += "and more: --json names them\n";
  return text;
}

std::string repeat_json(const repeat_outcome& outcome) {
  using json = nlohmann::ordered_json;
  json out{{"cycles", outcome.cycles},
           {"same", outcome.same},
           {"notRepeated", outcome.not_repeated},
           {"runs", outcome.proposals},
           {"reasons", outcome.reasons},
           {"answers", outcome.answers},
           {"differing", outcome.differing}};
  out["differences"] = json::array();
  for (const auto& d : outcome.differences) {
    json one{{"sequence", d.sequence}, {"scheduler", d.scheduler}, {"cycle", d.cycle}};
    if (!d.job.empty()) one["job"] = d.job;
    one["recorded"] = d.recorded;
    if (!d.job.empty()) one["now"] = d.now;
    out["differences"].push_back(std::move(one));
  }
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace annals::replay
