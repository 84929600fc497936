#include "actors/gateway/gateway.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <set>

#include "actors/gateway/authorise.hpp"
#include "actors/gateway/hook_desk.hpp"
#include "actors/gateway/hooked_requests.hpp"
#include "actors/gateway/script_blob.hpp"
#include "actors/server/host_actor.hpp"
#include "actors/server/job_actor.hpp"
#include "actors/server/object_actors.hpp"
#include "actors/server/replies.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/values/base64.hpp"
#include "events/values/job_id.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;
using schema::ObjectKind;

namespace {

using history_atom = caf::atom_constant<caf::atom("history")>;

// The process ends whether or not the stop could be written: a full disk must not keep it.
class stopped_reply final : public reply_to {
 public:
  stopped_reply(std::function<void(const std::string&)> shut_down, std::string how) : shut_down_(std::move(shut_down)), how_(std::move(how)) {}
  void done(std::uint64_t, const std::string&) override { shut_down_(how_); }
  void refused(std::uint64_t, const model::rejection&) override { shut_down_(how_); }

 private:
  std::function<void(const std::string&)> shut_down_;
  std::string how_;
};

// A job's part in an orderly stop: noted in the log, or asked again.
class stop_reply final : public reply_to {
 public:
  stop_reply(caf::actor gateway, daemon_log* notes, std::uint64_t number, std::string id)
      : gateway_(std::move(gateway)), notes_(notes), number_(number), id_(std::move(id)) {}
  void done(std::uint64_t, const std::string& text) override {
    if (notes_ && !text.empty()) notes_->write(log_event::debug | log_event::job | log_event::system, "Job", id_, text);
  }
  void refused(std::uint64_t, const model::rejection&) override {
    caf::delayed_anon_send(gateway_, std::chrono::seconds(1), job_not_stopped{number_});
  }

 private:
  caf::actor gateway_;
  daemon_log* notes_;
  std::uint64_t number_;
  std::string id_;
};

using hook_runs = std::vector<schema::sealed<schema::HookRun>>;
using hook_atom = caf::atom_constant<caf::atom("hooktick")>;
constexpr auto hook_tick = std::chrono::seconds(1);          // freq is in seconds

// The rows of the catalogue that the gateway dispatches.
const hooks::hook_event* const queuejob_event = hooks::find_event("queuejob");
const hooks::hook_event* const postqueuejob_event = hooks::find_event("postqueuejob");
const hooks::hook_event* const modifyjob_event = hooks::find_event("modifyjob");
const hooks::hook_event* const runjob_event = hooks::find_event("runjob");
const hooks::hook_event* const jobobit_event = hooks::find_event("jobobit");
const hooks::hook_event* const movejob_event = hooks::find_event("movejob");
const hooks::hook_event* const management_event = hooks::find_event("management");
const hooks::hook_event* const modifyvnode_event = hooks::find_event("modifyvnode");
const hooks::hook_event* const periodic_event = hooks::find_event("periodic");

class router {
 public:
  router(caf::event_based_actor* self, gateway_parts parts) : self_(self), parts_(std::move(parts)) {
    next_number_ = parts_.where->next_number();
    hook_desk_parts h{self_, parts_.runner, parts_.where, parts_.shell.reader, parts_.status, parts_.notes, {}};
    h.write = [this](const std::string& name, model::hook_ran ran, std::vector<schema::sealed<schema::HookRun>> before) {
      write_run(name, std::move(ran), std::move(before));
    };
    hooks_ = std::make_unique<hook_desk>(std::move(h));
  }

  // Everything that owes something comes to life.
  void begin() {
    for (const auto& [name, stream] : parts_.where->hosts()) (void)host(name);
    for (auto serial : parts_.owing)
      if (const auto number = parts_.where->job_number(serial)) (void)job(*number);
    look_at_history();
    hooks_->tell_resources();
    if (parts_.where->had_hooks()) send_hooks_to_moms();
    if (parts_.runner) self_->delayed_send(self_, hook_tick, hook_atom::value);
  }

