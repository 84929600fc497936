#include "actors/mom/mom_actor.hpp"

#include <cstdio>
#include <set>

#include "actors/mom/parts/part_registry.hpp"
#include "actors/mom/runs/sister_links.hpp"
#include "actors/mom/tasks/user_watch.hpp"
#include "actors/mom/vnode_report.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/model/limits.hpp"
#include "events/schema/readable.hpp"

namespace annals::actors {

namespace {

using poll_atom = caf::atom_constant<caf::atom("poll")>;
constexpr auto poll_period = std::chrono::seconds(1);
constexpr std::size_t name_end_digits = 8;  // nobody makes four billion directories

class mom_router {
 public:
  mom_router(caf::event_based_actor* self, mom_actor_parts parts)
      : self_(self),
        parts_(with_hook_bits(std::move(parts))),
        sisters_(self, parts_.dial),
        part_runs_(self, parts_.runs, parts_.gate, parts_.left_parts),
        schedulers_(self, with_names(parts_), [this](const auto& message) { on_to_server({message}); }),
        hook_reports_(self, "reports", 1, 0, parts_.detached),
        files_(self, "files", 1, 0, parts_.detached) {
    for (const auto& l : parts_.left) left_.remember(l);
    hooks_ = std::make_unique<mom_hooks>(
        self_,
        mom_hooks_parts{parts_.runner, parts_.hook_directory, parts_.host, parts_.runs.base.clock, parts_.runs.notes, parts_.runs.hooks,
                        [this](schema::MomHello::Builder h) { report_vnodes(parts_.describe, parts_.runs.settings->vnodes, h); },
                        [this] { say_hello(); },
                        [this] { return parts_.runs.settings->config.reject_root_scripts; }, parts_.version, parts_.port,
                        [this](helper_pool::work what) { hook_reports_.ask_always(std::move(what)); }},
        [this](const schema::sealed<schema::FromMom>& message) {
          if (server_) server_->send(message);
        });
  }

  // The process host is ready to tell: the runs of the log come to life.
  void begin() {
    hooks_->begin();
    (void)busy_changed();  // the first hello says it
    // What has left leaves files behind if the MoM died before it removed them.
    std::set<values::run_key> here;
    for (const auto& k : parts_.known) here.insert(k.key);
    for (const auto& p : parts_.known_parts) here.insert(p.what.key);
    parts_.runs.processes->forget_others(here);
    for (const auto& k : parts_.known) spawn(k);
    for (const auto& p : parts_.known_parts) part_runs_.revive(p);
    self_->delayed_send(self_, poll_period, poll_atom::value);
  }

  // -- the link to the server ------------------------------------------------------------------------------------------------

  void on_opened(const peer_opened& o) {
    if (o.peer->peer().what == wire::identity::kind::mom) return part_runs_.primary_came(o.peer);
    if (o.peer->peer().what != wire::identity::kind::server) return o.peer->close("only MoMs and the server have something to say here");
    if (server_) hooks_->server_is_gone();  // a new connection has no answers for the one before
    server_ = o.peer;
    if (hooks_->starting_up()) hooks_->link_is_here();
    else say_hello();
  }

