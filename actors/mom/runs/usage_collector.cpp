#include "actors/mom/runs/usage_collector.hpp"

#include <chrono>

#include "events/model/limits.hpp"

namespace annals::actors {

using phase = model::run_phase;

caf::message_handler usage_collector::handlers() {
  return {
      [this](const usage_wanted& w) { ask(w.question); },
      [this](const usage_wait_is_over& o) { tell_what_was_asked_for(o.question); },
  };
}

// A host that has told this life nothing has told an earlier one what stands in the log.
usage_collector::told_usage& usage_collector::told_by(const std::string& host) {
  const auto [at, fresh] = told_by_.try_emplace(host);
  if (!fresh) return at->second;
  at->second.last.host = host;
  const auto* s = state().sister(host);
  if (s && !s->usage.host.empty()) at->second.last = s->usage;
  return at->second;
}

std::optional<model::usage_set> usage_collector::own_usage() const {
  const auto measured = run_.parts.processes->usage(run_.key);
  if (!measured) return std::nullopt;
  return model::measured_usage(
      model::counted(state(), *measured, run_.now_ns() / 1'000'000'000, run_.parts.settings->config.factors));
}

void usage_collector::poll() {
  if (state().phase != phase::started) return;
  const auto measured = own_usage();
  if (!measured) return;
  const auto& own = *measured;
  const auto hosts = by_host(own);
  const auto usage = job_total(hosts);
  if (hooks_.wanted_by_the_clock()) hooks_.tell_periodic(run_.key, own);
  if (state().order) {
    if (auto met = model::exceeded_limit(run_.order(), measured_total(hosts, own), run_.parts.settings->config.enforce.mem))
      run_.command(*met);
  }
  if (is_time_to_tell(usage)) tell(hosts, usage, 0);
}

bool usage_collector::is_time_to_tell(const model::usage_set& usage) {
  const auto now = run_.now_ns();
  const auto ran_ns = now - state().started_s * 1'000'000'000;
  if (told_ns_ > now) told_ns_ = now;  // the clock went back: counted from here
  if (told_ns_ == 0) return ran_ns >= run_.parts.settings->first_usage_ms * 1'000'000 || ran_ns < 0;
  return model::worth_reporting(usage, told_, (now - told_ns_) / 1'000'000'000, run_.usage_interval_s);
}

void usage_collector::tell(const std::vector<model::host_usage>& hosts, model::usage_set total, std::uint64_t question) {
  told_ns_ = run_.now_ns();
  told_ = std::move(total);
  keep_usage_of_sisters();
  note_words_not_shown(hosts);
  run_.tell_server([&](auto m) {
    auto r = m.initRunUsage();
    r.setMergeWords(merges_words());
    run_.fill_ref(r.initRef());
    r.setSession(state().session);
    r.setJobdir(state().jobdir);
    r.setQuestion(question);
    fill_hosts(hosts, r.initHosts(static_cast<unsigned>(hosts.size())));
  });
}

// -- when the server asks ----------------------------------------------------------------------------------------------------------

// A host without tasks, of which hooks have set nothing, has used nothing: of a wide job most hosts are not asked.
bool usage_collector::may_have_used(const model::sister_state& s, const std::set<std::string_view>& with_tasks) {
  const bool is_there = !s.dropped() && s.phase == model::sister_phase::joined && sisters_.contact_of(s.host).open;
  return is_there && (last_of(s.host).measured_ns != 0 || with_tasks.contains(s.host) || hooks_.wanted_by_the_clock());
}

// A host that can't be reached, or does not answer, has used what it told last.
void usage_collector::ask(std::uint64_t question) {
  if (state().phase != phase::started) return;
  usage_question_ = {question, {}};
  std::set<std::string_view> with_tasks;
  for (const auto& [number, task] : state().tasks) with_tasks.insert(task.host);
  for (const auto& s : state().sisters) {
    if (!may_have_used(s, with_tasks)) continue;
    usage_question_.missing.insert(s.host);
    run_.tell_sister(s.host, [&](auto m) {
      run_.fill_ref(m.initUsageNow().initRef());
      m.getUsageNow().setQuestion(question);
    });
  }
  if (usage_question_.missing.empty()) return tell_what_was_asked_for(question);
  run_.self->delayed_send(run_.self, std::chrono::seconds(limits::usage_of_hosts_wait_s), usage_wait_is_over{question});
}

void usage_collector::no_longer_asked(const std::string& host) {
  auto& [question, missing] = usage_question_;
  if (missing.erase(host) > 0 && missing.empty()) tell_what_was_asked_for(question);
}

void usage_collector::tell_what_was_asked_for(std::uint64_t question) {
  if (question == 0 || question != usage_question_.number) return;
  usage_question_ = {};
  const auto own = own_usage();
  if (state().phase != phase::started || !own) return;
  const auto hosts = by_host(*own);
  tell(hosts, job_total(hosts), question);
}

// -- of its hosts -------------------------------------------------------------------------------------------------------------------

void usage_collector::keep_usage_of_sisters() {
  std::vector<model::host_usage> told;
  for (const auto& [host, t] : told_by_)
    if (t.last.measured_ns != 0) told.push_back(t.last);
  if (!told.empty()) run_.command(model::sisters_used{std::move(told)});
}

// Each host has an equal part of the words that all of them may have.
void usage_collector::take(const std::string& host, schema::HostUsage::Reader told) {
  auto& from = told_by(host);
  from.last = model::read_host_usage(told);
  from.last.host = host;  // whatever it calls itself
  const auto share = limits::run_words_bytes_max / (state().sisters.size() + 1);
  if (model::cut_words(from.last.usage, share, *run_.parts.resources()) && !std::exchange(from.words_cut, true))
    run_.note(log_event::error,
              "resources_used of " + host + " has more than " + std::to_string(share) + " bytes of words: the rest is left out");
}

void usage_collector::take_answer(const std::string& host, schema::PartUsage::Reader told) {
  take(host, told.getUsage());
  if (told.getQuestion() == usage_question_.number) no_longer_asked(host);
}

std::vector<model::host_usage> usage_collector::by_host(const model::usage_set& own) {
  const auto last = [&](const model::sister_state& s) -> const model::host_usage& {
    return s.phase == model::sister_phase::left ? s.usage : last_of(s.host);
  };
  return state().usage_by_host({run_.parts.settings->host, own, run_.now_ns()}, *run_.parts.resources(), last);
}

model::usage_set usage_collector::job_total(const std::vector<model::host_usage>& hosts) const {
  return model::job_total(hosts, *run_.parts.resources(), run_.parts.settings->config.used_strings);
}

model::usage_set usage_collector::measured_total(std::vector<model::host_usage> hosts, const model::usage_set& own) {
  auto& here = hosts.front().usage = own;
  model::add_usage(here, last_of(run_.parts.settings->host).usage, *run_.parts.resources());
  return model::job_total(hosts, *run_.parts.resources());
}

void usage_collector::note_words_not_shown(const std::vector<model::host_usage>& hosts) {
  if (!merges_words()) return;
  for (const auto& word : model::unmergeable_words(hosts, *run_.parts.resources()))
    if (words_not_shown_.emplace(word.resource, word.host).second)
      run_.parts.note_host(log_event::error, "Job " + state().job + " " + word.why);
}

}  // namespace annals::actors
