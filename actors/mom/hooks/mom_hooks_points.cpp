// The points of a run (hook_points.hpp): the events of each come one after another.
#include <caf/send.hpp>

#include <utility>

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/hooks/mom_hooks.hpp"
#include "actors/mom/host/start_order.hpp"
#include "actors/mom/runs/release_plan.hpp"

namespace annals::actors {

namespace {

// A job's other hosts hear of it from its first one, perhaps before the server has told them of new hooks.
constexpr std::int64_t first_word_ns = 10'000'000'000;

bool comes_before_program(hook_point point) { return point <= hook_point::launch; }

// RS-86, RS-87: when nobody is asked to join any more, on the first host and before the program, not before a task beside it.
bool may_release(const at_hook_point& at) {
  const bool in_time = at.point == hook_point::prologue || at.point == hook_point::launch;
  return in_time && at.job.primary && at.job.started && !at.program.is_task;
}

// As the MoM's log keeps it: what the worker was given stands in the server's.
schema::sealed<schema::HookRun> without_request(schema::HookRun::Reader r) {
  return schema::make<schema::HookRun>([&](schema::HookRun::Builder to) {
    to.setHook(r.getHook());
    to.setEvent(r.getEvent());
    to.setVerdict(r.getVerdict());
    to.setMessage(r.getMessage());
    to.setDurationUs(r.getDurationUs());
    to.setCode(r.getCode());
    to.setConfig(r.getConfig());
    to.setReply(r.getReply());
    to.setPacked(r.getPacked());
  });
}

using answerer = std::function<hooks::sealed_answer(const hooks::sealed_question&)>;
using asker = std::function<void(hooks::sealed_question, hooks::hook_run::answer_to)>;

// Of a release this host knows the answer; the rest is the server's.
asker answers_releases(answerer answer, asker others) {
  return [answer = std::move(answer), others = std::move(others)](const hooks::sealed_question& question,
                                                                  const hooks::hook_run::answer_to& to) {
    if (question.get().isReleaseNodes()) to(answer(question));
    else others(question, to);
  };
}

// A hook that runs for a later task of the job gets the job as it is (RS-111).
answerer keeps_all(const hooks::hook_object& job) {
  return [job](const hooks::sealed_question&) {
    return schema::make<hooks::protocol::Answer>([&](hooks::protocol::Answer::Builder a) { hooks::fill(job, a.initObject()); });
  };
}

}  // namespace

struct mom_hooks::stages {
  at_hook_point at;
  hook_point_passed result;
  hooks::hook_object job;  // as the events before left it
  std::size_t next = 0;
  std::shared_ptr<release_plan> releases;
};

void mom_hooks::at_point(at_hook_point at) {
  if (at.point != hook_point::begin || !installed_.must_wait()) return start_now(std::move(at));
  starts_.push_back({std::move(at), wait_until_ns()});
}

// For hooks that are on their way as long as sync_mom_hookfiles_timeout says; before that, for the server to say whether there
// are any.
std::int64_t mom_hooks::wait_until_ns() const {
  return parts_.clock->now_ns() + (installed_.has_told_all() ? installed_.wait_ns() : first_word_ns);
}

void mom_hooks::wait_anew() {
  if (!installed_.must_wait()) return let_start(true);
  for (auto& w : starts_) w.until_ns = wait_until_ns();
}

// Hooks that were on their way have come, or a job has waited for them long enough.
void mom_hooks::let_start(bool all) {
  const auto now = parts_.clock->now_ns();
  const auto longest_ns = std::max(installed_.wait_ns(), first_word_ns);
  // One that would wait longer than any began while the clock was ahead.
  const auto waited = [&](std::int64_t until_ns) { return until_ns <= now || until_ns - now > longest_ns; };
  while (!starts_.empty() && (all || waited(starts_.front().until_ns))) {
    auto w = std::move(starts_.front());
    starts_.pop_front();
    start_now(std::move(w.at));
  }
}

void mom_hooks::start_now(at_hook_point at) {
  auto s = std::make_shared<stages>();
  s->job = job_object(at, parts_.port);
  put_used(annals::mom::key_of(at.job.order().getRef()), s->job);
  s->result.question = at.question;
  s->result.program = at.program;
  s->at = std::move(at);
  if (take_past_launch(*s)) return pass(*s);
  next_stage(s);
}

// Hooks of execjob_launch ran in an earlier life of the MoM: their word holds.
bool mom_hooks::take_past_launch(stages& s) const {
  if (s.at.point != hook_point::launch || s.at.program.is_task) return false;
  model::ran_hooks past{s.at.job.before};
  if (!past.has("execjob_launch")) return false;
  hooks::hook_parameters program;
  put_program(s.result.program, program);
  std::erase_if(past.runs, [](const auto& r) { return schema::text(r.get().getEvent()) != "execjob_launch"; });
  put_changes_again(past.runs, {}, program);
  take_program(program, s.result.program);
  return true;
}

void mom_hooks::pass(stages& s) { caf::anon_send(s.at.who, std::move(s.result)); }

void mom_hooks::next_stage(const std::shared_ptr<stages>& s) {
  const auto& names = events_at(s->at.point);
  while (s->next < names.size()) {
    const auto* event = hooks::find_event(names[s->next++]);
    auto chosen = installed_.at(*event);
    if (chosen.empty()) continue;
    hooks::occasion at;
    at.event = event;
    at.by = {"pbs_mom", parts_.host, schema::Role::MOM};
    at.owner = schema::str(s->at.job.order().getEuser());
    at.primary = s->at.job.primary;
    at.parameters.push_back({"job", s->job});
    at.parameters.push_back({"vnode_list", vnode_objects(s->at.job, parts_.host, vnodes_.all())});
    if (hooks::find_parameter(*event, "vnode_list_fail")) at.parameters.push_back({"vnode_list_fail", failed_vnode_objects(s->at.job)});
    if (hooks::find_parameter(*event, "pid")) at.parameters.push_back({"pid", s->at.pid});
    if (hooks::find_parameter(*event, "progname")) put_program(s->result.program, at.parameters);
    at.ask = ask_server();
    if (may_release(s->at)) offer_releases(*s, at);
    else if (s->at.program.is_task) at.ask = answers_releases(keeps_all(s->job), std::move(at.ask));
    return hooks::run_chain(chain_parts(), std::move(chosen), std::move(at),
                            [this, s, event](hooks::chain_result& result) { stage_over(s, *event, result); });
  }
  pass(*s);
}

void mom_hooks::offer_releases(stages& s, hooks::occasion& at) {
  model::release_from from;
  from.has = s.at.job.allocated;
  from.failed.hosts = s.at.job.failed;
  from.words = model::words_in(s.at.job.order());
  const auto note = [notes = parts_.notes, job = s.job.name](std::uint32_t level, const std::string& line) {
    if (notes) notes->write(level, "Job", job, line);
  };
  s.releases = std::make_shared<release_plan>(at.event->name, s.job, std::move(from), note);
  at.ask = answers_releases([releases = s.releases](const hooks::sealed_question& question) { return releases->answer(question); },
                            std::move(at.ask));
  at.after_accept = [releases = s.releases](hooks::protocol::Reply::Reader reply, hooks::hook_parameters& parameters) {
    releases->accept(reply, parameters);
  };
}

void mom_hooks::stage_over(const std::shared_ptr<stages>& s, const hooks::hook_event& event, hooks::chain_result& result) {
  const auto ref = s->at.job.order().getRef();
  reports_.report(event, ref, result);
  if (const auto* job = hooks::object_of(result.parameters, "job")) s->job = *job;
  auto& told = s->result;
  for (const auto& c : result.changes)
    if (c.parameter == "job" && c.attribute == "resources_used") told.used.push_back(keep_used(annals::mom::key_of(ref), c));
  if (s->at.point == hook_point::aborted && !std::exchange(told.used, {}).empty())
    note_of_job(schema::str(ref.getJob()), "what hooks have set of resources_used does not count: the job did not start");
  if (s->releases && !result.stopped) {
    told.reduced = s->releases->change();
    told.reduced_by_select = s->releases->is_by_select();
  }
  if (s->at.point == hook_point::launch && !result.stopped) take_program(result.parameters, told.program);
  if (comes_before_program(s->at.point)) {
    for (std::size_t i = 0; i < result.replies.size(); ++i)
      for (auto action : result.replies[i].get().getActions()) {
        told.reruns |= action.isRerun();
        told.deletes |= action.isDelete();
        if (told.stops_start() && told.hook.empty()) told.hook = schema::str(result.runs[i].get().getHook());
      }
    for (const auto& run : result.runs) told.runs.push_back(without_request(run.get()));
  }
  if (result.stopped) {
    told.refused = true;
    told.error = result.why.code;
    told.text = result.why.text;
    told.hook = schema::str(result.runs.back().get().getHook());
    if (comes_before_program(s->at.point)) note_of_job(schema::str(ref.getJob()), told.text);
  }
  reports_.when_safe([this, s] { next_stage(s); });
}

}  // namespace annals::actors
