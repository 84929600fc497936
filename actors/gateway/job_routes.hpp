// What clients ask of jobs: a submission makes a job, everything else goes to the job it names. Part of the gateway's actor.
#pragma once

#include <string>
#include <vector>

#include "actors/gateway/group_names.hpp"
#include "actors/gateway/hook_routes.hpp"
#include "actors/gateway/switchboard.hpp"

namespace annals::actors {

class job_routes {
 public:
  job_routes(switchboard& board, hook_routes& hooks) : board_(board), hooks_(hooks), groups_(*board.parts().shell.clock) {}

  void on_submit(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply);
  void on_alter(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply);
  void on_move(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply);
  void on_signal(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  // Any other request about one job.
  void to_job(capnp::Text::Reader id, const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply,
              std::vector<std::string> groups = {}, hook_runs hooks = {});

 private:
  void submit(const wire::identity& who, const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply, hook_runs hooks);
  void note_request(capnp::Text::Reader id, schema::Request::Reader r, bool known) const;

  switchboard& board_;
  hook_routes& hooks_;
  group_names groups_;
};

}  // namespace annals::actors
