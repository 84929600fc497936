#include "actors/gateway/callers/terminals.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/link/wire/wire_limits.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/model/access.hpp"
#include "events/model/run/terminal_limits.hpp"
#include "events/values/job_id.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

template <class Fill>
void tell(const wire::connection_ptr& peer, std::uint64_t request, Fill fill) {
  peer->send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request);
    fill(r);
  }));
}

// Bytes that continue a stream: none that the other end could not have room for.
template <class Stream>
bool continues(Stream& s, schema::TerminalBytes::Reader piece, std::size_t window) {
  const auto size = piece.getBytes().size();
  if (size > limits::terminal_piece_bytes || piece.getAt() > s.sent || piece.getAt() + size > s.taken + window) return false;
  s.sent = std::max(s.sent, piece.getAt() + size);
  return true;
}

template <class Stream>
bool continues(Stream& s, schema::DisplayWord::Reader word) {
  const bool small = !word.isBytes() || word.getBytes().size() <= limits::display_piece_bytes;
  if (!small || word.getAt() > s.sent || word.getAt() >= s.taken + limits::display_words) return false;
  s.sent = std::max(s.sent, word.getAt() + 1);
  return true;
}

template <class Stream>
bool takes(Stream& s, std::uint64_t taken) {
  if (taken > s.sent) return false;
  s.taken = std::max(s.taken, taken);
  return true;
}

}  // namespace

void terminals::attach(const wire::connection_ptr& peer, schema::Request::Reader request, const model::requester& by,
                       const reply_ptr& reply) {
  const auto id = values::parse_job_id(schema::text(request.getAttachTerminal().getJob()));
  if (!id || id->form != values::id_form::job || !board_.where().job_serial(id->number) || board_.where().array(id->number))
    return board_.refuse(reply, pbs_error::unknown_job);
  if (asked_.contains(peer->id()))  // the answer is not waited for in hand, so there is one at a time
    return reply->refused(0,
                          model::refuse(pbs_error::invalid_request, "Invalid request: a terminal is being asked for over this connection"));
  asked_[peer->id()] = {{peer, request.getId()}, by, id->number};
  board_.ask_job(id->number, terminal_wanted{peer->id(), by});
}

void terminals::on_judged(const terminal_judged& j) {
  const auto at = asked_.find(j.connection);
  if (at == asked_.end()) return;
  const auto asked = std::move(at->second);
  asked_.erase(at);
  if (j.why)
    return tell(asked.from.peer, asked.from.request, [&](schema::Reply::Builder r) {
      auto rejected = r.initRejected();
      rejected.setCode(j.why->code);
      rejected.setText(j.why->text);
    });
  auto& t = terminals_[asked.job];
  t.by = asked.by;
  if (!asked.gone) return take_place(asked.job, side::user, asked.from);
  if (!t.user.peer) user_left(asked.job, t, asked.from.peer->peer().what == wire::identity::kind::local);
}

void terminals::offer(const wire::connection_ptr& peer, std::uint64_t request, std::optional<std::uint64_t> job, const reply_ptr& reply) {
  if (!job) return board_.refuse(reply, pbs_error::bad_credential);
  take_place(*job, side::job, {peer, request});
}

// Whoever comes last has the place: a connection that is lost may be seen to end later than the next one begins.
void terminals::take_place(std::uint64_t job, side at, end who) {
  auto& t = terminals_[job];
  auto& mine = at == side::user ? t.user : t.job;
  if (mine.peer && mine.peer->id() != who.peer->id()) {
    places_.erase(mine.peer->id());
    mine.peer->close("another connection has its place");
  }
  mine = who;
  places_[who.peer->id()] = {job, at};
  t.begun = false;
  if (!t.user.peer || !t.job.peer) return;
  for (const auto* e : {&t.job, &t.user})
    tell(e->peer, e->request, [](schema::Reply::Builder r) { r.initTerminal().setJoined(); });
}

void terminals::on_word(const wire::connection_ptr& peer, schema::TerminalWord::Reader word) {
  const auto at = places_.find(peer->id());
  if (at == places_.end()) return peer->close("no terminal is open here");
  const auto from = at->second.at;
  auto& t = terminals_[at->second.job];
  const auto& other = from == side::user ? t.job : t.user;
  const bool begins = from == side::user && word.isBegin();
  // What was said before the two were joined is said again.
  if (!other.peer || (!t.begun && !begins)) return;
  if (!is_good(t, from, word)) return peer->close("a word that a terminal has no place for");
  // Windows keep bytes far below this; words without bytes could be said for ever.
  if (other.peer->unsent_bytes() > limits::unsent_pause_bytes) return peer->close("the other end does not read what is said");
  tell(other.peer, other.request, [&](schema::Reply::Builder r) { r.setTerminal(word); });
}