  // Periodic hooks: each when its freq is over since its last run (pbs guide: freq).
  void on_hook_tick() {
    self_->delayed_send(self_, hook_tick, hook_atom::value);
    if (!hooks_->wanted(*periodic_event)) return;
    const auto now = parts_.shell.clock->now_ns();
    for (const auto& [serial, hook] : parts_.where->hook_states()) {
      if (!hook.enabled() || hook.code.hash.empty() || !hook.has_event("periodic")) continue;
      auto& due = hook_due_.try_emplace(serial, now + hook.number(attributes::hook::freq) * 1'000'000'000).first->second;
      if (now < due) continue;
      due = now + hook.number(attributes::hook::freq) * 1'000'000'000;
      run_periodic(hook.name);
    }
  }

  // qterm -t immediate and -t delay: the server goes when the last run has left (pbs guide: qterm). What becomes of each job
  // its own rules say.
  void wind_up(const std::string& how) {
    winding_up_ = how;
    if (parts_.refuse_clients) parts_.refuse_clients();
    for (auto serial : parts_.where->jobs_with_runs())
      if (const auto number = parts_.where->job_number(serial)) stop_job(*number);
    stop_when_done();
  }
  void stop_job(std::uint64_t number) {
    const auto id = std::to_string(number) + "." + site()->server_name;
    tell_job(number, model::server_stops{winding_up_ == "delay"}, {"", site()->host_name, schema::Role::SERVER},
             std::make_shared<stop_reply>(self_, parts_.notes, number, id));
  }
  void stop_when_done() {
    if (!winding_up_.empty() && !stopped_ && !parts_.where->anything_runs()) stop(winding_up_);
  }

  // Writes that the server stops, then lets the process end.
  void stop(const std::string& how) {
    stopped_ = true;
    auto ended = std::make_shared<stopped_reply>(parts_.shut_down, how);
    self_->send(server(), envelope<model::server_command>{model::server_down{how}, {"", site()->host_name, schema::Role::SERVER}, {}, std::move(ended), site(), {}, 0, {}});
  }

  // -- from the link -------------------------------------------------------------------------------------------------------

  // A frame that is no message of ours ends its connection, never the server.
  void on_frame(peer_frame& f) {
    const auto peer = f.peer;
    try {
      route(f);
    } catch (const kj::Exception& e) {
      peer->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
    }
  }

  void route(peer_frame& f) {
    switch (f.peer->peer().what) {
      case wire::identity::kind::local: return on_request(f.peer, schema::sealed<schema::Request>(std::move(f.message)));
      case wire::identity::kind::mom: return on_mom(f.peer, schema::sealed<schema::FromMom>(std::move(f.message)));
      case wire::identity::kind::scheduler:
        return on_scheduler(f.peer, schema::sealed<schema::FromScheduler>(std::move(f.message)));
      case wire::identity::kind::server: return f.peer->close("a server has nothing to say here");
    }
  }

  void on_closed(const peer_closed& c) {
    const auto& who = c.peer->peer();
    if (who.what == wire::identity::kind::mom) {
      if (const auto at = hosts_.find(who.name); at != hosts_.end()) self_->send(at->second, mom_gone{c.peer, c.why});
    } else if (who.what == wire::identity::kind::scheduler) {
      self_->send(parts_.status, scheduler_disconnected{c.peer});
      if (const auto s = scheduler(who.name))
        self_->send(s, envelope<model::scheduler_command>{model::scheduler_gone{c.why}, {"Scheduler", who.name, schema::Role::SCHEDULER}, {}, nullptr, site(), {}, 0, {}});
    }
  }

  // -- followers and other actors ------------------------------------------------------------------------------------------

  void on_committed(const committed& c) {
    bool moms_differ = false;
    for (const auto& r : *c.records) {
      parts_.where->fold(*r);
      parts_.history->fold(*r);
      if (parts_.runner) hooks_look_on(*r);
      const auto event = r->event();
      const bool of_hooks = r->get().getStreamKind() == schema::StreamKind::HOOK && !event.isHookRan();
      const bool of_resources = event.isResourceCreated() || event.isResourceChanged() || event.isResourceDeleted();
      moms_differ |= of_hooks || (parts_.where->had_hooks() && (of_resources || event.isHostAdded()));
      if (r->event().isVnodeHandedBack() && r->event().getVnodeHandedBack().getAbandoned()) discard_abandoned(*r);
      // Proposed before the stop, assigned after it.
      if (!winding_up_.empty() && r->event().isJobAssigned())
        if (const auto number = parts_.where->job_number(r->get().getStream())) stop_job(*number);
    }
    if (moms_differ) send_hooks_to_moms();
    stop_when_done();
    look_at_history();
  }

  void on_history_timer(std::int64_t due_ns) {
    if (due_ns != history_timer_ns_) return;       // an older timer
    history_timer_ns_ = 0;
    look_at_history();
  }

  void on_idle(const job_idle& idle) {
    const auto at = jobs_.find(idle.number);
    if (at == jobs_.end()) return;
    if (idle.ended) return ask_to_leave(idle.number, at->second);
    idle_.push_back(idle.number);
    while (idle_.size() > limits::resident_idle_jobs_max) {
      const auto oldest = jobs_.find(idle_.front());
      if (oldest != jobs_.end()) ask_to_leave(oldest->first, oldest->second);
      idle_.pop_front();
    }
  }

  void on_may_leave(const i_may_leave& m) {
    const auto at = jobs_.find(m.number);
    if (at == jobs_.end() || at->second.sent != m.sent) return;    // it was sent something meanwhile
    caf::anon_send_exit(at->second.actor, caf::exit_reason::normal);
    jobs_.erase(at);
  }

  void on_job_command(job_command_for& c) {
    if (!parts_.where->job_serial(c.number)) return c.reply->refused(parts_.where->sequence(), model::refuse(pbs_error::unknown_job));
    auto& entry = job(c.number);
    ++entry.sent;
    self_->send(entry.actor, envelope<model::job_command>{std::move(c.command), c.by, std::move(c.command_id), std::move(c.reply), site(), {}, 0, {}});
  }

  void on_post(post_to_host& p) {
    if (p.message.get().isStartRun() && p.message.get().getStartRun().getSisters().size() > 0)
      p.message = with_ticket(p.message, p.host, *parts_.where, parts_.sign_ticket, parts_.shell.clock->now_ns());
    if (const auto h = host(p.host)) self_->send(h, std::move(p));
  }
  void on_withdraw(withdraw_from_host& w) {
    if (const auto h = host(w.host)) self_->send(h, std::move(w));
  }

  void on_missing(const run_missing& m) {
    tell_job(m.run.number, model::run_lost{m.run.run, false, m.log_is_new, "the MoM no longer has the run"}, mom_of(""), nullptr);
  }

  // A MoM has a run: of a job that still wants it, or one to be discarded.
  void on_present(const run_present& p) {
    if (!parts_.where->has_run(p.host, p.serial, p.run)) discard(p);
  }

 private:
  // -- clients -------------------------------------------------------------------------------------------------------------

  void on_request(const wire::connection_ptr& peer, schema::sealed<schema::Request> request) {
    const auto r = request.get();
    const auto by = requester_of(peer->peer(), *site(), parts_.server_uid);
    auto reply = reply_to_client(peer, r.getId());
    if (changes_state(r) && !winding_up_.empty()) return reply->refused(0, model::refuse(pbs_error::server_down));
    if (changes_state(r) && !fresh(r)) return reply->refused(0, {pbs_error::expired_credential, "Expired request: its command id is older than 24 hours"});
    switch (r.which()) {
      case schema::Request::QUEUE_JOB: return ask_submit_hooks(peer, std::move(request), by, std::move(reply));
      case schema::Request::ALTER_JOB: return ask_alter_hooks(peer, std::move(request), by, std::move(reply));
      case schema::Request::HOLD_JOB: return to_job(r.getHoldJob().getJob(), request, by, std::move(reply));
      case schema::Request::RELEASE_JOB: return to_job(r.getReleaseJob().getJob(), request, by, std::move(reply));
      case schema::Request::DELETE_JOB: return to_job(r.getDeleteJob().getJob(), request, by, std::move(reply));
      case schema::Request::RERUN_JOB: return to_job(r.getRerunJob().getJob(), request, by, std::move(reply));
      case schema::Request::SIGNAL_JOB: return signal(request, by, std::move(reply));
      case schema::Request::MOVE_JOB: return ask_move_hooks(std::move(request), by, std::move(reply));
      case schema::Request::MESSAGE_JOB: return to_job(r.getMessageJob().getJob(), request, by, std::move(reply));
      case schema::Request::RUN_JOB:
        if (!by.is_operator()) return reply->refused(0, model::refuse(pbs_error::unauthorized));
        [[fallthrough]];
      case schema::Request::ORDER_JOBS:
        return self_->send(parts_.status, by_hand{std::move(request), by, parts_.where->sequence(), std::move(reply), self_});
      case schema::Request::MANAGE: return ask_management_hooks(std::move(request), by, std::move(reply));
      case schema::Request::SHUTDOWN: return shut_down(r.getShutdown(), by, std::move(reply));
      case schema::Request::PUT_BLOB: return self_->send(parts_.uploads, query{peer, std::move(request), by, 0});
      case schema::Request::STAT:
      case schema::Request::SELECT_JOBS:
      case schema::Request::WAIT_JOB: return self_->send(parts_.status, query{peer, std::move(request), by, parts_.where->sequence()});
      case schema::Request::EXPORT_HOOK: return export_hook(r.getExportHook(), by, std::move(reply));
      case schema::Request::HELLO: return reply->done(parts_.where->sequence(), site()->server_name);
    }
    reply->refused(0, model::refuse(pbs_error::unknown_request));
  }

  static bool changes_state(schema::Request::Reader r) { return r.getCommandId().size() > 0; }
  bool fresh(schema::Request::Reader r) const {
    return r.getSentAtNs() == 0 || parts_.shell.clock->now_ns() - r.getSentAtNs() < limits::command_id_memory_s * 1'000'000'000;
  }
  static std::string command_id(schema::Request::Reader r) {
    const auto id = r.getCommandId();
    return {reinterpret_cast<const char*>(id.begin()), id.size()};
  }

  template <class Command>
  envelope<Command> wrap(Command command, schema::Request::Reader r, const model::requester& by, reply_ptr reply) {
    return {std::move(command), by, command_id(r), std::move(reply), site(), {}, 0, {}};
  }

  void submit(const wire::connection_ptr& peer, schema::sealed<schema::Request> request, const model::requester& by, reply_ptr reply,
              hook_runs hooks = {}) {
    // Who has no account here can run nothing anywhere (a private cluster's owner runs everything).
    const auto& who = peer->peer();
    if (who.uid != parts_.server_uid && by.user == std::to_string(who.uid)) return reply->refused(0, model::refuse(pbs_error::bad_user));
    const auto q = request.get().getQueueJob();
    auto script = script_blob_of(q);
    if (!script.refusal.text.empty()) return reply->refused(0, script.refusal);
    const auto number = next_number_++;
    model::submit_job command{request, number, by.user, group_name(peer->peer().gid), script.hash, script.size, {}};
    if (names_groups(q.getAttributes())) command.groups = groups_of(by.user, peer->peer().gid);
    auto e = wrap<model::job_command>(std::move(command), request.get(), by, std::move(reply));
    e.blobs = std::move(script.blobs);
    e.uploaded = std::move(script.uploaded);
    e.hooks = std::move(hooks);
    auto& entry = jobs_[number];
    entry.actor = self_->spawn<job_actor>(job_parts{parts_.shell, self_}, number, 0, site());
    ++entry.sent;
    self_->send(entry.actor, std::move(e));
  }

  static bool names_groups(capnp::List<schema::Attribute>::Reader attributes) {
    for (auto a : attributes)
      if (schema::text(a.getName()) == "group_list") return true;
    return false;
  }

  void alter(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
             hook_runs hooks = {}) {
    const auto a = request.get().getAlterJob();
    auto groups = names_groups(a.getChanges()) ? groups_of(by.user, peer->peer().gid) : std::vector<std::string>();
    to_job(a.getJob(), request, by, std::move(reply), std::move(groups), std::move(hooks));
  }

  // What tracejob shows of requests that leave no event.
  void note_request(capnp::Text::Reader id, schema::Request::Reader r, bool known) {
    if (!parts_.notes) return;
    const auto line = [&](const char* text) { parts_.notes->write(log_event::debug, "Job", schema::text(id), text); };
    if (r.isDeleteJob()) line("delete job request received");
    if (!known) line("Unknown Job Id");
  }

  void to_job(capnp::Text::Reader id, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
              std::vector<std::string> groups = {}, hook_runs hooks = {}) {
    const auto parsed = values::parse_job_id(schema::text(id));
    note_request(id, request.get(), parsed && parts_.where->job_serial(parsed->number));
    if (!parsed || parsed->form != values::id_form::job || !parts_.where->job_serial(parsed->number))
      return reply->refused(parts_.where->sequence(), model::refuse(pbs_error::unknown_job));
    auto& entry = job(parsed->number);
    ++entry.sent;
    auto e = wrap<model::job_command>(model::client_request{request, std::move(groups)}, request.get(), by, std::move(reply));
    e.hooks = std::move(hooks);
    self_->send(entry.actor, std::move(e));
  }

  void signal(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
    const auto s = request.get().getSignalJob();
    const auto parsed = values::parse_job_id(schema::text(s.getJob()));
    if (parsed && schema::text(s.getSignal()).ends_with("resume")) reply = reply_or_resume_later(self_, parsed->number, by, std::move(reply));
    to_job(s.getJob(), request, by, std::move(reply));
  }

  void shut_down(schema::Shutdown::Reader how, const model::requester& by, reply_ptr reply) {
    if (!by.is_operator()) return reply->refused(0, model::refuse(pbs_error::unauthorized));
    const auto type = schema::str(how.getHow());
    const char* name = type == "quick" ? "Quick" : type == "immediate" ? "Immediate" : type == "delay" ? "Delayed" : nullptr;
    if (!name) return reply->refused(0, model::refuse(pbs_error::no_support));
    const auto line = [&](const std::string& text) {
      if (parts_.notes) parts_.notes->write(log_event::admin | log_event::system | log_event::debug, "Svr", "PBS_Server", text);
    };
    line("Shutdown request from " + by.at_host() + " ");
    line(std::string("Starting to shutdown the server, type is ") + name);
    reply->done(parts_.where->sequence(), "");
    if (type == "quick") stop(type);
    else wind_up(type);
  }

  // -- qmgr ----------------------------------------------------------------------------------------------------------------

  void manage(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
    const auto m = request.get().getManage();
    if (m.getAllOfKind()) return manage_all(request, by, std::move(reply));
    if (m.getKind() == ObjectKind::HOOK) return manage_hook(request, by, std::move(reply));
    if (!by.is_operator()) return reply->refused(0, model::refuse(pbs_error::unauthorized));
    switch (m.getKind()) {
      case ObjectKind::SERVER:
      case ObjectKind::RESOURCE:
        return self_->send(server(), wrap<model::server_command>(request, request.get(), by, std::move(reply)));
      case ObjectKind::QUEUE: {
        auto q = queue(schema::str(m.getName()), m.getVerb() == schema::ManageVerb::CREATE);
        if (!q) return reply->refused(0, model::refuse(pbs_error::unknown_queue));
        return self_->send(q, wrap(request, request.get(), by, std::move(reply)));
      }
      case ObjectKind::NODE:
      case ObjectKind::HOST: return manage_node(request, by, std::move(reply));
      case ObjectKind::SCHEDULER: {
        auto s = scheduler(schema::str(m.getName()), m.getVerb() == schema::ManageVerb::CREATE);
        if (!s) return reply->refused(0, model::refuse(pbs_error::unknown_scheduler));
        return self_->send(s, wrap<model::scheduler_command>(request, request.get(), by, std::move(reply)));
      }
      case ObjectKind::HOOK:
      case ObjectKind::JOB: break;
    }
    reply->refused(0, model::refuse(pbs_error::invalid_request));
  }

  void manage_node(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
    const auto m = request.get().getManage();
    const auto name = schema::str(m.getName());
    const bool creates = m.getVerb() == schema::ManageVerb::CREATE;
    if (creates && parts_.where->vnodes().contains(name)) return reply->refused(0, model::refuse(pbs_error::node_exists));
    const auto host_name = creates ? std::optional(name) : parts_.where->host_of_vnode(name);
    auto h = host_name ? host(*host_name, creates) : caf::actor();
    if (!h) return reply->refused(0, model::refuse(pbs_error::unknown_node));
    self_->send(h, wrap<model::host_command>(request, request.get(), by, std::move(reply)));
  }

  // -- hooks ---------------------------------------------------------------------------------------------------------------

  static model::rejection no_hook(const std::string& name) { return {pbs_error::hook_error, name + " does not exist!"}; }

  void manage_hook(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply, bool compiled = false) {
    const auto m = request.get().getManage();
    const auto name = schema::str(m.getName());
    if (const auto why = model::may_touch_hooks(by, *site()); why.code != 0) return reply->refused(0, why);
    auto h = hook(name, m.getVerb() == schema::ManageVerb::CREATE);
    if (!h) return reply->refused(0, no_hook(name));
    if (m.getVerb() == schema::ManageVerb::IMPORT && schema::text(m.getContentType()) == model::python_content && !compiled)
      return compile_hook(request, by, std::move(reply));
    model::manage_hook command{request, {}};
    auto e = wrap<model::hook_command>(model::hook_command{}, request.get(), by, std::move(reply));
    if (m.getVerb() == schema::ManageVerb::IMPORT) {
      const auto bytes = schema::bytes_of(m.getContent());
      command.content_hash = log::content_hash(bytes);
      e.blobs.push_back({command.content_hash, {bytes.begin(), bytes.end()}});
    }
    e.command = std::move(command);
    self_->send(h, std::move(e));
  }

  // A script that does not compile is refused at import; what the compiler said goes into the log.
  void compile_hook(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
    const auto m = request.get().getManage();
    const auto source = schema::bytes_of(m.getContent());
    const auto name = schema::str(m.getName());
    hooks_->compile(name, {reinterpret_cast<const char*>(source.data()), source.size()},
                    [this, request, by, reply = std::move(reply), name](const std::string& problem) {
                      if (problem.empty()) return manage_hook(request, by, reply, true);
                      if (parts_.notes) parts_.notes->write(log_event::error, "Hook", name, problem);
                      reply->refused(0, {pbs_error::hook_error, "Failed to compile script, hook '" + name + "' contents not overwritten"});
                    });
  }

  void export_hook(schema::ExportHook::Reader asked, const model::requester& by, reply_ptr reply) {
    const auto name = schema::str(asked.getName());
    if (const auto why = model::may_touch_hooks(by, *site()); why.code != 0) return reply->refused(0, why);
    const auto* hook = asked.getPbsHook() ? nullptr : parts_.where->hook(name);
    if (!hook) return reply->refused(0, no_hook(name));
    const auto& content = schema::text(asked.getContentType()) == model::python_content ? hook->code : hook->config;
    const auto bytes = content.hash.empty() ? std::nullopt : parts_.shell.reader->store().read_blob(content.hash);
    reply->done(parts_.where->sequence(), bytes ? values::base64_lines(schema::byte_span(*bytes)) : std::string());
  }

  void write_run(const std::string& name, model::hook_ran ran, hook_runs before) {
    const auto h = hook(name);
    if (!h) return;
    envelope<model::hook_command> e{std::move(ran), server_itself(), {}, nullptr, site(), {}, 0, {}};
    e.hooks = std::move(before);
    self_->send(h, std::move(e));
  }
  model::requester server_itself() const { return {"root", site()->host_name, schema::Role::SERVER}; }

  // The request goes on as hooks left it, or is refused in the words of the hook that stopped it.
  template <class GoOn>
  hook_desk::answer then_go_on(std::string subject, reply_ptr reply, GoOn go_on) {
    return [this, subject = std::move(subject), reply = std::move(reply), go_on = std::move(go_on)](hooks::chain_result& result) {
      if (!result.stopped) return go_on(result);
      hooks_->write_rejection(subject, result);
      reply->refused(parts_.where->sequence(), result.why);
    };
  }

  void ask_submit_hooks(const wire::connection_ptr& peer, schema::sealed<schema::Request> request, const model::requester& by, reply_ptr reply) {
    if (!hooks_->wanted(*queuejob_event)) return submit(peer, std::move(request), by, std::move(reply));
    hook_desk::question q{queuejob_event, by, by.user, by.at_host(), {{"job", job_asked(request.get().getQueueJob())}}, {}, {}};
    hooks_->run(std::move(q), then_go_on(by.at_host(), reply, [this, peer, request, by, reply](hooks::chain_result& result) {
      const auto* job = hooks::object_of(result.parameters, "job");
      submit(peer, result.changes.empty() ? request : with_job(request, *job), by, reply, std::move(result.runs));
    }));
  }

  void ask_alter_hooks(const wire::connection_ptr& peer, schema::sealed<schema::Request> request, const model::requester& by, reply_ptr reply) {
    const auto asked = request.get().getAlterJob();
    const auto id = values::parse_job_id(schema::text(asked.getJob()));
    if (!hooks_->wanted(*modifyjob_event) || !id || !parts_.where->job_serial(id->number)) return alter(peer, request, by, std::move(reply));
    const auto name = std::to_string(id->number) + "." + site()->server_name;
    auto job = job_asked(asked);
    job.name = name;
    hook_desk::question q{modifyjob_event, by, by.user, name, {{"job", std::move(job)}},
                          {{"job_o", ObjectKind::JOB, name, parts_.where->sequence()}}, {}};
    hooks_->run(std::move(q), then_go_on(name, reply, [this, peer, request, by, reply](hooks::chain_result& result) {
      const auto* changed = hooks::object_of(result.parameters, "job");
      alter(peer, result.changes.empty() ? request : with_job(request, *changed), by, reply, std::move(result.runs));
    }));
  }

  void ask_move_hooks(schema::sealed<schema::Request> request, const model::requester& by, reply_ptr reply) {
    const auto asked = request.get().getMoveJob();
    const auto id = values::parse_job_id(schema::text(asked.getJob()));
    if (!hooks_->wanted(*movejob_event) || !id || !parts_.where->job_serial(id->number))
      return to_job(asked.getJob(), request, by, std::move(reply));
    const auto name = std::to_string(id->number) + "." + site()->server_name;
    hook_desk::question q{movejob_event, by, by.user, name, {}, {{"job", ObjectKind::JOB, name, parts_.where->sequence()}}, {}};
    q.adjust = [to = schema::str(asked.getDestination())](hooks::hook_parameters& p) { show_move(p, to); };
    hooks_->run(std::move(q), then_go_on(name, reply, [this, request, by, reply](hooks::chain_result& result) {
      const auto* job = hooks::object_of(result.parameters, "job");
      const auto* queue = job ? job->find("queue") : nullptr;
      const auto moved = result.changes.empty() || !queue ? request : with_destination(request, queue->value);
      to_job(moved.get().getMoveJob().getJob(), moved, by, reply, {}, std::move(result.runs));
    }));
  }

  void ask_management_hooks(schema::sealed<schema::Request> request, const model::requester& by, reply_ptr reply) {
    if (!hooks_->wanted(*management_event)) return manage(request, by, std::move(reply));
    const auto subject = schema::str(request.get().getManage().getName());
    hook_desk::question q{management_event, by, by.user, subject, {{"management", management_asked(request.get().getManage())}}, {}, {}};
    hooks_->run(std::move(q), then_go_on(subject, reply, [this, request, by, reply, subject](hooks::chain_result& result) {
      hooks_->write_all(subject, result);
      manage(request, by, reply);
    }));
  }

  // A scheduler proposes to run a job (runjob): refused, the job's comment says why, and what the hook set of it holds.
  void ask_run_hooks(std::uint64_t number, model::proposed_run proposed, const model::requester& by, reply_ptr reply) {
    if (!hooks_->wanted(*runjob_event)) return tell_job(number, std::move(proposed), by, std::move(reply));
    const auto id = std::to_string(number) + "." + site()->server_name;
    const auto run = proposed.message.get().getRun();
    hook_desk::question q{runjob_event, by, {}, id, {}, {{"job", ObjectKind::JOB, id, parts_.where->sequence()}}, {}};
    q.adjust = [exec = schema::str(run.getExecVnode())](hooks::hook_parameters& p) {
      if (auto* job = hooks::find_parameter(p, "job")) std::get<hooks::hook_object>(job->value).put("exec_vnode", {}, exec);
    };
    hooks_->run(std::move(q), [this, number, id, proposed = std::move(proposed), by, reply](hooks::chain_result& result) {
      if (result.stopped) return run_rejected(number, id, result, reply);
      tell_job(number, proposed, by, reply, std::move(result.runs));
    });
  }

  void run_rejected(std::uint64_t number, const std::string& id, hooks::chain_result& result, const reply_ptr& reply) {
    const auto comment = "Not Running: PBS Error: " + result.why.text;
    const auto* job = hooks::object_of(result.parameters, "job");
    const auto* before = job ? job->find("comment") : nullptr;
    // The next cycle will say the same: only what is new is written, or the cycles would never end.
    const bool known = before && before->value == comment && result.changes.empty();
    if (!known) {
      std::vector<hooks::hook_change> changes;
      for (const auto& c : result.changes)
        if (c.parameter == "job" && c.before != c.after) changes.push_back(c);
      hooks::hook_change says;
      says.attribute = "comment";
      says.has_value = true;
      says.after = comment;
      changes.push_back(says);
      tell_job(number, model::client_request{alteration(id, changes), {}}, server_itself(), nullptr, result.runs);
    }
    reply->refused(parts_.where->sequence(), {result.why.code, comment});
  }

  // Events that hooks only look on at: what happened is on disk already.
  void hooks_look_on(const log::record& r) {
    const auto event = r.event();
    const auto sequence = r.sequence();
    switch (event.which()) {
      case schema::Event::JOB_QUEUED:
        if (hooks_->wanted(*postqueuejob_event)) look_on(*postqueuejob_event, r, "job", schema::str(event.getJobQueued().getId()), sequence);
        return;
      case schema::Event::JOB_EXITED:
        if (!hooks_->wanted(*jobobit_event)) return;
        if (const auto number = parts_.where->job_number(r.get().getStream()))
          look_on(*jobobit_event, r, "job", std::to_string(*number) + "." + site()->server_name, sequence);
        return;
      case schema::Event::HOST_CAME_UP:
      case schema::Event::HOST_WENT_DOWN:
        if (!hooks_->wanted(*modifyvnode_event)) return;
        for (const auto& [vnode, stream] : parts_.where->vnodes())
          if (stream == r.get().getStream()) look_on(*modifyvnode_event, r, "vnode", vnode, sequence);
        return;
      case schema::Event::VNODE_CHANGED:
        if (hooks_->wanted(*modifyvnode_event)) look_on(*modifyvnode_event, r, "vnode", schema::str(event.getVnodeChanged().getVnode()), sequence);
        return;
      case schema::Event::RESOURCE_CREATED:
      case schema::Event::RESOURCE_CHANGED:
      case schema::Event::RESOURCE_DELETED: return hooks_->tell_resources();
      default: return;
    }
  }

  void look_on(const hooks::hook_event& event, const log::record& r, const std::string& parameter, const std::string& name, std::uint64_t sequence) {
    const auto who = r.get().getWho();
    const model::requester by{schema::str(who.getUser()), schema::str(who.getHost()), who.getRole()};
    hook_desk::question q{&event, by, by.user, name, {}, {}, {}};
    const auto kind = parameter == "job" ? ObjectKind::JOB : ObjectKind::NODE;
    q.views.push_back({parameter, kind, name, sequence});
    if (kind == ObjectKind::NODE && sequence > 1) q.views.push_back({"vnode_o", kind, name, sequence - 1});
    hooks_->run(std::move(q), [this, name, parameter](hooks::chain_result& result) {
      hooks_->write_all(name, result);
      if (parameter == "job") alter_as_hooks_say(name, result);
    });
  }

  void alter_as_hooks_say(const std::string& id, const hooks::chain_result& result) {
    std::vector<hooks::hook_change> changes;
    for (const auto& c : result.changes)
      if (c.parameter == "job") changes.push_back(c);
    const auto parsed = values::parse_job_id(id);
    if (changes.empty() || !parsed) return;
    tell_job(parsed->number, model::client_request{alteration(id, changes), {}}, server_itself(), nullptr);
  }

  // -- hooks of MoMs -------------------------------------------------------------------------------------------------------

  // Every host is owed all hooks of MoMs as they are now, until it says that it has them.
  void send_hooks_to_moms() {
    mom_hooks_sequence_ = parts_.where->sequence();
    const auto message = mom_hooks_message(*parts_.where, mom_hooks_sequence_);
    for (const auto& [name, stream] : parts_.where->hosts()) on_post_all(name, message);
  }
  void on_post_all(const std::string& host_name, const schema::sealed<schema::ToMom>& message) {
    if (const auto h = host(host_name)) self_->send(h, post_to_host{host_name, "hooks", message});
  }

  void on_hooks_installed(const std::string& host_name, schema::HooksInstalled::Reader installed) {
    if (parts_.notes)
      for (auto file : installed.getFiles())
        parts_.notes->write(log_event::debug, "Req", "Server@" + site()->server_name,
                            "successfully sent hook file " + parts_.hook_directory + "/" + schema::str(file) + " to " + host_name);
    if (installed.getSequence() != mom_hooks_sequence_) return;            // newer ones are on their way
    if (const auto h = host(host_name)) self_->send(h, withdraw_from_host{host_name, "hooks"});
  }

  // What a MoM's hook wants is done before it is written down and acknowledged: a repeat sets the same again.
  void on_hook_report(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
    const auto r = message.get().getHookReport();
    const auto host_name = peer->peer().name;
    for (auto resource : r.getResources())
      if (!site()->resources.find(schema::text(resource.getName()))) {
        // The vnode's attributes need it: they wait until it is there.
        self_->send(server(), envelope<model::server_command>{resource_creation(resource), mom_of(host_name), {},
                              reply_then([this, peer, message](bool made) { finish_hook_report(peer, message, made); }), site(), {}, 0, {}});
        return;
      }
    finish_hook_report(peer, message, false);
  }

  // again: a resource was made, others may be missing still.
  void finish_hook_report(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message, bool again) {
    if (again) return on_hook_report(peer, message);
    const auto r = message.get().getHookReport();
    const auto host_name = peer->peer().name;
    const auto ref = r.getRef();
    if (r.getJobChanges().size() > 0)
      if (const auto number = parts_.where->job_number(ref.getJobSerial()))
        tell_job(*number, model::client_request{alteration(schema::str(ref.getJob()), r.getJobChanges()), {}}, mom_of(host_name), nullptr,
                 {schema::copy_of<schema::HookRun>(r.getRun())});
    for (auto v : r.getVnodes()) {
      const auto vnode = schema::str(v.getVnode());
      if (parts_.notes)
        for (auto c : v.getChanges())
          parts_.notes->write(log_event::debug2, "Node", vnode, "Updated vnode " + vnode + "'s attribute " + schema::str(c.getName()) +
                              (c.getResource().size() > 0 ? "." + schema::str(c.getResource()) : "") + "=" + schema::str(c.getValue()) + " per mom hook request");
      change_vnode(vnode, vnode_change(vnode, v.getChanges()));
    }
    if (r.getRestartScheduling()) self_->send(parts_.status, restart_cycle{});
    auto ack = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.initHookAck().setPosition(r.getPosition()); });
    const auto h = r.getRun().getHook().size() > 0 ? hook(schema::str(r.getRun().getHook())) : caf::actor();
    if (!h) return peer->send(ack);                                        // deleted meanwhile, or nothing to write
    auto ran = schema::make<schema::HookRan>([&](schema::HookRan::Builder b) {
      b.setRun(r.getRun());
      b.setSubject(ref.getJobSerial() != 0 ? ref.getJob() : capnp::Text::Reader(host_name.c_str(), host_name.size()));
      b.setHost(host_name);
      b.setPosition(r.getPosition());
    });
    self_->send(h, envelope<model::hook_command>{model::hook_ran{std::move(ran)}, mom_of(host_name), {},
                            reply_then([peer, ack](bool written) { if (written) peer->send(ack); }), site(), {}, 0, {}});
  }

