#include "hooks-runtime/protocol/reply_check.hpp"

#include "events/schema/message.hpp"

namespace annals::hooks {
namespace {

using namespace protocol;

bool is_known(ObjectKind kind) { return kind <= ObjectKind::SERVER_ATTRIBUTE; }

bool is_sound(Question::Reader q) {
  switch (q.which()) {
    case Question::OBJECT:
      return is_known(q.getObject().getKind());
    case Question::NAMES:
      return is_known(q.getNames());
    case Question::JOBS_OF:
    case Question::RELEASE_NODES:
      return true;
  }
  return false;
}

bool is_sound(Action::Reader a) {
  switch (a.which()) {
    case Action::RERUN:
    case Action::DELETE:
    case Action::RELEASE_NODES:
    case Action::RESTART_CYCLE:
    case Action::REBOOT:
      return true;
  }
  return false;
}

// Texts go into logs and commands, where a zero byte would end them early.
bool is_plain(capnp::Text::Reader text) { return schema::text(text).find('\0') == std::string_view::npos; }

bool is_sound(Change::Reader c) {
  return is_known(c.getKind()) && is_plain(c.getParameter()) && is_plain(c.getObject()) && is_plain(c.getAttribute()) &&
         is_plain(c.getResource()) && is_plain(c.getBefore()) && is_plain(c.getAfter());
}

bool is_sound(Reply::Reader r) {
  if (r.getVerdict() > Verdict::ERROR) return false;  // only the pool speaks of alarms
  for (const auto c : r.getChanges())
    if (!is_sound(c)) return false;
  for (const auto a : r.getActions())
    if (!is_sound(a)) return false;
  for (const auto q : r.getQuestions())
    if (!is_sound(q.getQuestion())) return false;
  for (const auto line : r.getLog())
    if (!is_plain(line.getMessage()) || !is_plain(line.getJob())) return false;
  return is_plain(r.getMessage());
}

}  // namespace

bool is_sound(FromWorker::Reader message) {
  switch (message.which()) {
    case FromWorker::BOUND:
      return true;
    case FromWorker::QUESTION:
      return is_sound(message.getQuestion());
    case FromWorker::REPLY:
      return is_sound(message.getReply());
  }
  return false;
}

}  // namespace annals::hooks