  void say_hello() {
    if (!server_) return;
    server_->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto hello = m.initHello();
      hello.setHost(parts_.host);
      hello.setVersion(parts_.version);
      hello.setLogUuid({reinterpret_cast<const kj::byte*>(parts_.log_uuid.data()), parts_.log_uuid.size()});
      hello.setPort(parts_.port);
      hello.setAddress(parts_.address);
      if (parts_.server_mark) hello.setLogMark(parts_.server_mark.get());
      hooks_->describe(hello);
      if (busy_) report_busy(hello, parts_.runs.settings->config.load.suspends);
      std::map<values::run_key, const known_run*> here;
      for (const auto& [key, run] : runs_) here.emplace(key, &run.what);
      for (const auto& [key, part] : part_runs_.all()) here.emplace(key, &part.what);
      auto runs = hello.initRuns(static_cast<unsigned>(here.size()));
      unsigned i = 0;
      for (const auto& [key, what] : here) fill_ref(*what, runs[i++]);
    }));
    note(log_event::system, "Svr", "pbs_mom", "HELLO sent to server");
    tell_runs(server_is_here{});
    for (auto& [key, run] : runs_)
      if (run.script) ask_for_script(run);
    hooks_->server_is_here();
  }

  void on_closed(const peer_closed& c) {
    if (c.peer->peer().what == wire::identity::kind::mom) return part_runs_.primary_went(c.peer);
    if (c.peer != server_) return;
    server_ = nullptr;
    hooks_->server_is_gone();
    note(log_event::system, "Svr", "pbs_mom", "lost the server: " + c.why);
  }

  void on_frame(peer_frame& f) {
    const auto peer = f.peer;
    try {
      route(f);
    } catch (const kj::Exception& e) {
      peer->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
    }
  }

  void route(peer_frame& f) {
    if (f.peer->peer().what == wire::identity::kind::mom) {
      schema::sealed<schema::ToSister> asked(std::move(f.message));
      if (!schema::is_readable(asked)) return f.peer->close("a message that can't be read");
      return part_runs_.on_request(f.peer->peer().name, f.peer, std::move(asked));
    }
    if (f.peer->peer().what != wire::identity::kind::server) return;
    schema::sealed<schema::ToMom> message(std::move(f.message));
    const auto m = message.get();
    switch (m.which()) {
      case schema::ToMom::WELCOME:
        report_interval_s_ = m.getWelcome().getUsageIntervalSeconds();
        hooks_->server_has_told_all();
        note(log_event::system, "Svr", "pbs_mom", "ReplyHello from server " + schema::str(m.getWelcome().getServerName()));
        if (const auto why = schema::str(m.getWelcome().getVnodesRefused()); !why.empty())
          note(log_event::error | log_event::force, "Node", parts_.host, "the server takes no vnodes from this host: " + why);
        return;
      case schema::ToMom::START_RUN: return on_order(message);
      case schema::ToMom::SIGNAL_RUN: return to_run(m.getSignalRun().getRef(), model::kill_order{message});
      case schema::ToMom::TELL_RUN:  // its order came before it, unless this MoM has lost the run
        if (!runs_.contains(mom::key_of(m.getTellRun().getRef()))) return;
        return to_run(m.getTellRun().getRef(), model::tell_order{message});
      case schema::ToMom::DISCARD_RUN: return discard(m.getDiscardRun(), message);
      case schema::ToMom::ACK:
        if (const auto run = actor_of(mom::key_of(m.getAck().getRef()))) {
          if (m.getAck().getWhat() == schema::Ack::What::RUN_STEPS) self_->send(run, steps_taken{m.getAck().getSteps()});
          else self_->send(run, m.getAck().getWhat());
          if (m.getAck().getFirstHostOnly()) self_->send(run, other_hosts_released{});
        }
        return;
      case schema::ToMom::HOOKS: return hooks_->on_hooks(message);
      case schema::ToMom::LOG_MARK:  // the server's word: kept as it is, for the server to read
        parts_.server_mark = schema::copy_of<schema::LogMark>(m.getLogMark());
        if (parts_.keep_server_mark) parts_.keep_server_mark(parts_.server_mark);
        return;
      case schema::ToMom::START_SCHEDULER: return schedulers_.start(m.getStartScheduler());
      case schema::ToMom::STOP_SCHEDULER: return schedulers_.stop(schema::str(m.getStopScheduler()));
      case schema::ToMom::SHUT_DOWN: return on_shut_down();
      case schema::ToMom::USAGE_NOW:
        return on_news_of_run(usage_wanted{mom::key_of(m.getUsageNow().getRef()), m.getUsageNow().getQuestion()});
      case schema::ToMom::HOOK_ANSWER: return hooks_->on_answer(m.getHookAnswer());
      case schema::ToMom::HOOK_ACK: return hooks_->on_ack(m.getHookAck());
      case schema::ToMom::BLOB:
        if (m.getBlob().getRef().getJobSerial() == 0) hooks_->on_blob(m.getBlob());
        else on_blob(m.getBlob());
        return;
    }
    f.peer->close("an unknown message");
  }

  // qterm -m. The runs go on under their shepherds.
  void on_shut_down() {
    note(log_event::admin | log_event::system, "Svr", "pbs_mom", "Shutdown request from server " + server_->peer().name);
    if (parts_.shut_down) parts_.shut_down();
  }

  // -- runs ------------------------------------------------------------------------------------------------------------------

  void on_checkpoint_event(const values::checkpoint_key& script, const model::run_command& told) {
    const auto run = actor_of(script.run);
    if (!run) return;
    if (const auto* over = std::get_if<model::program_over>(&told))
      self_->send(run, checkpoint_script_over{script.request, over->what.exit_status == 0,
                                              "script exit status " + std::to_string(over->what.exit_status)});
    else if (const auto* failed = std::get_if<model::program_failed>(&told))
      self_->send(run, checkpoint_script_over{script.request, false, failed->what.text});
  }

  void on_host_event(host_event& e) {
    if (const auto* script = e.key.checkpoint()) return on_checkpoint_event(*script, e.command);
    if (auto* over = std::get_if<model::program_over>(&e.command)) over->factors = parts_.runs.settings->config.factors;
    if (const auto* task = e.key.task()) return part_runs_.on_task_event(*task, std::move(e.command));
    if (const auto run = actor_of(e.key.run())) self_->send(run, wrap(std::move(e.command)));
  }

  void on_hook_point(at_hook_point& at) {
    hooks_->at_point(std::move(at));
  }
  void on_job_at_work(job_at_work& job) {
    if (runs_.contains(job.key) || part_runs_.all().contains(job.key)) hooks_->at_work(std::move(job));
  }
  void on_hook_usage(hook_usage_of_run& u) {
    if (const auto run = actor_of(u.key)) self_->send(run, std::move(u.set));
  }

  void on_gone(const run_gone& g) {
    hooks_->run_gone(g.key);
    if (const auto gone = runs_.extract(g.key); gone && gone.mapped().discarded) tell_discarded(g.job_serial, g.run);
    sisters_.no_longer_wanted(g.key);
    left_.remember({g.job_serial, g.run, {}, {}, 0, {}});
  }
  void on_part_gone(const part_gone& g) {
    const bool was_discarded = part_runs_.gone(g);
    if (runs_.contains(g.key)) return;
    hooks_->run_gone(g.key);
    if (was_discarded) tell_discarded(g.what.job_serial, g.what.run);
  }
  void on_grown(const task_grown& g) { part_runs_.on_grown(g); }
  template <class News>
  void on_news_of_run(const News& n) {
    if (const auto run = actor_of(n.key)) self_->send(run, n);
  }
  void on_file_work(file_work& w) {
    files_.ask_always([who = std::move(w.who), what = std::move(w.what)]() -> std::function<void()> {
      return [who, then = what()] {
        if (who && then) caf::anon_send(who, run_this{then});
      };
    });
  }
  void on_part_event(part_event& e) { part_runs_.on_event(e.key, std::move(e.command)); }

  // -- other hosts -----------------------------------------------------------------------------------------------------------

  void on_want_sister(const want_sister& w) {
    const auto run = actor_of(w.key);
    if (!run) return;
    if (w.host == parts_.host) self_->send(run, sister_link{w.host, true, {}});
    else sisters_.want(w, run);
  }
  void on_whose_jobs(const whose_jobs& w) {
    std::set<std::string> users;
    for (const auto& [key, run] : runs_) users.insert(run.what.user);
    for (const auto& [key, part] : part_runs_.all()) users.insert(part.what.user);
    self_->send(w.who, users_with_jobs{{users.begin(), users.end()}});
  }
  void on_find_job(const find_job& f) {
    for (const auto& [key, run] : runs_)
      if (is_wanted(f, key.job, run.what.cookie)) return self_->send(run.actor, f);
    if (!part_runs_.find(f)) self_->send(f.asker.who, job_found{f.asker.question, nullptr, {}, {}, 0, 0});
  }

  // A part on this host is asked as a sister would be.
  void on_to_sister(to_sister& t) {
    if (t.host == parts_.host) return part_runs_.on_request(parts_.host, nullptr, std::move(t.message));
    sisters_.send(t);
  }
  void on_to_primary(to_primary& t) {
    if (t.host == parts_.host) return to_run_of(t.host, std::move(t.message));
    part_runs_.send(t);
  }
  void on_sister_opened(const sister_opened& o) { sisters_.opened(o); }
  void on_sister_closed(const sister_closed& c) { sisters_.closed(c); }
  void on_sister_frame(sister_frame& f) {
    schema::sealed<schema::FromSister> said(std::move(f.message));
    if (!schema::is_readable(said)) return f.peer->close("a message that can't be read");
    to_run_of(f.host, std::move(said));
  }

  // What a sister said, to the run it speaks of.
  void to_run_of(const std::string& host, schema::sealed<schema::FromSister> message) {
    if (const auto run = actor_of(mom::key_of(run_of(message.get())))) self_->send(run, sister_said{host, std::move(message)});
  }

  void on_to_server(const to_server& t) {
    if (server_) server_->send(t.message);
  }

  void on_want_script(const want_script& w) {
    const auto at = runs_.find(w.key);
    if (at == runs_.end()) return;  // it has left meanwhile
    at->second.script = script_wait{w.hash, {}};
    ask_for_script(at->second);
  }

  // exechost_startup hooks see the vnodes of the new files; without any, the server hears of them now.
  void on_settings(const new_settings& s) {
    parts_.runs.settings = s.settings;
    (void)busy_changed();
    hooks_->read_again();
    if (!hooks_->starting_up()) say_hello();
    tell_runs(s);
    part_runs_.tell_all(s);
  }

  void on_poll() {
    hooks_->on_second();
    if (busy_changed() && !hooks_->starting_up()) say_hello();
    tell_runs(poll_usage{report_interval_s_});
    part_runs_.tell_all(poll_usage{report_interval_s_});
    look_at_users();
    self_->delayed_send(self_, poll_period, poll_atom::value);
  }

 private:
  struct script_wait {
    std::string hash, text;
  };
  struct run_here {
    known_run what;
    caf::actor actor;
    bool discarded = false;             // it goes because the server does not want it
    std::optional<script_wait> script;  // it is on its way
  };

  // Null: no such run is here.
  caf::actor actor_of(const values::run_key& key) const {
    const auto at = runs_.find(key);
    return at == runs_.end() ? nullptr : at->second.actor;
  }
  template <class Message>
  void tell_runs(const Message& m) {
    for (const auto& [key, run] : runs_) self_->send(run.actor, m);
  }
  static void fill_ref(const known_run& run, schema::RunRef::Builder ref) {
    ref.setJobSerial(run.job_serial);
    ref.setRun(run.key.run);
    ref.setJob(run.key.job);
  }

  void look_at_users() {
    const auto& rule = parts_.runs.settings->config.users;
    if (!rule.on || !parts_.user_watch) {
      polls_of_users_ = 0;
    } else if (++polls_of_users_ >= limits::restrict_user_s) {
      polls_of_users_ = 0;
      self_->send(parts_.user_watch, annals::actors::look_at_users{rule, caf::actor(self_)});
    }
  }

  bool busy_changed() {
    const auto& limits = parts_.runs.settings->config.load;
    const double load = limits.max && parts_.load ? parts_.load() : 0;
    if (mom::is_busy(limits, load, busy_) == busy_) return false;
    busy_ = !busy_;
    char text[64];
    std::snprintf(text, sizeof text, "%s: the load is %.2f", busy_ ? "busy" : "no longer busy", load);
    note(log_event::system, "Node", parts_.host, text);
    return true;
  }

  // Runs and parts look at them before they say anything of hooks.
  static mom_actor_parts with_hook_bits(mom_actor_parts parts) {
    if (parts.runner) parts.runs.hooks = std::make_shared<hook_bits>();
    return parts;
  }

  static mom_schedulers_parts with_names(const mom_actor_parts& parts) {
    auto p = parts.schedulers;
    p.host = parts.host;
    p.notes = parts.runs.notes;
    p.detached = parts.detached;
    return p;
  }

  void note(std::uint32_t event, const char* cls, const std::string& object, const std::string& text) {
    if (parts_.runs.notes) parts_.runs.notes->write(event, cls, object, text);
  }

  envelope<model::run_command> wrap(model::run_command c) {
    return {std::move(c), {"pbs_mom", parts_.host, schema::Role::MOM}, {}, nullptr, settings_, {}, 0, {}};
  }

  caf::actor spawn(const known_run& run) {
    auto a = self_->spawn<run_actor>(parts_.runs, caf::actor(self_), run.key, run.stream, settings_);
    runs_[run.key] = {run, a, false, std::nullopt};
    return a;
  }

  // The first one of a run counts, and with it the cookie and what the names of its directories end with.
  void on_order(schema::sealed<schema::ToMom>& message) {
    const auto ref = message.get().getStartRun().getRef();
    const auto key = mom::key_of(ref);
    if (runs_.contains(key)) return to_run(ref, model::take_order{message});  // its ticket may be a fresh one
    const auto cookie = parts_.make_cookie();
    to_run(ref, model::take_order{mom::with_chance(message, cookie, parts_.make_cookie().substr(0, name_end_digits))});
    if (const auto at = runs_.find(key); at != runs_.end()) {
      at->second.what.cookie = cookie;
      at->second.what.user = schema::str(message.get().getStartRun().getEuser());
    }
  }

  // A run that has left stays left, even if an old order for it comes late.
  void to_run(schema::RunRef::Reader ref, model::run_command command) {
    if (left_.has(ref.getJobSerial(), ref.getRun())) return refuse(ref);
    const auto key = mom::key_of(ref);
    const auto at = runs_.find(key);
    const auto run = at == runs_.end() ? spawn({key, 0, ref.getJobSerial()}) : at->second.actor;
    self_->send(run, wrap(std::move(command)));
  }

  // A server that was restored from a backup gives numbers of runs again: it needs another one. To others this is old news.
  void refuse(schema::RunRef::Reader left) {
    on_to_server({schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto r = m.initRunRefused();
      r.setRef(left);
      r.setCode(-3);
      r.setText("this run has left the host before");
    })});
  }

  void discard(schema::RunRef::Reader ref, const schema::sealed<schema::ToMom>& message) {
    const auto at = runs_.find(mom::key_of(ref));
    if (at != runs_.end()) {
      at->second.discarded = true;
      self_->send(at->second.actor, wrap(model::discard_order{message}));
    } else if (!part_runs_.discard(ref)) {
      tell_discarded(ref.getJobSerial(), ref.getRun());
    }
  }

  // If nobody hears it the next hello says the same: the run is not in it.
  void tell_discarded(std::uint64_t serial, std::uint32_t run) {
    if (!server_) return;
    server_->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto ref = m.initSignalDone().initRef();
      ref.setJobSerial(serial);
      ref.setRun(run);
    }));
  }

  // The server gives a script to the run it is of.
  void ask_for_script(run_here& run) {
    auto& wait = *run.script;
    wait.text.clear();
    if (!server_) return;
    server_->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto w = m.initWantBlob();
      w.setHash({reinterpret_cast<const kj::byte*>(wait.hash.data()), wait.hash.size()});
      fill_ref(run.what, w.initRef());
    }));
  }

  void on_blob(schema::Blob::Reader b) {
    const auto at = runs_.find(mom::key_of(b.getRef()));
    if (at == runs_.end() || !at->second.script) return;
    auto& script = at->second.script;
    if (b.getOffset() != script->text.size()) return;  // of an older request
    script->text.append(reinterpret_cast<const char*>(b.getData().begin()), b.getData().size());
    if (!b.getLast() && !b.getMissing()) return;
    self_->send(at->second.actor, script_text{std::move(script->text), b.getMissing()});
    script.reset();
  }

  caf::event_based_actor* self_;
  mom_actor_parts parts_;
  model::settings_ptr settings_ = std::make_shared<model::settings>();  // a MoM has no settings of the server's kind
  wire::connection_ptr server_;
  std::uint32_t report_interval_s_ = 10;
  std::map<values::run_key, run_here> runs_;
  std::int64_t polls_of_users_ = 0;  // since they were looked at
  bool busy_ = false;                // its load is too high: the server knows
  left_runs left_;
  sister_links sisters_;
  part_registry part_runs_;
  mom_schedulers schedulers_;
  helper_pool hook_reports_;  // one: they come in their order
  helper_pool files_;         // one: what is asked for comes in its order
  std::unique_ptr<mom_hooks> hooks_;
};

}  // namespace

