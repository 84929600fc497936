#include "actors/gateway/jobs/job_routes.hpp"

#include <set>

#include "actors/server/replies.hpp"
#include "actors/sessions/rerun_waits.hpp"
#include "events/values/job_id.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/select.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {
bool names_groups(capnp::List<schema::Attribute>::Reader attributes) {
  for (auto a : attributes)
    if (schema::text(a.getName()) == "group_list") return true;
  return false;
}
}  // namespace

void job_routes::on_submit(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                           const reply_ptr& reply) {
  const auto script = std::make_shared<script_blob>(script_blob_of(request.get().getQueueJob()));
  if (script->refusal.code != 0) return reply->refused(0, script->refusal);
  if (script->uploaded.empty()) return ask_hooks(peer, request, by, reply, script);
  auto then = board_.reply_then([this, peer, request, by, reply, script](const model::rejection& why) {
    if (why.code != 0) return reply->refused(0, why);
    ask_hooks(peer, request, by, reply, script);
  });
  board_.self()->send(board_.parts().uploads, claim_upload{peer->id(), script->hash, script->size, std::move(then)});
}

// The script is the one that was looked at, whatever hooks make of the request.
void job_routes::ask_hooks(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                           const reply_ptr& reply, const script_ptr& script) {
  hooks_.ask_submit(request, by, reply,
                    [this, peer, by, reply, script](const schema::sealed<schema::Request>& allowed, hook_runs runs,
                                                    std::vector<std::string> by_hooks) {
                      const auto decided = hooks_.decided_with(reply, runs);
                      submit(peer->peer(), allowed, by, decided, script, std::move(runs), std::move(by_hooks));
                    });
}

// What a name service must be asked for is asked where nobody else waits for it.
void job_routes::with_groups(bool needed, const wire::identity& who, const model::requester& by, const reply_ptr& reply,
                             std::function<void(std::vector<std::string>)> then) {
  if (!needed) return then({});
  auto& names = board_.names();
  const bool asked = names.ask([look_up = board_.parts().groups_of, user = by.user, gid = who.gid, then = std::move(then)] {
    auto groups = look_up(user, gid);
    return [then, groups = std::move(groups)] { then(groups); };
  });
  if (!asked)
    reply->refused(
        0, {pbs_error::try_again, "Please retry: the groups of " + std::to_string(names.waiting_max()) + " others are being looked up"});
}

void job_routes::submit(const wire::identity& who, const schema::sealed<schema::Request>& request, const model::requester& by,
                        const reply_ptr& reply, const script_ptr& script, hook_runs hooks, std::vector<std::string> by_hooks) {
  // Who has no account here can run nothing anywhere (a private cluster's owner runs everything).
  if (who.uid != board_.parts().server_uid && by.user == std::to_string(who.uid))
    return reply->refused(0, model::refuse(pbs_error::bad_user));
  const bool needed = names_groups(request.get().getQueueJob().getAttributes());
  with_groups(needed, who, by, reply,
              [this, group = who.group, request, by, reply, script, hooks = std::move(hooks),
               by_hooks = std::move(by_hooks)](std::vector<std::string> groups) mutable {
                if (board_.is_too_late(request.get())) return board_.refuse(reply, pbs_error::server_down);
                const auto number = board_.next_number();
                model::submit_job command{request, number, by.user, group,
                                          script->hash, script->size, std::move(groups), std::move(by_hooks)};
                auto e = board_.wrap<model::job_command>(std::move(command), request.get(), by, reply, hooks);
                e.blobs = script->blobs;
                e.uploaded = script->uploaded;
                board_.tell_new_job(number, std::move(e));
              });
}

void job_routes::on_alter(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                          const reply_ptr& reply) {
  hooks_.ask_alter(
      request, by, reply,
      [this, peer, by, reply](const schema::sealed<schema::Request>& allowed, hook_runs runs, std::vector<std::string> by_hooks) {
        const bool needed = names_groups(allowed.get().getAlterJob().getChanges());
        const auto decided = hooks_.decided_with(reply, runs);
        with_groups(needed, peer->peer(), by, decided,
                    [this, allowed, by, decided, runs = std::move(runs), by_hooks = std::move(by_hooks)](std::vector<std::string> groups) {
                      to_job(allowed.get().getAlterJob().getJob(), allowed, by, decided, std::move(groups), runs, by_hooks);
                    });
      });
}