  // A reply that goes on in this actor; told whether the command was done.
  reply_ptr reply_then(std::function<void(bool)> then) {
    class going_on final : public reply_to {
     public:
      going_on(caf::actor to, std::function<void(bool)> then) : to_(std::move(to)), then_(std::move(then)) {}
      void done(std::uint64_t, const std::string&) override { tell(true); }
      void refused(std::uint64_t, const model::rejection&) override { tell(false); }

     private:
      void tell(bool was_done) {
        caf::anon_send(to_, run_this{[then = then_, was_done] { then(was_done); }});
      }
      caf::actor to_;
      std::function<void(bool)> then_;
    };
    return std::make_shared<going_on>(caf::actor(self_), std::move(then));
  }

  void run_periodic(const std::string& name) {
    const auto sequence = parts_.where->sequence();
    hook_desk::question q{periodic_event, server_itself(), {}, "periodic", {{"resv_list", hook_objects{}}},
                          {{"vnode_list", ObjectKind::NODE, {}, sequence}}, name};
    hooks_->run(std::move(q), [this](hooks::chain_result& result) {
      hooks_->write_all("periodic", result);
      std::map<std::string, std::vector<hooks::hook_change>> of_vnode;
      for (const auto& c : result.changes)
        if (c.parameter == "vnode_list") of_vnode[c.object].push_back(c);
      for (const auto& [vnode, changes] : of_vnode) change_vnode(vnode, vnode_change(vnode, changes));
      for (const auto& reply : result.replies)
        for (auto action : reply.get().getActions())
          if (action.isRestartCycle()) self_->send(parts_.status, restart_cycle{});
    });
  }

