#include "tools/replay/recorded.hpp"

#include <algorithm>
#include <unordered_map>

#include "events/values/duration.hpp"
#include "events/values/job_id.hpp"

namespace annals::replay {

std::string words_of(capnp::List<schema::OccurrencePlace>::Reader places) {
  std::string out;
  for (const auto p : places) {
    constexpr std::int64_t ns_per_second = 1'000'000'000;
    out += out.empty() ? "" : ", ";
    out += schema::str(p.getExecVnode()) + " at " + std::to_string(p.getStartNs() / ns_per_second);
  }
  return out;
}

std::string words_of_refusal(std::string_view reason) { return "refused: " + std::string(reason); }

namespace {

class reading {
 public:
  reading(const range& within, std::vector<recorded_cycle>& into) : within_(within), into_(into) {}

  void take(const log::record& record) {
    const auto event = record.event();
    if (event.isScheduler()) take_scheduler(record, event.getScheduler());
    if (event.isJob()) take_job(record, event.getJob());
    if (event.isReservation()) take_answer(record.get().getStream(), event.getReservation());
  }
  void finish() {
    for (auto& [stream, s] : schedulers_) {
      settle(s, UINT64_MAX);
      if (auto* open = open_of(s)) open->last = true;
    }
    std::erase_if(into_, [](const recorded_cycle& c) { return c.last && !c.ended; });  // it is at work
  }

 private:
  struct start {
    std::uint64_t sequence, job;
    std::string place;
  };
  struct scheduler {
    std::string name;
    bool came = true;
    std::size_t open = SIZE_MAX;                                                  // its last cycle, if that is in the range
    refusals refused;                                                             // of jobs that have not run since
    std::shared_ptr<const refusals> refused_copy;                                 // for the cycles that begin before it changes
    std::set<std::uint64_t> without;                                              // of its last cycle
    std::vector<start> starts;                                                    // since that one began
    std::map<std::uint64_t, std::map<std::uint64_t, std::string>> early_answers;  // by cycle, before its CycleBegan was written
  };

  void take_scheduler(const log::record& record, schema::SchedulerEvent::Reader event) {
    auto& s = schedulers_[record.get().getStream()];
    using which = schema::SchedulerEvent::Which;
    switch (event.which()) {
      case which::CREATED:
        s.name = schema::str(event.getCreated().getName());
        by_name_[s.name] = record.get().getStream();
        break;
      case which::STARTED: s.came = true; break;
      case which::CYCLE_BEGAN: begin(s, record, event.getCycleBegan()); break;
      case which::CYCLE_REASONS: take_reasons(s, event.getCycleReasons()); break;
      case which::PROPOSAL_REFUSED:
        take_refusal(s, event.getProposalRefused());
        break;
      case which::CYCLE_ENDED:
        if (auto* open = open_of(s)) open->ended = true, open->proposed = event.getCycleEnded().getStarted();
        break;
      default: break;
    }
  }

  void take_refusal(scheduler& s, schema::ProposalRefused::Reader refused) {
    const recorded_refusal what{schema::str(refused.getExecVnode()), schema::str(refused.getReason())};
    if (auto* open = open_of(s); open && refused.getCycle() == open->began.get().getNumber())
      open->refused.emplace(refused.getJob(), what);
    s.refused[refused.getJob()] = what;
    s.refused_copy.reset();
  }
  // It ran, or is gone: what is refused from here on is written again.
  void forget_refusals(std::uint64_t job) {
    for (auto& [stream, s] : schedulers_) {
      if (s.refused.erase(job) > 0) s.refused_copy.reset();
    }
  }

  void begin(scheduler& s, const log::record& record, schema::CycleBegan::Reader began) {
    if (auto* open = open_of(s); open && open->began.get().getNumber() == began.getNumber()) {  // it has what programs told
      open->began = schema::copy_of<schema::CycleBegan>(began);
      return;
    }
    settle(s, began.getViewSequence());
    if (began.getWithout().size() == 0) s.without.clear();
    for (const auto job : began.getWithout()) s.without.insert(job);
    if (record.sequence() > within_.to) {
      s.open = SIZE_MAX;
      return;
    }
    auto* old = open_of(s);
    if (old && old->before && record.sequence() < within_.from) *old = {};
    else s.open = into_.size(), into_.emplace_back();
    auto& c = into_[s.open];
    c.scheduler = s.name;
    c.before = record.sequence() < within_.from;
    c.sequence = record.sequence();
    c.wall_ns = record.get().getWallNs();
    c.began = schema::copy_of<schema::CycleBegan>(began);
    c.first = std::exchange(s.came, false);
    if (!s.refused_copy) s.refused_copy = std::make_shared<const refusals>(s.refused);
    c.refused_before = s.refused_copy;
    c.without = s.without;
    c.answers = std::move(s.early_answers[began.getNumber()]);
    s.early_answers.clear();
  }