caf::behavior mom_actor(caf::event_based_actor* self, mom_actor_parts parts) {
  auto m = std::make_shared<mom_router>(self, std::move(parts));
  return {
      [m](begin_work) { m->begin(); },
      [m](const peer_opened& o) { m->on_opened(o); },
      [m](peer_frame& f) { m->on_frame(f); },
      [m](const peer_closed& c) { m->on_closed(c); },
      [m](host_event& e) { m->on_host_event(e); },
      [m](const run_gone& g) { m->on_gone(g); },
      [m](const part_gone& g) { m->on_part_gone(g); },
      [m](part_event& e) { m->on_part_event(e); },
      [m](file_work& w) { m->on_file_work(w); },
      [m](const task_grown& g) { m->on_grown(g); },
      [m](const output_appended& a) { m->on_news_of_run(a); },
      [m](const host_acted& a) { m->on_news_of_run(a); },
      [m](const node_file_written& w) { m->on_news_of_run(w); },
      [m](const whose_jobs& w) { m->on_whose_jobs(w); },
      [m](const find_job& f) { m->on_find_job(f); },
      [m](const want_sister& w) { m->on_want_sister(w); },
      [m](to_sister& t) { m->on_to_sister(t); },
      [m](to_primary& t) { m->on_to_primary(t); },
      [m](const sister_opened& o) { m->on_sister_opened(o); },
      [m](sister_frame& f) { m->on_sister_frame(f); },
      [m](const sister_closed& c) { m->on_sister_closed(c); },
      [m](const to_server& t) { m->on_to_server(t); },
      [m](const want_script& w) { m->on_want_script(w); },
      [m](const new_settings& s) { m->on_settings(s); },
      [m](poll_atom) { m->on_poll(); },
      [m](at_hook_point& at) { m->on_hook_point(at); },
      [m](job_at_work& job) { m->on_job_at_work(job); },
      [m](hook_usage_of_run& u) { m->on_hook_usage(u); },
      [](run_this& t) { t.work(); },
      [](const disk_state&) {},
      [](const committed&) {},
  };
}

}  // namespace annals::actors