void job_routes::on_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply) {
  hooks_.ask_move(request, by, reply, [this, by, reply](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
    to_job(allowed.get().getMoveJob().getJob(), allowed, by, hooks_.decided_with(reply, runs), {}, runs);
  });
}

namespace {

bool resumes(schema::Request::Reader r) { return r.isSignalJob() && schema::text(r.getSignalJob().getSignal()).ends_with("resume"); }

}  // namespace

// What has no room now is resumed later.
reply_ptr job_routes::resumable(schema::Request::Reader r, std::uint64_t number, const model::requester& by, reply_ptr reply) const {
  return resumes(r) ? reply_or_resume_later(board_.self(), number, by, std::move(reply)) : reply;
}

void job_routes::on_signal(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto s = request.get().getSignalJob();
  const auto parsed = values::parse_job_id(schema::text(s.getJob()));
  const auto number = parsed && parsed->form != values::id_form::array ? values::number_of(*parsed) : std::nullopt;
  if (number) reply = resumable(request.get(), *number, by, std::move(reply));
  to_job(s.getJob(), request, by, std::move(reply));
}

// Answered when the job is queued again; of arrays and ranges when it is in the log.
void job_routes::on_rerun(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto job = request.get().getRerunJob().getJob();
  const auto parsed = values::parse_job_id(schema::text(job));
  const auto number = parsed && parsed->form != values::id_form::array ? values::number_of(*parsed) : std::nullopt;
  if (const auto serial = number ? board_.where().job_serial(*number) : std::nullopt)
    reply = reply_when_requeued(board_.parts().status, *serial, std::move(reply));
  to_job(job, request, by, std::move(reply));
}

namespace {

// A release that is refused leaves no event: tracejob shows why (RD-46).
class noted_release final : public reply_to {
 public:
  noted_release(daemon_log* notes, std::string job, reply_ptr to) : notes_(notes), job_(std::move(job)), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override { to_->done(sequence, text); }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    if (why.code == pbs_error::system_error && !why.text.empty() && notes_) notes_->write(log_event::debug2, "Job", job_, why.text);
    to_->refused(sequence, why);
  }

 private:
  daemon_log* const notes_;
  const std::string job_;
  const reply_ptr to_;
};

}  // namespace

void job_routes::on_release_nodes(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto job = request.get().getReleaseNodes().getJob();
  to_job(job, request, by, std::make_shared<noted_release>(board_.notes(), schema::str(job), std::move(reply)));
}

// What tracejob shows of requests that leave no event.
void job_routes::note_request(capnp::Text::Reader id, schema::Request::Reader r, bool known) const {
  if (r.isDeleteJob()) board_.note(log_event::debug, "Job", schema::text(id), "delete job request received");
  if (!known) board_.note(log_event::debug, "Job", schema::text(id), "Unknown Job Id");
}

// A job's rules do not know vnodes.
void job_routes::look_at_vnodes(std::uint64_t serial, model::client_request& command) const {
  const auto& where = board_.where();
  command.unreleasable = where.unreleasable_vnodes(serial);
  const auto asked = command.request.get().getReleaseNodes();
  if (!asked.isKeepSelect()) return;
  const auto select = values::parse_select(schema::text(asked.getKeepSelect()));
  if (!select) return;
  std::set<std::string, std::less<>> resources;
  for (const auto& chunk : select->chunks)
    for (const auto& r : chunk.resources) resources.insert(r.name);
  if (!resources.empty()) command.words = where.words_of_hosts(serial, resources);
}

