// What qmgr asks for: each request to the actor of the object it is about, and the scripts of hooks in and out. Part of the
// gateway's actor.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/hook_routes.hpp"

namespace annals::actors {

class manage_routes {
 public:
  manage_routes(actor_registry& board, hook_routes& hooks) : board_(board), hooks_(hooks) {}

  void on_manage(const schema::sealed<schema::Request>& request, const model::requester& by, const reply_ptr& reply);
  void export_hook(schema::ExportHook::Reader asked, const model::requester& by, reply_ptr reply);
  // What is set of resources that are there no more: a server may have died between the end of a resource and that of its values.
  void forget_values_of_unknown_resources();

 private:
  reply_ptr noted_in_log(const std::string& name, reply_ptr to) const;
  void manage(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void manage_all(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void delete_vnodes(std::vector<std::string> names, const schema::sealed<schema::Request>& request, const model::requester& by,
                     reply_ptr reply, const model::rejection& before = {});
  void manage_resource(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void forget_values(const std::function<bool(std::string_view)>& is_gone, reply_ptr then);
  std::string host_to_create_at(schema::Manage::Reader m) const;
  void manage_node(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void manage_hook(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply, bool compiled = false);
  void compile_hook(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);

  actor_registry& board_;
  hook_routes& hooks_;
};

}  // namespace annals::actors
