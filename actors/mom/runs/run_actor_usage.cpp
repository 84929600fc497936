// The usage of a run: its hosts tell the first host, which tells the server, now and then and whenever the server asks what was used until
// now. docs/design/0035-usage-per-host.md, docs/design/0039-ramp-down.md.
#include <chrono>
#include <utility>

#include "actors/mom/runs/run_actor.hpp"

namespace annals::actors {

using phase = model::run_phase;

namespace {

using first_usage_atom = caf::atom_constant<caf::atom("firstuse")>;

}  // namespace

caf::message_handler run_actor::usage_handlers() {
  return {
      [this](const poll_usage& p) { poll(p); },
      [this](first_usage_atom) { poll({usage_interval_s_}); },
      [this](const usage_wanted& w) { ask_usage(w.question); },
      [this](const usage_wait_is_over& o) { tell_usage_asked_for(o.question); },
  };
}

void run_actor::tell_first_usage_soon() {
  delayed_send(this, std::chrono::milliseconds(parts_.settings->first_usage_ms), first_usage_atom::value);
}

// Nothing: the host has not found the program yet.
std::optional<model::usage_set> run_actor::own_usage() const {
  const auto measured = parts_.processes->usage(key_);
  if (!measured) return std::nullopt;
  return model::measured_usage(
      model::counted(state(), *measured, parts_.base.clock->now_ns() / 1'000'000'000, parts_.settings->config.factors));
}

void run_actor::poll(const poll_usage& p) {
  usage_interval_s_ = p.report_interval_s;
  const auto now = parts_.base.clock->now_ns();
  if (!state().sisters.empty()) look_for_sisters(now);
  reconcile();  // a timer that fired before its time, because the clock was set back, is set again
  if (state().phase != phase::started) return;
  const auto measured = own_usage();
  if (!measured) return;
  const auto& own = *measured;
  const auto hosts = by_host(own);
  const auto usage = model::job_total(hosts, *parts_.resources(), parts_.settings->config.used_strings);
  tell_periodic_hooks(own);
  if (state().order) {
    if (auto met = model::exceeded_limit(order(), measured_total(hosts, own), parts_.settings->config.enforce.mem)) command(*met);
  }
  const auto ran_ns = now - state().started_s * 1'000'000'000;
  if (told_ns_ > now) told_ns_ = now;  // the clock went back: counted from here
  const bool first = told_ns_ == 0 && (ran_ns >= parts_.settings->first_usage_ms * 1'000'000 || ran_ns < 0);
  const bool due = told_ns_ != 0 && model::worth_reporting(usage, told_, (now - told_ns_) / 1'000'000'000, p.report_interval_s);
  if (!first && !due) return;
  tell_usage(hosts, usage, 0);
}

void run_actor::tell_usage(const std::vector<model::host_usage>& hosts, model::usage_set total, std::uint64_t question) {
  told_ns_ = parts_.base.clock->now_ns();
  told_ = std::move(total);
  keep_usage_of_sisters();
  note_words_not_shown(hosts);
  tell_server([&](auto m) {
    auto r = m.initRunUsage();
    r.setMergeWords(merges_words());
    fill_ref(r.initRef());
    r.setSession(state().session);
    r.setJobdir(state().jobdir);
    r.setQuestion(question);
    fill_hosts(hosts, r.initHosts(static_cast<unsigned>(hosts.size())));
  });
}

// -- when the server asks ----------------------------------------------------------------------------------------------------------

// A host without tasks, of which hooks have set nothing, has used nothing: of a wide job most hosts are not asked.
bool run_actor::may_have_used(const model::sister_state& s, const std::set<std::string_view>& with_tasks) {
  const auto& c = contact_of(s.host);
  const bool is_there = !s.dropped() && s.phase == model::sister_phase::joined && c.open;
  return is_there && (c.last.measured_ns != 0 || with_tasks.contains(s.host) || hooks_.wanted_by_the_clock());
}

// A host that can't be reached, or does not answer, has used what it told last.
void run_actor::ask_usage(std::uint64_t question) {
  if (state().phase != phase::started) return;
  usage_question_ = {question, {}};
  std::set<std::string_view> with_tasks;
  for (const auto& [number, task] : state().tasks) with_tasks.insert(task.host);
  for (const auto& s : state().sisters) {
    if (!may_have_used(s, with_tasks)) continue;
    usage_question_.missing.insert(s.host);
    tell_sister(s.host, [&](auto m) {
      fill_ref(m.initUsageNow().initRef());
      m.getUsageNow().setQuestion(question);
    });
  }
  if (usage_question_.missing.empty()) return tell_usage_asked_for(question);
  delayed_send(this, std::chrono::seconds(limits::usage_of_hosts_wait_s), usage_wait_is_over{question});
}

void run_actor::no_longer_asked(const std::string& host) {
  auto& [question, missing] = usage_question_;
  if (missing.erase(host) > 0 && missing.empty()) tell_usage_asked_for(question);
}

void run_actor::tell_usage_asked_for(std::uint64_t question) {
  if (question == 0 || question != usage_question_.number) return;
  usage_question_ = {};
  const auto own = own_usage();
  if (state().phase != phase::started || !own) return;
  const auto hosts = by_host(*own);
  tell_usage(hosts, model::job_total(hosts, *parts_.resources(), parts_.settings->config.used_strings), question);
}

// -- of its hosts -------------------------------------------------------------------------------------------------------------------

void run_actor::keep_usage_of_sisters() {
  std::vector<model::host_usage> told;
  for (const auto& [host, c] : contacts_)
    if (c.last.measured_ns != 0) told.push_back(c.last);
  if (!told.empty()) command(model::sisters_used{std::move(told)});
}

// Each host has an equal part of the words that all of them may have.
void run_actor::take_usage(contact& from, const std::string& host, schema::HostUsage::Reader told) {
  from.last = model::read_host_usage(told);
  from.last.host = host;  // whatever it calls itself
  const auto share = limits::run_words_bytes_max / (state().sisters.size() + 1);
  if (model::cut_words(from.last.usage, share, *parts_.resources()) && !std::exchange(from.words_cut, true))
    parts_.note(log_event::error, state().job,
                "resources_used of " + host + " has more than " + std::to_string(share) + " bytes of words: the rest is left out");
}

std::vector<model::host_usage> run_actor::by_host(const model::usage_set& own) const {
  const auto last = [&](const model::sister_state& s) -> const model::host_usage& {
    const auto at = contacts_.find(s.host);
    return at == contacts_.end() || s.phase == model::sister_phase::left ? s.usage : at->second.last;
  };
  return state().usage_by_host({parts_.settings->host, own, parts_.base.clock->now_ns()}, *parts_.resources(), last);
}

model::usage_set run_actor::measured_total(std::vector<model::host_usage> hosts, const model::usage_set& own) const {
  auto& here = hosts.front().usage = own;
  if (const auto tasks = contacts_.find(parts_.settings->host); tasks != contacts_.end())
    model::add_usage(here, tasks->second.last.usage, *parts_.resources());
  return model::job_total(hosts, *parts_.resources());
}

// RU-15
void run_actor::note_words_not_shown(const std::vector<model::host_usage>& hosts) {
  if (!merges_words()) return;
  for (const auto& word : model::unmergeable_words(hosts, *parts_.resources()))
    if (words_not_shown_.emplace(word.resource, word.host).second)
      parts_.note_host(log_event::error, "Job " + state().job + " " + word.why);
}

}  // namespace annals::actors
