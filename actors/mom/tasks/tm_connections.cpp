#include "actors/mom/tasks/tm_connections.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "actors/mom/tasks/attached.hpp"
#include "actors/mom/tasks/task_interface.hpp"
#include "actors/mom/tasks/tm_requests.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/model/run/task_limits.hpp"

namespace annals::actors {

namespace {

using silence_atom = caf::atom_constant<caf::atom("silence")>;

class connections {
 public:
  connections(caf::event_based_actor* self, tm_connections_parts parts)
      : self_(self), parts_(std::move(parts)), helpers_(self, "attach", 1, 0, true) {}

  // -- connections -----------------------------------------------------------------------------------------------------------

  void on_opened(const peer_opened& o) {
    callers_[o.peer->id()].peer = o.peer;
    self_->delayed_send(self_, std::chrono::seconds(limits::tm_silence_s), silence_atom::value, o.peer->id());
  }

  void on_silence(std::uint64_t connection) {
    const auto at = callers_.find(connection);
    if (at != callers_.end() && !at->second.job && at->second.questions.empty()) at->second.peer->close("nothing was asked");
  }

  void on_closed(const peer_closed& c) {
    const auto at = callers_.find(c.peer->id());
    if (at == callers_.end()) return;
    for (const auto question : at->second.questions) {
      if (at->second.job) self_->send(at->second.job, ask_forget{{self_, question}});
      asked_.erase(question);
    }
    callers_.erase(at);
  }

  void on_frame(peer_frame& f) {
    const auto at = callers_.find(f.peer->id());
    if (at == callers_.end()) return;
    try {
      const auto request = f.message.root<schema::TmRequest>();
      if (at->second.questions.size() >= limits::tm_questions_max) return f.peer->close("too many open questions");
      size_ = f.message.bytes().size();
      take(at->second, request.getQuestion(), read_tm_request(request));
    } catch (const kj::Exception& e) {
      f.peer->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
    }
  }

  // -- answers of jobs ---------------------------------------------------------------------------------------------------------

  void on_found(const job_found& found) {
    const auto q = settle(found.question);
    if (!q) return;
    auto& caller = callers_.at(q->connection);
    if (q->attach != 0) return attach(caller, *q, found);
    if (!found.actor) return fail(caller, q->theirs, {tm_error::not_found, "no such job on this host"});
    const auto& who = caller.peer->peer();
    if (who.uid != 0 && who.name != found.user) return fail(caller, q->theirs, {tm_error::user, "not the job's user"});
    caller.job = found.actor;
    caller.nodes = found.nodes;
    reply(caller, q->theirs, [&](auto r) {
      auto hosts = r.initOpened().initHosts(static_cast<unsigned>(found.nodes.size()));
      for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, found.nodes[i]);
    });
  }

  void on_answer(const task_answer& a) {
    const auto at = asked_.find(a.question);
    if (at == asked_.end()) return;
    // Whoever asked for a task and its output is told of the output by the same question, until the task is over.
    if (a.what == task_answer::kind::spawned && at->second.output) {
      callers_.at(at->second.connection).outputs[a.task] = a.question;
      done(callers_.at(at->second.connection), at->second);
      return write(callers_.at(at->second.connection), at->second.theirs, a);
    }
    const auto q = *settle(a.question);
    auto& caller = callers_.at(q.connection);
    if (a.what == task_answer::kind::over || is_host_failure(a))
      if (const auto output = caller.outputs.extract(q.watched)) settle(output.mapped());
    if (a.what == task_answer::kind::failed) return fail(caller, q.theirs, {code_of(a, q.failure), a.error});
    write(caller, q.theirs, a);
  }

  void on_output(const task_output& o) {
    const auto at = asked_.find(o.question);
    if (at == asked_.end()) return;
    reply(callers_.at(at->second.connection), at->second.theirs, [&](auto r) {
      auto out = r.initOutput();
      out.setTask(o.task);
      out.setErrors(o.errors);
      out.setOffset(o.offset);
      out.setBytes({reinterpret_cast<const kj::byte*>(o.bytes.data()), o.bytes.size()});
    });
  }