  void change_vnode(const std::string& vnode, schema::sealed<schema::Request> change) {
    const auto host_name = parts_.where->host_of_vnode(vnode);
    auto h = host_name ? host(*host_name) : caf::actor();
    if (h) self_->send(h, envelope<model::host_command>{std::move(change), server_itself(), {}, nullptr, site(), {}, 0, {}});
  }

  // `set queue @default ...`: the same for every object there is.
  void manage_all(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
    const auto m = request.get().getManage();
    std::vector<std::string> names;
    const auto take = [&](const directory::names& all) { for (const auto& [name, stream] : all) names.push_back(name); };
    if (m.getKind() == ObjectKind::QUEUE) take(parts_.where->queues());
    if (m.getKind() == ObjectKind::NODE) take(m.getVerb() == schema::ManageVerb::DELETE ? parts_.where->hosts() : parts_.where->vnodes());
    if (m.getKind() == ObjectKind::SCHEDULER) take(parts_.where->schedulers());
    if (m.getKind() == ObjectKind::HOOK) {
      if (const auto why = model::may_touch_hooks(by, *site()); why.code != 0) return reply->refused(0, why);
      take(parts_.where->hooks());
    }
    if (names.empty()) return reply->done(parts_.where->sequence(), "");
    auto parts = reply_jointly(std::move(reply), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto one = schema::make<schema::Request>([&](schema::Request::Builder b) {
        b.setId(request.get().getId());          // without a command id: repeating a part does no harm
        b.setManage(m);
        b.getManage().setName(names[i]);
        b.getManage().setAllOfKind(false);
      });
      manage(one, by, parts[i]);
    }
  }

