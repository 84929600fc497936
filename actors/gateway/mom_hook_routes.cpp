#include "actors/gateway/mom_hook_routes.hpp"

#include "actors/gateway/hooked_requests.hpp"

namespace annals::actors {

void mom_hook_routes::send_to_all() {
  told_sequence_ = board_.where().sequence();
  const auto message = mom_hooks_message(board_.where(), told_sequence_);
  for (const auto& [name, stream] : board_.where().hosts())
    if (const auto h = board_.host(name)) board_.self()->send(h, post_to_host{name, "hooks", message});
}

void mom_hook_routes::on_installed(const std::string& host_name, schema::HooksInstalled::Reader installed) {
  for (auto file : installed.getFiles())
    board_.note(log_event::debug, "Req", "Server@" + board_.site()->server_name,
                "successfully sent hook file " + board_.parts().hook_directory + "/" + schema::str(file) + " to " + host_name);
  if (installed.getSequence() != told_sequence_) return;            // newer ones are on their way
  if (const auto h = board_.host(host_name)) board_.self()->send(h, withdraw_from_host{host_name, "hooks"});
}

// What a MoM's hook wants is done before it is written down and acknowledged: a repeat sets the same again.
void mom_hook_routes::on_report(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
  for (auto resource : message.get().getHookReport().getResources())
    if (!board_.site()->resources.find(schema::text(resource.getName()))) {
      // The vnode's attributes need it: they wait until it is there.
      auto then = board_.reply_then([this, peer, message](bool made) { finish_report(peer, message, made); });
      board_.self()->send(board_.server(), board_.wrap<model::server_command>(resource_creation(resource), switchboard::mom_of(peer->peer().name), std::move(then)));
      return;
    }
  finish_report(peer, message, false);
}

// again: a resource was made, others may be missing still.
void mom_hook_routes::finish_report(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message, bool again) {
  if (again) return on_report(peer, message);
  const auto r = message.get().getHookReport();
  const auto host_name = peer->peer().name;
  const auto by = switchboard::mom_of(host_name);
  const auto ref = r.getRef();
  if (r.getJobChanges().size() > 0)
    if (const auto number = board_.where().job_number(ref.getJobSerial()))
      board_.tell_job(*number, model::client_request{alteration(schema::str(ref.getJob()), r.getJobChanges()), {}}, by, nullptr,
                      {schema::copy_of<schema::HookRun>(r.getRun())});
  for (auto v : r.getVnodes()) {
    const auto vnode = schema::str(v.getVnode());
    for (auto c : v.getChanges())
      board_.note(log_event::debug2, "Node", vnode, "Updated vnode " + vnode + "'s attribute " + schema::str(c.getName()) +
                  (c.getResource().size() > 0 ? "." + schema::str(c.getResource()) : "") + "=" + schema::str(c.getValue()) + " per mom hook request");
    const auto on = board_.where().host_of_vnode(vnode);
    if (const auto h = on ? board_.host(*on) : caf::actor())
      board_.self()->send(h, board_.wrap<model::host_command>(vnode_change(vnode, v.getChanges()), board_.server_itself()));
  }
  if (r.getRestartScheduling()) board_.self()->send(board_.parts().status, restart_cycle{});
  auto ack = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.initHookAck().setPosition(r.getPosition()); });
  const auto h = r.getRun().getHook().size() > 0 ? board_.hook(schema::str(r.getRun().getHook())) : caf::actor();
  if (!h) return peer->send(ack);                                        // deleted meanwhile, or nothing to write
  auto ran = schema::make<schema::HookRan>([&](schema::HookRan::Builder b) {
    b.setRun(r.getRun());
    b.setSubject(ref.getJobSerial() != 0 ? ref.getJob() : capnp::Text::Reader(host_name.c_str(), host_name.size()));
    b.setHost(host_name);
    b.setPosition(r.getPosition());
  });
  auto acknowledge = board_.reply_then([peer, ack](bool written) { if (written) peer->send(ack); });
  board_.self()->send(h, board_.wrap<model::hook_command>(model::hook_ran{std::move(ran)}, by, std::move(acknowledge)));
}

}  // namespace annals::actors
