#include "actors/mom/hooks/hook_questions.hpp"

#include <utility>

#include "hooks-runtime/chain/views.hpp"

namespace annals::actors {
namespace {

namespace protocol = hooks::protocol;

template <class Fill>
hooks::sealed_answer make_answer(Fill&& fill) {
  return schema::make<protocol::Answer>(std::forward<Fill>(fill));
}
hooks::sealed_answer out_of_reach() {
  return make_answer([](protocol::Answer::Builder a) { a.setUnknown("the server is out of this host's reach"); });
}

// Nothing: there are no such objects.
std::optional<protocol::ObjectKind> kind_of(protocol::Question::Reader question) {
  switch (question.which()) {
    case protocol::Question::OBJECT: return question.getObject().getKind();
    case protocol::Question::NAMES: return question.getNames();
    case protocol::Question::JOBS_OF: return protocol::ObjectKind::JOB;
    case protocol::Question::RELEASE_NODES: return std::nullopt;  // of the job's start, which its host answers
  }
  return std::nullopt;
}

}  // namespace

void hook_questions::server_is_here() {
  is_here_ = true;
  for (auto& e : std::exchange(early_, {})) ask(e.question, std::move(e.to));
}

void hook_questions::wait_no_longer() {
  for (auto& e : std::exchange(early_, {})) e.to(out_of_reach());
}

void hook_questions::server_is_gone() {
  is_here_ = false;
  for (auto& [id, w] : std::exchange(waiting_, {})) w.to(out_of_reach());
}

void hook_questions::ask(const hooks::sealed_question& question, hooks::hook_run::answer_to to, bool may_wait) {
  const auto q = question.get();
  const auto kind = kind_of(q);
  const auto schema_kind = kind ? hooks::schema_kind(*kind) : std::nullopt;
  if (!schema_kind) return to(hooks::answer_with({}, false));
  if (!is_here_ && may_wait) return early_.push_back({question, std::move(to)});
  if (!is_here_) return to(out_of_reach());
  const auto id = ++last_;
  waiting_.emplace(id, waiting{*kind, std::move(to)});
  tell_(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto asked = m.initHookQuestion();
    asked.setId(id);
    asked.setKind(*schema_kind);
    if (q.isObject()) asked.setName(q.getObject().getName());
    else asked.setNamesOnly(true);
    if (q.isJobsOf()) asked.setQueue(q.getJobsOf());
  }));
}

void hook_questions::on_answer(schema::HookAnswer::Reader answer) {
  auto found = waiting_.extract(answer.getId());
  if (!found) return;
  const auto& w = found.mapped();
  switch (answer.which()) {
    case schema::HookAnswer::NONE: return w.to(hooks::answer_with({}, false));
    case schema::HookAnswer::OBJECT: {
      const auto o = answer.getObject();
      return w.to(hooks::answer_with({{w.kind, schema::str(o.getName()), hooks::attributes_of(o.getAttributes())}}, false));
    }
    case schema::HookAnswer::NAMES:
      return w.to(make_answer([&](protocol::Answer::Builder a) {
        auto names = a.initNames(answer.getNames().size());
        for (unsigned i = 0; i < names.size(); ++i) names.set(i, answer.getNames()[i]);
      }));
    case schema::HookAnswer::REFUSED:
      return w.to(make_answer([&](protocol::Answer::Builder a) { a.setUnknown(answer.getRefused()); }));
  }
  w.to(hooks::answer_with({}, false));
}

}  // namespace annals::actors