bool terminals::is_good(terminal& t, side from, schema::TerminalWord::Reader word) const {
  const bool user = from == side::user;
  switch (word.which()) {
    case schema::TerminalWord::JOINED:
    case schema::TerminalWord::LEFT: return false;  // ours to say
    case schema::TerminalWord::BEGIN: {
      const auto b = word.getBegin();
      t.begun = true;
      t.output = {b.getTaken(), b.getTaken()};
      t.input = {};
      t.display_of_job = {b.getDisplayTaken(), b.getDisplayTaken()};
      t.display_of_user = {};
      return user && b.getTerm().size() <= limits::terminal_name_bytes && b.getKeys().size() <= limits::terminal_name_bytes &&
             b.getCookie().size() <= limits::display_cookie_bytes;
    }
    case schema::TerminalWord::READY: {
      const auto ready = word.getReady();
      t.input = {ready.getInput(), ready.getInput()};
      t.display_of_user = {ready.getDisplay(), ready.getDisplay()};
      return !user;
    }
    case schema::TerminalWord::INPUT: return user && continues(t.input, word.getInput(), limits::terminal_input_bytes);
    case schema::TerminalWord::OUTPUT: return !user && continues(t.output, word.getOutput(), limits::terminal_output_bytes);
    case schema::TerminalWord::TAKEN: return takes(user ? t.output : t.input, word.getTaken());
    case schema::TerminalWord::DISPLAY: return continues(user ? t.display_of_user : t.display_of_job, word.getDisplay());
    case schema::TerminalWord::DISPLAY_TAKEN: return takes(user ? t.display_of_job : t.display_of_user, word.getDisplayTaken());
    case schema::TerminalWord::RESIZE: return user;
    case schema::TerminalWord::HANG_UP: t.over = true; return user;
    case schema::TerminalWord::ENDED: t.over = true; return !user;
  }
  return false;  // of a later version
}

void terminals::on_closed(const wire::connection_ptr& peer) {
  if (const auto question = asked_.find(peer->id()); question != asked_.end()) question->second.gone = true;
  const auto at = places_.find(peer->id());
  if (at == places_.end()) return;
  const auto [job, of] = at->second;
  places_.erase(at);
  auto& t = terminals_[job];
  t.begun = false;
  if (of == side::user) return user_left(job, t, peer->peer().what == wire::identity::kind::local);
  t.job = {};
  if (!t.user.peer) terminals_.erase(job);
  else tell(t.user.peer, t.user.request, [](schema::Reply::Builder r) { r.initTerminal().initLeft(); });
}

// The kernel says when a process of this host is gone; a connection through a MoM may only be lost. A server that ends closes them all,
// so that nothing is done at once.
void terminals::user_left(std::uint64_t job, terminal& t, bool local) {
  t.user = {};
  if (local) {
    board_.self()->delayed_send(board_.self(), std::chrono::milliseconds(limits::terminal_gone_ms),
                                run_this{[this, job] { user_is_gone(job); }});
    return;
  }
  if (!t.job.peer) terminals_.erase(job);
  else tell(t.job.peer, t.job.request, [](schema::Reply::Builder r) { r.initTerminal().initLeft(); });
}

// A job that nobody sits at ends as if its line was cut; one that waits, or is out of reach, is deleted.
void terminals::user_is_gone(std::uint64_t job) {
  const auto at = terminals_.find(job);
  if (at == terminals_.end() || at->second.user.peer) return;
  const auto t = at->second;
  if (t.job.peer) return tell(t.job.peer, t.job.request, [](schema::Reply::Builder r) { r.initTerminal().initLeft().setForGood(true); });
  terminals_.erase(at);
  if (t.over || model::winding_up(*board_.settings()) || !board_.where().job_serial(job)) return;
  schema::sealed<schema::Request> request(
      schema::make<schema::Request>([&](schema::Request::Builder r) { r.initDeleteJob().setJob(board_.job_id(job)); }));
  board_.tell_job(job, model::client_request{std::move(request), {}, {}}, t.by, board_.reply_then([](const model::rejection&) {}));
}

}  // namespace annals::actors
