// What clients ask of jobs: a submission makes a job, everything else goes to the job it names. Part of the gateway's actor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/hook_routes.hpp"
#include "actors/gateway/jobs/script_blob.hpp"
#include "events/values/job_id.hpp"

namespace annals::actors {

class job_routes {
 public:
  job_routes(actor_registry& board, hook_routes& hooks) : board_(board), hooks_(hooks) {}

  void on_submit(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                 const reply_ptr& reply);
  void on_alter(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                const reply_ptr& reply);
  void on_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply);
  void on_signal(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void on_rerun(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void on_release_nodes(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  // Any other request about one job.
  void to_job(capnp::Text::Reader id, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
              std::vector<std::string> groups = {}, hook_runs hooks = {}, std::vector<std::string> by_hooks = {});

 private:
  void look_at_vnodes(std::uint64_t serial, model::client_request& command) const;
  using script_ptr = std::shared_ptr<const script_blob>;
  void ask_hooks(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
                 const reply_ptr& reply, const script_ptr& script);
  void submit(const wire::identity& who, const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply,
              const script_ptr& script, hook_runs hooks, std::vector<std::string> by_hooks);
  void with_groups(bool needed, const wire::identity& who, const model::requester& by, const reply_ptr& reply,
                   std::function<void(std::vector<std::string>)> then);
  // A job array, or subjobs of one.
  void to_array(const values::job_id& id, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
                model::client_request command, hook_runs hooks);
  reply_ptr resumable(schema::Request::Reader r, std::uint64_t number, const model::requester& by, reply_ptr reply) const;
  void signal_subjobs(const values::job_id& id, const schema::sealed<schema::Request>& request, const model::requester& by,
                      const reply_ptr& reply);
  void note_request(capnp::Text::Reader id, schema::Request::Reader r, bool known) const;

  actor_registry& board_;
  hook_routes& hooks_;
};

}  // namespace annals::actors