  // -- the history -----------------------------------------------------------------------------------------------------------

  void look_at_history() {
    const model::requester by{"", site()->host_name, schema::Role::SERVER};
    const auto now = parts_.shell.clock->now_ns();
    for (auto serial : parts_.history->next_round(now, *site()))
      if (const auto number = parts_.where->job_number(serial)) tell_job(*number, model::forget_job{}, by, nullptr);
    const auto next = parts_.history->next_ns(*site());
    if (!next || *next == history_timer_ns_) return;
    history_timer_ns_ = *next;
    // Looked at every hour at least, for a clock that was set meanwhile.
    const auto wait = std::clamp<std::int64_t>(*next - now, 0, 3600'000'000'000);
    self_->delayed_send(self_, std::chrono::nanoseconds(wait), history_atom::value, history_timer_ns_);
  }

  // -- MoMs ----------------------------------------------------------------------------------------------------------------

  static model::requester mom_of(const std::string& host) { return {"pbs_mom", host, schema::Role::MOM}; }
  static std::string discard_key(std::uint64_t serial, std::uint32_t run) {
    return "discard:" + std::to_string(serial) + ":" + std::to_string(run);
  }

  void on_mom(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message) {
    const auto m = message.get();
    const auto& name = peer->peer().name;
    switch (m.which()) {
      case schema::FromMom::HELLO: {
        const auto known = parts_.where->hosts().contains(name);
        if (!known) return peer->close("host " + name + " is no node of this cluster: qmgr -c 'create node " + name + "'");
        if (parts_.notes) parts_.notes->write(log_event::admin, "Node", name, "Hello from MoM on port=" + std::to_string(m.getHello().getPort()));
        return self_->send(host(name), mom_connected{peer, std::move(message), parts_.where->runs_on(name)});
      }
      case schema::FromMom::RUN_STARTED:
        end_unwanted(m.getRunStarted().getRef(), name);
        return report(peer, m.getRunStarted().getRef(), schema::Ack::What::RUN_STARTED, message);
      case schema::FromMom::RUN_REFUSED: return report(peer, m.getRunRefused().getRef(), schema::Ack::What::RUN_REFUSED, message);
      case schema::FromMom::RUN_EXITED: return report(peer, m.getRunExited().getRef(), schema::Ack::What::RUN_EXITED, message);
      case schema::FromMom::RUN_LEFT: {
        const auto ref = m.getRunLeft().getRef();
        discarded(name, ref);
        return report(peer, ref, schema::Ack::What::RUN_LEFT, message);
      }
      case schema::FromMom::RUN_STEPS: {
        const auto r = m.getRunSteps();
        return tell_job_of(r.getRef(), model::mom_report{message, name}, mom_of(name), acknowledge_steps(peer, r));
      }
      case schema::FromMom::RUN_USAGE:
        end_unwanted(m.getRunUsage().getRef(), name);
        return tell_job_of(m.getRunUsage().getRef(), model::mom_report{message, name}, mom_of(name), nullptr);
      case schema::FromMom::WANT_BLOB: return send_blob(peer, m.getWantBlob().getHash());
      case schema::FromMom::HOOKS_INSTALLED: return on_hooks_installed(name, m.getHooksInstalled());
      case schema::FromMom::HOOK_REPORT: return on_hook_report(peer, message);
      case schema::FromMom::WISH_DONE: return tell_job_of(m.getWishDone().getRef(), model::mom_report{message, name}, mom_of(name), nullptr);
      case schema::FromMom::SIGNAL_DONE:              // the debt of a signal ends with the report of the exit
        if (m.getSignalDone().getId() == 0) discarded(name, m.getSignalDone().getRef());
        return;
    }
    peer->close("an unknown message");
  }

  // A host no longer has a run: it needs no discarding.
  void discarded(const std::string& on, schema::RunRef::Reader ref) {
    if (const auto h = host(on)) self_->send(h, withdraw_from_host{on, discard_key(ref.getJobSerial(), ref.getRun())});
  }

  void discard(const run_present& p) {
    const auto h = host(p.host);
    if (!h) return;
    auto message = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
      auto d = m.initDiscardRun();
      d.setJobSerial(p.serial);
      d.setRun(p.run);
      d.setJob(p.job);
    });
    self_->send(h, post_to_host{p.host, discard_key(p.serial, p.run), std::move(message)});
  }

  // A host that is there learns at once that its run is no longer wanted, another with its next hello.
  void discard_abandoned(const log::record& record) {
    const auto e = record.event().getVnodeHandedBack();
    const auto serial = record.get().getStream();
    if (const auto number = parts_.where->job_number(serial))
      discard({serial, e.getRun(), std::to_string(*number) + "." + site()->server_name, schema::str(e.getHost())});
  }

  void end_unwanted(schema::RunRef::Reader ref, const std::string& host) {
    on_present({ref.getJobSerial(), ref.getRun(), schema::str(ref.getJob()), host});
  }

  void report(const wire::connection_ptr& peer, schema::RunRef::Reader ref, schema::Ack::What what, const schema::sealed<schema::FromMom>& message) {
    tell_job_of(ref, model::mom_report{message, peer->peer().name}, mom_of(peer->peer().name), acknowledge_mom(peer, ref, what));
  }

  void tell_job_of(schema::RunRef::Reader ref, model::job_command command, const model::requester& by, reply_ptr reply) {
    const auto number = parts_.where->job_number(ref.getJobSerial());
    if (number) return tell_job(*number, std::move(command), by, std::move(reply));
    if (reply) reply->done(parts_.where->sequence(), "");      // a job that is no more: nothing to wait for
  }

  void tell_job(std::uint64_t number, model::job_command command, const model::requester& by, reply_ptr reply, hook_runs hooks = {}) {
    if (!parts_.where->job_serial(number)) {          // gone while its hooks ran
      if (reply) reply->refused(parts_.where->sequence(), model::refuse(pbs_error::unknown_job));
      return;
    }
    auto& entry = job(number);
    ++entry.sent;
    self_->send(entry.actor, envelope<model::job_command>{std::move(command), by, {}, std::move(reply), site(), {}, 0, {}, std::move(hooks)});
  }

  void send_blob(const wire::connection_ptr& peer, capnp::Data::Reader hash) {
    const std::string key(reinterpret_cast<const char*>(hash.begin()), hash.size());
    send_blob_pieces(*peer, key, parts_.shell.reader->store().read_blob(key));
  }

  // -- schedulers ----------------------------------------------------------------------------------------------------------

  void on_scheduler(const wire::connection_ptr& peer, schema::sealed<schema::FromScheduler> message) {
    const auto m = message.get();
    const auto& name = peer->peer().name;
    const model::requester by{"Scheduler", site()->host_name, schema::Role::SCHEDULER};
    auto object = scheduler(name);
    if (!object) return peer->close("no scheduler object is named " + name);
    const auto tell = [&](model::scheduler_command c) {
      self_->send(object, envelope<model::scheduler_command>{std::move(c), by, {}, nullptr, site(), {}, 0, {}});
    };
    switch (m.which()) {
      case schema::FromScheduler::CANNOT_RUN: return self_->send(parts_.status, scheduler_frame{name, std::move(message)});
      case schema::FromScheduler::HELLO:
        tell(model::scheduler_came{schema::str(m.getHello().getHost()), schema::str(m.getHello().getVersion())});
        return self_->send(parts_.status, scheduler_connected{peer, name});
      case schema::FromScheduler::RUN: {
        const auto run = m.getRun();
        auto reply = settle_proposal(parts_.status, name, run.getJob(), run.getCycle());
        self_->send(parts_.status, scheduler_frame{name, message});     // counted before it is settled
        if (!winding_up_.empty()) return reply->refused(0, model::refuse(pbs_error::server_down));
        const auto number = parts_.where->job_number(run.getJob());
        if (!number) return reply->refused(0, model::refuse(pbs_error::unknown_job));
        return ask_run_hooks(*number, model::proposed_run{message, name, run.getRequest() != 0}, by, std::move(reply));
      }
      case schema::FromScheduler::CYCLE_BEGAN: return cycle_began(object, name, by, std::move(message));
      case schema::FromScheduler::REASONS: return tell(model::scheduler_said{std::move(message)});
      case schema::FromScheduler::POLICY: {
        const auto bytes = schema::bytes_of(m.getPolicy());
        policies_[name].assign(bytes.begin(), bytes.end());
        return;
      }
      case schema::FromScheduler::CYCLE_ENDED:
        tell(model::scheduler_said{message});
        [[fallthrough]];
      case schema::FromScheduler::FULL_VIEW: return self_->send(parts_.status, scheduler_frame{name, std::move(message)});
    }
    peer->close("an unknown message");
  }

  // The policy files' text is kept once, beside the first cycle that used it.
  void cycle_began(const caf::actor& object, const std::string& name, const model::requester& by, schema::sealed<schema::FromScheduler> message) {
    const auto h = message.get().getCycleBegan().getPolicy().getHash();
    const std::string hash(reinterpret_cast<const char*>(h.begin()), h.size());
    envelope<model::scheduler_command> e{model::scheduler_said{std::move(message)}, by, {}, nullptr, site(), {}, 0, {}};
    if (!hash.empty() && !stored_policies_.contains(hash)) {
      const auto& text = policies_[name];
      e.blobs.push_back({hash, {text.begin(), text.end()}});
      stored_policies_.insert(hash);
    }
    self_->send(object, std::move(e));
  }

  // -- who is where --------------------------------------------------------------------------------------------------------

  const model::site_ptr& site() const { return parts_.where->site(); }

  struct job_entry { caf::actor actor; std::uint64_t sent = 0; };
  job_entry& job(std::uint64_t number) {
    auto& entry = jobs_[number];
    if (!entry.actor)
      entry.actor = self_->spawn<job_actor>(job_parts{parts_.shell, self_}, number, parts_.where->job_serial(number).value_or(0), site());
    return entry;
  }
  void ask_to_leave(std::uint64_t, const job_entry& entry) { self_->send(entry.actor, may_you_leave{entry.sent}); }

  caf::actor server() {
    if (!server_) server_ = self_->spawn<server_actor>(parts_.shell, parts_.where->server_stream(), site());
    return server_;
  }
  template <class Actor, class... Extra>
  caf::actor named(std::map<std::string, caf::actor>& actors, const directory::names& known, const std::string& name, bool creates, Extra... extra) {
    const auto stream = known.find(name);
    if (stream == known.end() && !creates) {
      actors.erase(name);
      return {};
    }
    auto& a = actors[name];
    if (!a || stream == known.end())
      a = self_->spawn<Actor>(parts_.shell, extra..., stream == known.end() ? 0 : stream->second, site());
    return a;
  }
  caf::actor queue(const std::string& name, bool creates = false) {
    return named<queue_actor>(queues_, parts_.where->queues(), name, creates);
  }
  caf::actor scheduler(const std::string& name, bool creates = false) {
    return named<scheduler_object_actor>(schedulers_, parts_.where->schedulers(), name, creates);
  }
  caf::actor hook(const std::string& name, bool creates = false) {
    return named<hook_actor>(hook_actors_, parts_.where->hooks(), name, creates);
  }
  caf::actor host(const std::string& name, bool creates = false) {
    return named<host_actor>(hosts_, parts_.where->hosts(), name, creates, caf::actor(self_));
  }

  caf::event_based_actor* self_;
  gateway_parts parts_;
  std::uint64_t next_number_ = 0;
  std::unordered_map<std::uint64_t, job_entry> jobs_;      // in memory, by number
  std::deque<std::uint64_t> idle_;                         // in the order they became idle
  std::map<std::string, caf::actor> queues_, hosts_, schedulers_, hook_actors_;
  caf::actor server_;
  std::string winding_up_;                                    // "immediate", "delay": an orderly stop waits for runs
  bool stopped_ = false;                                      // the end is being written
  std::int64_t history_timer_ns_ = 0;                         // what the timer of the history waits for; 0: it is not set
  std::unique_ptr<hook_desk> hooks_;
  std::uint64_t mom_hooks_sequence_ = 0;                      // of what MoMs were told last
  std::map<std::uint64_t, std::int64_t> hook_due_;            // periodic hooks, by stream
  std::map<std::string, std::vector<std::byte>> policies_;    // of each scheduler's coming cycles
  std::set<std::string> stored_policies_;                     // hashes
};

}  // namespace

