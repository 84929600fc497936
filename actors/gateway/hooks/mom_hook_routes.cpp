#include "actors/gateway/hooks/mom_hook_routes.hpp"

#include <chrono>

#include "actors/gateway/hooks/hooked_requests.hpp"
#include "actors/gateway/hooks/mom_hook_questions.hpp"
#include "actors/gateway/hooks/mom_hook_rights.hpp"
#include "actors/runtime/run_this.hpp"
#include "actors/server/order_keys.hpp"
#include "actors/server/replies.hpp"

namespace annals::actors {

void mom_hook_routes::keep_up() {
  if (told_sequence_ >= board_.where().mom_hooks_since()) return;
  told_sequence_ = board_.where().sequence();
  const auto message = mom_hooks_message(board_.where(), told_sequence_);
  for (const auto& [name, stream] : board_.where().hosts()) board_.post({name, hooks_key(), message});
}

void mom_hook_routes::on_installed(const std::string& host_name, schema::HooksInstalled::Reader installed) {
  for (auto file : installed.getFiles())
    board_.note(log_event::debug, "Req", "Server@" + board_.settings()->server_name,
                "successfully sent hook file " + board_.parts().hook_directory + "/" + schema::str(file) + " to " + host_name);
  if (installed.getSequence() != told_sequence_) return;  // newer ones are on their way
  board_.withdraw({host_name, hooks_key()});
}

void mom_hook_routes::on_question(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
  auto asked = view_asked(message.get().getHookQuestion(), board_.where().sequence());
  if (!asked) return peer->send(answer_to(message.get().getHookQuestion(), {}));
  auto done = [peer, message](const hook_objects& found, std::uint64_t) { peer->send(answer_to(message.get().getHookQuestion(), found)); };
  board_.self()->send(board_.parts().status, view_wanted{std::move(*asked), std::move(done), true, anybody_on(peer->peer().name)});
}

namespace {
// Each part of a report is done once: the MoM repeats it until it is acknowledged.
std::string part_id(const std::string& host, schema::HookReport::Reader r, const std::string& of) {
  return repeatable_id("mom hook " + host + " " + std::to_string(r.getPosition()) + " " + of);
}
}  // namespace

// What a MoM's hook wants is done before the run is written down, and acknowledged after that: until then the MoM repeats its
// report, and a repeat changes nothing, since each part of it has a command id.
void mom_hook_routes::on_report(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
  const auto report = message.get().getHookReport();
  const auto rights = rightful(board_.where(), peer->peer().name, report);
  for (const auto what : rights.refused)
    board_.note(log_event::security, "Hook", schema::str(report.getRun().getHook()),
                peer->peer().name + " may not change " + std::string(what) + " by a hook; not done");
  if (rights.suspend_again) suspend_again(peer->peer().name, report);
  if (rights.resources)
    for (auto resource : report.getResources())
      if (!board_.settings()->resources.find(schema::text(resource.getName()))) {
        // The vnode's attributes need it: they wait until it is there.
        auto then = board_.reply_then([this, peer, message](const model::rejection& why) {
          if (why.code == 0) on_report(peer, message);
          else carry_out(peer, message);
        });
        board_.self()->send(board_.server(), board_.wrap<model::server_command>(
                                                 resource_creation(resource), actor_registry::mom_of(peer->peer().name), std::move(then)));
        return;
      }
  carry_out(peer, message);
}

// execjob_preresume said no: the job's processes are still stopped.
void mom_hook_routes::suspend_again(const std::string& host, schema::HookReport::Reader r) {
  const auto number = board_.where().job_number(r.getRef().getJobSerial());
  if (!number) return;
  auto request = schema::make<schema::Request>([&](schema::Request::Builder q) {
    auto s = q.initSignalJob();
    s.setJob(r.getRef().getJob());
    s.setSignal("suspend");
  });
  auto e = board_.wrap<model::job_command>(model::client_request{std::move(request), {}}, board_.server_itself());
  e.command_id = repeatable_id("resume refused on " + host + " " + std::to_string(r.getPosition()));
  board_.tell_job(*number, std::move(e));
}

namespace {

// What a run wants of the job, in the order in which it is done; `what` is its part of the report.
struct request_to_job {
  const char* what;
  schema::sealed<schema::Request> request;
};
std::vector<request_to_job> requests_to_job(schema::HookReport::Reader r, const rightful_requests& rights) {
  const auto job = schema::str(r.getRef().getJob());
  std::vector<request_to_job> out;
  if (rights.job) out.push_back({"job", alteration(job, r.getJobChanges())});
  if (rights.ends_run) out.push_back({"end", end_of_run(job, r.getDelete())});
  return out;
}

}  // namespace

void mom_hook_routes::carry_out(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
  const auto r = message.get().getHookReport();
  const auto& host = peer->peer().name;
  const hook_runs run{schema::copy_of<schema::HookRun>(r.getRun())};
  const auto rights = rightful(board_.where(), host, r);
  const auto number = board_.where().job_number(r.getRef().getJobSerial());
  const auto of_job = number ? requests_to_job(r, rights) : std::vector<request_to_job>{};
  std::vector<std::pair<caf::actor, schema::VnodeChanged::Reader>> vnodes;
  for (auto v : rights.vnodes)
    if (auto h = board_.host_of(schema::str(v.getVnode()))) vnodes.emplace_back(std::move(h), v);
  if (r.getRestartScheduling()) board_.self()->send(board_.parts().status, restart_cycle{});
  const auto count = vnodes.size() + of_job.size();
  if (count == 0) return write_down_soon(peer, message);
  auto parts = reply_jointly(board_.reply_then([this, peer, message](const model::rejection& why) {
    if (why.code != values::pbs_error::system_error) write_down(peer, message);  // a full disk: the MoM tells it again
  }),
                             count);
  for (std::size_t i = 0; i < vnodes.size(); ++i) {
    const auto vnode = schema::str(vnodes[i].second.getVnode());
    note_changes(vnode, vnodes[i].second.getChanges());
    auto e = board_.wrap<model::host_command>(vnode_change(vnode, vnodes[i].second.getChanges()), board_.server_itself(), parts[i], run);
    e.command_id = part_id(host, r, vnode);
    board_.self()->send(vnodes[i].first, std::move(e));
  }
  for (std::size_t i = 0; i < of_job.size(); ++i) {
    model::hook_changes changes{{of_job[i].request, {}}, r.getRef().getRun(), host};
    auto e = board_.wrap<model::job_command>(std::move(changes), actor_registry::mom_of(host), parts[vnodes.size() + i], run);
    e.command_id = part_id(host, r, of_job[i].what);
    board_.tell_job(*number, std::move(e));
  }
}

// Nobody waits for a run that wants nothing: those of many hosts that come within a moment are written with one sync.
void mom_hook_routes::write_down_soon(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
  unwritten_.emplace_back(peer, message);
  if (unwritten_.size() > 1) return;
  board_.self()->delayed_send(board_.self(), std::chrono::milliseconds(limits::hook_runs_wait_ms), run_this{[this] {
                                for (const auto& [from, report] : std::exchange(unwritten_, {})) write_down(from, report);
                              }});
}

void mom_hook_routes::note_changes(const std::string& vnode, capnp::List<schema::Attribute>::Reader changes) const {
  for (auto c : changes)
    board_.note(log_event::debug2, "Node", vnode,
                "Updated vnode " + vnode + "'s attribute " + schema::str(c.getName()) +
                    (c.getResource().size() > 0 ? "." + schema::str(c.getResource()) : "") + "=" + schema::str(c.getValue()) +
                    " per mom hook request");
}

void mom_hook_routes::write_down(const wire::connection_ptr& peer, const schema::sealed<schema::FromMom>& message) {
  const auto r = message.get().getHookReport();
  const auto& host = peer->peer().name;
  auto ack = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.initHookAck().setPosition(r.getPosition()); });
  const auto h = r.getRun().getHook().size() > 0 ? board_.hook(schema::str(r.getRun().getHook())) : caf::actor();
  if (!h) return peer->send(ack);  // deleted meanwhile, or nothing to write
  auto ran = schema::make<schema::HookRan>([&](schema::HookRan::Builder b) {
    b.setRun(r.getRun());
    b.setSubject(r.getRef().getJobSerial() != 0 ? r.getRef().getJob() : capnp::Text::Reader(host.c_str(), host.size()));
    b.setHost(host);
    b.setPosition(r.getPosition());
  });
  auto acknowledge = board_.reply_then([peer, ack](const model::rejection& why) { if (why.code == 0) peer->send(ack); });
  auto e = board_.wrap<model::hook_command>(model::hook_ran{std::move(ran)}, actor_registry::mom_of(host), std::move(acknowledge));
  e.command_id = part_id(host, r, "");
  board_.self()->send(h, std::move(e));
}

}  // namespace annals::actors
