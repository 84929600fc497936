#include "actors/gateway/job_routes.hpp"

#include "actors/gateway/authorise.hpp"
#include "actors/gateway/script_blob.hpp"
#include "actors/server/replies.hpp"
#include "events/values/job_id.hpp"

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
  hooks_.ask_submit(request, by, reply, [this, peer, by, reply](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
    submit(peer->peer(), allowed, by, reply, std::move(runs));
  });
}

void job_routes::submit(const wire::identity& who, const schema::sealed<schema::Request>& request, const model::requester& by,
                        const reply_ptr& reply, hook_runs hooks) {
  // Who has no account here can run nothing anywhere (a private cluster's owner runs everything).
  if (who.uid != board_.parts().server_uid && by.user == std::to_string(who.uid)) return reply->refused(0, model::refuse(pbs_error::bad_user));
  const auto q = request.get().getQueueJob();
  auto script = script_blob_of(q);
  if (!script.refusal.text.empty()) return reply->refused(0, script.refusal);
  const auto number = board_.next_number();
  model::submit_job command{request, number, by.user, groups_.of(who.gid), script.hash, script.size, {}};
  if (names_groups(q.getAttributes())) command.groups = groups_of(by.user, who.gid);
  auto e = board_.wrap<model::job_command>(std::move(command), request.get(), by, reply, std::move(hooks));
  e.blobs = std::move(script.blobs);
  e.uploaded = std::move(script.uploaded);
  board_.tell_new_job(number, std::move(e));
}

void job_routes::on_alter(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                          const reply_ptr& reply) {
  hooks_.ask_alter(request, by, reply, [this, peer, by, reply](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
    const auto a = allowed.get().getAlterJob();
    auto groups = names_groups(a.getChanges()) ? groups_of(by.user, peer->peer().gid) : std::vector<std::string>();
    to_job(a.getJob(), allowed, by, reply, std::move(groups), std::move(runs));
  });
}

void job_routes::on_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply) {
  hooks_.ask_move(request, by, reply, [this, by, reply](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
    to_job(allowed.get().getMoveJob().getJob(), allowed, by, reply, {}, std::move(runs));
  });
}

void job_routes::on_signal(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto s = request.get().getSignalJob();
  const auto parsed = values::parse_job_id(schema::text(s.getJob()));
  if (parsed && schema::text(s.getSignal()).ends_with("resume")) reply = reply_or_resume_later(board_.self(), parsed->number, by, std::move(reply));
  to_job(s.getJob(), request, by, std::move(reply));
}

// What tracejob shows of requests that leave no event.
void job_routes::note_request(capnp::Text::Reader id, schema::Request::Reader r, bool known) const {
  if (r.isDeleteJob()) board_.note(log_event::debug, "Job", schema::text(id), "delete job request received");
  if (!known) board_.note(log_event::debug, "Job", schema::text(id), "Unknown Job Id");
}

void job_routes::to_job(capnp::Text::Reader id, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
                        std::vector<std::string> groups, hook_runs hooks) {
  const auto parsed = values::parse_job_id(schema::text(id));
  const bool known = parsed && board_.where().job_serial(parsed->number);
  note_request(id, request.get(), known);
  if (!known || parsed->form != values::id_form::job) return board_.refuse(reply, pbs_error::unknown_job);
  board_.tell_job(parsed->number, board_.wrap<model::job_command>(model::client_request{request, std::move(groups)}, request.get(), by,
                                                                  std::move(reply), std::move(hooks)));
}

}  // namespace annals::actors