 private:
  struct caller {
    wire::connection_ptr peer;
    caf::actor job;                                  // null: it has not said for which
    std::vector<std::string> nodes;                  // host of each
    std::set<std::uint64_t> questions;               // ours, of what it asked
    std::map<std::uint32_t, std::uint64_t> outputs;  // by task: our question that asked for it
    std::size_t in_hand = 0, bytes_in_hand = 0;      // requests that are not done yet
    bool paused = false;                             // nothing more is read from it until they are
  };
  struct question {
    std::uint64_t connection = 0, theirs = 0;
    std::uint32_t failure = tm_error::system;
    bool output = false;
    std::uint32_t watched = 0;
    bool patient = false;
    std::int64_t attach = 0;
    std::size_t size = 0;
  };

  // A number of our own for a question of theirs.
  task_asker ask(caller& c, question q) {
    q.connection = c.peer->id();
    // The end of a task, or a value, may come in days.
    if (!q.patient) {
      q.size = size_;
      ++c.in_hand;
      c.bytes_in_hand += q.size;
    }
    if (!c.paused && (c.in_hand >= limits::tm_in_hand_max || c.bytes_in_hand >= limits::tm_bytes_in_hand_max)) {
      c.paused = true;
      c.peer->pause_reading();
    }
    asked_[++last_question_] = q;
    c.questions.insert(last_question_);
    return {self_, last_question_};
  }
  std::optional<question> settle(std::uint64_t ours) {
    auto found = asked_.extract(ours);
    if (!found) return {};
    auto& c = callers_.at(found.mapped().connection);
    c.questions.erase(ours);
    done(c, found.mapped());
    return found.mapped();
  }
  static void done(caller& c, question& q) {
    if (q.size == 0) return;
    --c.in_hand;
    c.bytes_in_hand -= std::exchange(q.size, 0);
    if (!c.paused || c.in_hand > limits::tm_in_hand_max / 2 || c.bytes_in_hand > limits::tm_bytes_in_hand_max / 2) return;
    c.paused = false;
    c.peer->resume_reading();
  }

  template <class Fill>
  static void reply(const caller& c, std::uint64_t theirs, Fill&& fill) {
    c.peer->send(schema::make<schema::TmReply>([&](schema::TmReply::Builder r) {
      r.setQuestion(theirs);
      fill(r);
    }));
  }
  static void fail(const caller& c, std::uint64_t theirs, const tm_wrong& why) {
    reply(c, theirs, [&](auto r) {
      auto f = r.initFailed();
      f.setCode(why.code);
      f.setText(why.text);
    });
  }

  static std::uint32_t code_of(const task_answer& a, std::uint32_t otherwise) {
    if (is_host_failure(a)) return tm_error::system;
    return a.error == session_is_attached ? tm_error::session : otherwise;
  }