void job_routes::to_job(capnp::Text::Reader id, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
                        std::vector<std::string> groups, hook_runs hooks, std::vector<std::string> by_hooks) {
  const auto parsed = values::parse_job_id(schema::text(id));
  const auto job = parsed ? board_.where().job_named(*parsed) : std::nullopt;
  const bool known = job || (parsed && parsed->form != values::id_form::job && board_.where().array(parsed->number));
  if (board_.is_too_late(request.get())) return board_.refuse(reply, pbs_error::server_down);
  note_request(id, request.get(), known);
  if (!known) return board_.refuse(reply, pbs_error::unknown_job);
  model::client_request command{request, std::move(groups), std::move(by_hooks)};
  if (parsed->form != values::id_form::job) return to_array(*parsed, request, by, std::move(reply), std::move(command), std::move(hooks));
  if (request.get().isReleaseNodes()) look_at_vnodes(*board_.where().job_serial(*job), command);
  board_.tell_job(*job, board_.wrap<model::job_command>(std::move(command), request.get(), by, std::move(reply), std::move(hooks)));
}

namespace {

// What is asked of an array as a whole, and of no subjob (pbs guide: qalter, qhold, qrls, qmove).
bool is_of_whole_arrays(schema::Request::Reader r) { return r.isAlterJob() || r.isHoldJob() || r.isReleaseJob() || r.isMoveJob(); }

// A subjob that runs may be over, and forgotten, before it hears what it is asked: then it has ended, as its array would say.
class ask_of_running_subjob final : public reply_to {
 public:
  ask_of_running_subjob(std::uint32_t ended, reply_ptr to) : ended_(ended), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override { to_->done(sequence, text); }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    to_->refused(sequence, why.code == pbs_error::unknown_job ? model::refuse(ended_) : why);
  }

 private:
  const std::uint32_t ended_;
  const reply_ptr to_;
};

reply_ptr from_running_subjob(schema::Request::Reader r, reply_ptr to) {
  if (!to) return to;
  return std::make_shared<ask_of_running_subjob>(r.isDeleteJob() ? pbs_error::finished_subjob : pbs_error::bad_state, std::move(to));
}

}  // namespace

// A subjob that runs is asked itself; for all others, and for several at once, their array answers.
void job_routes::to_array(const values::job_id& id, const schema::sealed<schema::Request>& request, const model::requester& by,
                          reply_ptr reply, model::client_request command, hook_runs hooks) {
  const auto r = request.get();
  const auto* array = board_.where().array(id.number);
  const auto number = values::number_of(id);
  const bool is_subjob = number && values::is_subjob(*number);
  if (id.form != values::id_form::array && is_of_whole_arrays(r) && !array->ended) return board_.refuse(reply, pbs_error::invalid_request);
  if (r.isSignalJob() && !is_subjob && !array->runs.empty()) return signal_subjobs(id, request, by, reply);
  const bool runs = is_subjob && array->runs.contains(values::index_of(*number));
  const bool tells = r.isSignalJob() || r.isRerunJob() || r.isDeleteJob() || r.isReleaseNodes();
  if (r.isReleaseNodes() && runs) look_at_vnodes(*board_.where().job_serial(*number), command);
  if (runs && tells) reply = from_running_subjob(r, std::move(reply));
  board_.tell_job(runs && tells ? *number : id.number,
                  board_.wrap<model::job_command>(std::move(command), r, by, std::move(reply), std::move(hooks)));
}

// Each that runs gets it; the command id is that of the first.
void job_routes::signal_subjobs(const values::job_id& id, const schema::sealed<schema::Request>& request, const model::requester& by,
                                const reply_ptr& reply) {
  const auto range = values::parse_index_range(id.indices);
  std::vector<std::uint64_t> told;
  for (const auto index : board_.where().array(id.number)->runs)
    if (id.form == values::id_form::array || (range && range->has(index))) told.push_back(values::subjob_number(id.number, index));
  if (told.empty()) return board_.refuse(reply, pbs_error::bad_state);
  const auto parts = reply_jointly(reply, told.size(), joined::one_is_enough);
  for (std::size_t i = 0; i < told.size(); ++i) {
    model::client_request command{request};
    auto part = resumable(request.get(), told[i], by, from_running_subjob(request.get(), parts[i]));
    auto e = i == 0 ? board_.wrap<model::job_command>(std::move(command), request.get(), by, std::move(part))
                    : board_.wrap<model::job_command>(std::move(command), by, std::move(part));
    board_.tell_job(told[i], std::move(e));
  }
}

}  // namespace annals::actors
