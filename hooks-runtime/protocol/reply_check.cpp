#include "hooks-runtime/protocol/reply_check.hpp"

#include <kj/exception.h>

#include "events/schema/message.hpp"

namespace annals::hooks {
namespace {

using namespace protocol;

bool is_known(ObjectKind kind) { return kind <= ObjectKind::SCHEDULER; }

// Texts go into logs and commands, where a zero byte would end them early.
bool is_plain(capnp::Text::Reader text) { return schema::text(text).find('\0') == std::string_view::npos; }

bool is_sound(ReleaseNodes::Reader r) {
  for (const auto vnode : r.getVnodes())
    if (!is_plain(vnode)) return false;
  return is_plain(r.getJob()) && is_plain(r.getKeepSelect());
}

bool is_sound(Question::Reader q) {
  switch (q.which()) {
    case Question::OBJECT:
      return is_known(q.getObject().getKind()) && is_plain(q.getObject().getName());
    case Question::NAMES:
      return is_known(q.getNames());
    case Question::JOBS_OF:
      return is_plain(q.getJobsOf());
    case Question::RELEASE_NODES:
      return is_sound(q.getReleaseNodes());
  }
  return false;
}

bool is_sound(Action::Reader a) {
  switch (a.which()) {
    case Action::RERUN:
      return is_plain(a.getRerun());
    case Action::DELETE:
      return is_plain(a.getDelete());
    case Action::RELEASE_NODES:
      return is_sound(a.getReleaseNodes());
    case Action::RESTART_CYCLE:
      return true;
    case Action::REBOOT:
      return is_plain(a.getReboot());
  }
  return false;
}

bool is_sound(Change::Reader c) {
  for (const auto text : c.getAfterTexts())
    if (!is_plain(text)) return false;
  return is_known(c.getKind()) && is_plain(c.getParameter()) && is_plain(c.getObject()) && is_plain(c.getAttribute()) &&
         is_plain(c.getResource()) && is_plain(c.getBefore()) && is_plain(c.getAfter());
}

bool is_sound(LogLine::Reader line) { return is_plain(line.getMessage()) && is_plain(line.getJob()); }

bool is_sound(Reply::Reader r) {
  if (r.getVerdict() > Verdict::ERROR) return false;  // only the pool speaks of alarms
  for (const auto c : r.getChanges())
    if (!is_sound(c)) return false;
  for (const auto a : r.getActions())
    if (!is_sound(a)) return false;
  for (const auto q : r.getQuestions())
    if (!is_sound(q.getQuestion()) || q.getAnswerHash().size() > 32) return false;
  for (const auto resource : r.getCustomResources())
    if (!is_plain(resource.getName()) || !is_plain(resource.getType())) return false;
  for (const auto line : r.getLog())
    if (!is_sound(line)) return false;
  return is_plain(r.getMessage()) && is_plain(r.getTraceback());
}

bool reads_well(FromWorker::Reader message) {
  switch (message.which()) {
    case FromWorker::BOUND:
      return is_plain(message.getBound());
    case FromWorker::QUESTION:
      return is_sound(message.getQuestion());
    case FromWorker::REPLY:
      return is_sound(message.getReply());
    case FromWorker::LINE:
      return is_sound(message.getLine());
  }
  return false;
}

}  // namespace

bool is_sound(FromWorker::Reader message) {
  try {
    return reads_well(message);
  } catch (const kj::Exception&) {  // a number where a text is expected
    return false;
  }
}

}  // namespace annals::hooks