  static void write(const caller& c, std::uint64_t theirs, const task_answer& a) {
    reply(c, theirs, [&](schema::TmReply::Builder r) {
      switch (a.what) {
        case task_answer::kind::done: return r.setDone();
        case task_answer::kind::spawned: return r.setSpawned(a.task);
        case task_answer::kind::over: return r.setOver(a.exit_status);
        case task_answer::kind::bytes: return r.setBytes({reinterpret_cast<const kj::byte*>(a.bytes.data()), a.bytes.size()});
        case task_answer::kind::failed: return;  // fail() says it
        case task_answer::kind::tasks: break;
      }
      auto list = r.initTasks(static_cast<unsigned>(a.tasks.size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setTask(a.tasks[i].task);
        list[i].setNode(a.tasks[i].node);
        list[i].setOver(a.tasks[i].over);
      }
    });
  }

  // -- requests ----------------------------------------------------------------------------------------------------------------

  void take(caller& c, std::uint64_t theirs, tm_request&& request) {
    if (const auto* open = std::get_if<tm_open>(&request)) {
      if (c.job) return fail(c, theirs, {tm_error::bad_init, "the job is known already"});
      return self_->send(parts_.mom, find_job{ask(c, {0, theirs}), open->job, open->cookie});
    }
    if (const auto* a = std::get_if<tm_attach>(&request)) {
      question q{0, theirs};
      q.attach = a->pid;
      if (a->pid <= 0) return fail(c, theirs, {tm_error::no_process, "no such process"});
      return self_->send(parts_.mom, find_job{ask(c, q), a->job, a->cookie});
    }
    if (const auto* why = std::get_if<tm_wrong>(&request)) return fail(c, theirs, *why);
    if (!c.job) return fail(c, theirs, {tm_error::bad_init, "no job was named"});
    struct visitor {
      connections& d;
      caller& c;
      std::uint64_t theirs;
      void operator()(tm_wrong&) const {}
      void operator()(tm_open&) const {}
      void operator()(tm_spawn& s) const {
        if (s.node >= c.nodes.size()) return fail(c, theirs, {tm_error::not_found, "no such node"});
        const auto asker = d.ask(c, {0, theirs, tm_error::system, s.output});
        d.self_->send(c.job, ask_spawn{asker, c.nodes[s.node], s.node, std::move(s.argv), std::move(s.environment), s.output});
      }
      void operator()(tm_signal& s) const {
        d.self_->send(c.job, ask_signal{d.ask(c, {0, theirs, tm_error::not_found}), s.task, s.signal});
      }
      void operator()(tm_tasks&) const { d.self_->send(c.job, ask_tasks{d.ask(c, {0, theirs})}); }
      void operator()(tm_watch& w) const {
        d.self_->send(c.job, ask_end{d.ask(c, {0, theirs, tm_error::not_found, false, w.task, true}), w.task});
      }
      void operator()(tm_resources& r) const {
        if (r.node >= c.nodes.size()) return fail(c, theirs, {tm_error::not_found, "no such node"});
        d.self_->send(c.job, ask_host{d.ask(c, {0, theirs}), c.nodes[r.node]});
      }
      void operator()(tm_publish& p) const {
        d.self_->send(c.job, ask_publish{d.ask(c, {0, theirs}), p.task, std::move(p.name), std::move(p.value)});
      }
      void operator()(tm_subscribe& s) const {
        d.self_->send(c.job, ask_subscribe{d.ask(c, {0, theirs, tm_error::not_found, false, 0, true}), s.task, std::move(s.name)});
      }
      void operator()(tm_output_taken& t) const { d.self_->send(c.job, task_output_taken{t.task, t.errors, t.up_to}); }
      void operator()(tm_attach&) const {}
    };
    std::visit(visitor{*this, c, theirs}, request);
  }

  // The session of a process becomes a task on this host's first node, or on node 0 when it has none.
  void attach(caller& c, const question& q, const job_found& found) {
    if (!found.actor) return fail(c, q.theirs, {tm_error::not_found, "no such job on this host"});
    const auto& who = c.peer->peer();
    if (who.uid != 0 && who.name != found.user) return fail(c, q.theirs, {tm_error::user, "not the job's user"});
    // As many as a connection may have in hand.
    helpers_.ask_always([this, number = ask(c, {0, q.theirs}).question, pid = q.attach, shepherd = parts_.shepherd, found] {
      ports::attached_session session;
      const auto why = look_up_session(pid, found.user, shepherd, session);
      return [this, number, found, session, why] { attach_session(number, found, session, why); };
    });
  }

  void attach_session(std::uint64_t number, const job_found& found, const ports::attached_session& session, const attach_refusal& why) {
    const auto q = settle(number);
    if (!q) return;  // who asked is gone
    auto& c = callers_.at(q->connection);
    if (why.code != 0) return fail(c, q->theirs, {why.code, why.text});
    const auto at = std::find(found.nodes.begin(), found.nodes.end(), parts_.host);
    const auto node = at == found.nodes.end() ? 0 : static_cast<std::uint32_t>(at - found.nodes.begin());
    self_->send(found.actor, ask_spawn{ask(c, {0, q->theirs, tm_error::system}), parts_.host, node, {}, {print_attached(session)}, false});
  }

  caf::event_based_actor* self_;
  tm_connections_parts parts_;
  helper_pool helpers_;                      // one: what it reads of /proc is of all processes
  std::map<std::uint64_t, caller> callers_;  // by connection
  std::map<std::uint64_t, question> asked_;  // by our number
  std::uint64_t last_question_ = 0;
  std::size_t size_ = 0;  // of the request that is taken now
};

}  // namespace

caf::behavior tm_connections(caf::event_based_actor* self, tm_connections_parts parts) {
  auto d = std::make_shared<connections>(self, std::move(parts));
  return {
      [d](const peer_opened& o) { d->on_opened(o); },
      [d](peer_frame& f) { d->on_frame(f); },
      [d](const peer_closed& c) { d->on_closed(c); },
      [d](const job_found& f) { d->on_found(f); },
      [d](const task_answer& a) { d->on_answer(a); },
      [d](const task_output& o) { d->on_output(o); },
      [](run_this& what) { what.work(); },
      [d](silence_atom, std::uint64_t connection) { d->on_silence(connection); },
  };
}

}  // namespace annals::actors