caf::behavior gateway(caf::event_based_actor* self, gateway_parts parts) {
  auto r = std::make_shared<router>(self, std::move(parts));
  return {
      [](const peer_opened&) {},
      [r](begin_work) { r->begin(); },
      [r](const stop_server& s) { r->stop(s.how); },
      [r](const job_not_stopped& j) { r->stop_job(j.number); },
      [r](peer_frame& f) { r->on_frame(f); },
      [r](const peer_closed& c) { r->on_closed(c); },
      [r](const committed& c) { r->on_committed(c); },
      [r](history_atom, std::int64_t due_ns) { r->on_history_timer(due_ns); },
      [r](const job_idle& i) { r->on_idle(i); },
      [r](const i_may_leave& m) { r->on_may_leave(m); },
      [r](post_to_host& p) { r->on_post(p); },
      [r](job_command_for& c) { r->on_job_command(c); },
      [r](resume_waits& w) {
        job_command_for c{w.number, model::resume_later{}, w.by, {}, std::move(w.reply)};
        r->on_job_command(c);
      },
      [r](withdraw_from_host& w) { r->on_withdraw(w); },
      [r](const run_missing& m) { r->on_missing(m); },
      [r](const run_present& p) { r->on_present(p); },
      [](run_this& t) { t.work(); },
      [r](hook_atom) { r->on_hook_tick(); },
      [](const disk_state&) {},
  };
}

}  // namespace annals::actors
