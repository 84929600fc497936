// What a run tells the server of its usage: as it grows (run_actor.cpp), and whenever the server asks what was used until now. Then its
// other hosts are asked too. docs/design/0039-ramp-down.md.
#include <chrono>

#include "actors/mom/run_actor.hpp"

namespace annals::actors {

using phase = model::run_phase;

// Nothing: the host has not found the program yet.
std::optional<model::usage_set> run_actor::own_usage() const {
  const auto measured = parts_.processes->usage(key_);
  if (!measured) return std::nullopt;
  return model::measured_usage(
      model::counted(state(), *measured, parts_.base.clock->now_ns() / 1'000'000'000, parts_.settings->config.factors));
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

}  // namespace annals::actors