  void take_answer(std::uint64_t reservation, schema::ReservationEvent::Reader event) {
    const auto keep = [&](std::string_view scheduler, std::uint64_t cycle, std::string words) {
      const auto at = by_name_.find(std::string(scheduler));
      if (at == by_name_.end() || cycle == 0) return;
      auto& s = schedulers_[at->second];
      auto* its = cycle_of(s, cycle);
      (its ? its->answers : s.early_answers[cycle])[reservation] = std::move(words);
    };
    if (event.isConfirmed() || event.isLaterPlaced()) {
      const auto c = event.isConfirmed() ? event.getConfirmed() : event.getLaterPlaced();
      keep(schema::text(c.getScheduler()), c.getCycle(), words_of(c.getOccurrences()));
    } else if (event.isRefused()) {
      const auto r = event.getRefused();
      keep(schema::text(r.getScheduler()), r.getCycle(), words_of_refusal(schema::text(r.getReason())));
    }
  }

  void take_reasons(scheduler& s, schema::CycleReasons::Reader said) {
    auto* open = open_of(s);
    if (!open) return;
    for (const auto job : said.getJobs()) {
      if (job.getText() >= said.getTexts().size()) continue;
      const bool behind = job.getBehind() > 0 && job.getBehind() <= said.getBlockers().size();
      open->reasons[job.getJob()] = {schema::str(said.getTexts()[job.getText()]),
                                     behind ? schema::str(said.getBlockers()[job.getBehind() - 1]) : std::string()};
    }
  }

  void take_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto job = record.get().getStream();
    if (event.isAssigned() || event.isSubjobBegan() || event.isEnded() || event.isForgotten()) forget_refusals(job);
    if (event.isQueued()) note_array(job, event.getQueued());
    if (event.isAssigned()) {
      const auto at = by_name_.find(schema::str(event.getAssigned().getScheduler()));
      if (at == by_name_.end()) return;
      schedulers_[at->second].starts.push_back(
          {record.sequence(), key_of(job),
           place_text(schema::str(event.getAssigned().getExecVnode()), event.getAssigned().getWalltimeSeconds())});
    } else if (event.isVnodesTaken()) {  // a suspended one goes on: whichever scheduler has it
      for (auto& [stream, s] : schedulers_)
        s.starts.push_back({record.sequence(), job, schema::str(event.getVnodesTaken().getExecVnode())});
    }
  }

  void note_array(std::uint64_t job, schema::JobQueued::Reader e) {
    const auto number = e.getNumber();
    if (e.getIndices().size() > 0) arrays_[number] = job;
    if (!values::is_subjob(number)) return;
    if (const auto array = arrays_.find(values::array_of(number)); array != arrays_.end())
      subjobs_[job] = values::subjob_number(array->second, values::index_of(number));
  }
  std::uint64_t key_of(std::uint64_t job) const {
    const auto subjob = subjobs_.find(job);
    return subjob == subjobs_.end() ? job : subjob->second;
  }

  // What a cycle starts may stand before its CycleBegan: jobs and schedulers write their events apart. But the view of the next cycle has
  // all that became of the one before.
  void settle(scheduler& s, std::uint64_t next_view) {
    const auto later = std::find_if(s.starts.begin(), s.starts.end(), [&](const start& at) { return at.sequence > next_view; });
    if (auto* open = open_of(s))
      for (auto at = s.starts.begin(); at != later; ++at) open->started[at->job] = std::move(at->place);
    s.starts.erase(s.starts.begin(), later);
  }

  // Its last one, or one before that: an answer may be written when the next has begun.
  recorded_cycle* cycle_of(const scheduler& s, std::uint64_t number) {
    for (auto i = s.open == SIZE_MAX ? 0 : s.open + 1; i-- > 0;) {
      if (into_[i].scheduler != s.name) continue;
      const auto its = into_[i].began.get().getNumber();
      if (its <= number) return its == number ? &into_[i] : nullptr;
    }
    return nullptr;
  }

  recorded_cycle* open_of(const scheduler& s) { return s.open == SIZE_MAX ? nullptr : &into_[s.open]; }

  const range& within_;
  std::vector<recorded_cycle>& into_;
  std::unordered_map<std::uint64_t, scheduler> schedulers_;  // by stream
  std::unordered_map<std::string, std::uint64_t> by_name_;
  std::unordered_map<std::uint64_t, std::uint64_t> arrays_;   // number -> stream
  std::unordered_map<std::uint64_t, std::uint64_t> subjobs_;  // stream -> job_key
};

}  // namespace

std::uint64_t job_key(schema::ProposeRun::Reader run) {
  return run.getOfArray() ? values::subjob_number(run.getJob(), run.getIndex()) : run.getJob();
}

std::string place_text(std::string exec_vnode, std::uint64_t walltime_seconds) {
  if (walltime_seconds > 0) exec_vnode += " for " + values::print_duration(static_cast<std::int64_t>(walltime_seconds));
  return exec_vnode;
}

ports::store_status read_cycles(const log::log_reader& reader, const range& within, const std::function<bool()>& go_on,
                                std::vector<recorded_cycle>& into) {
  reading r(within, into);
  const auto read = reader.read(1, [&](const log::record_ptr& record) {
    r.take(*record);
    return go_on();
  });
  r.finish();
  std::stable_sort(into.begin(), into.end(), [](const recorded_cycle& a, const recorded_cycle& b) {
    return a.began.get().getViewSequence() < b.began.get().getViewSequence();
  });
  return read;
}

}  // namespace annals::replay
