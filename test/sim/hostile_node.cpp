// A compute node whose root is hostile: it has a certificate of the cluster, knows every job, and has stolen every ticket.
// It asks other MoMs to join, to run tasks, to signal and to leave. docs/design/0020-jobs-across-hosts.md: nothing comes of it.
#include "events/log/log_reader.hpp"
#include "events/model/run/ticket.hpp"
#include "test/sim/network.hpp"
#include "test/sim/processes.hpp"

namespace annals::sim {

namespace {

constexpr const char* invented_job = "666.server";

kj::ArrayPtr<const kj::byte> bytes_of(const std::string& s) { return {reinterpret_cast<const kj::byte*>(s.data()), s.size()}; }

schema::sealed_message forged_join(const std::string& ticket, const char* signature, schema::RunRef::Reader ref, capnp::Text::Reader user) {
  return schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    auto j = m.initJoin();
    auto t = j.initTicket();
    t.setTicket(bytes_of(ticket));
    t.setSignature(bytes_of(signature));
    j.initOrder().setRef(ref);
    j.getOrder().setEuser(user);
    j.setNode(1);
  });
}

}  // namespace

void world::play_hostile_node() {
  if (!chance(0.02)) return;
  const auto victim = first_mom() + random() % (processes_.size() - first_mom());
  auto& mom = static_cast<mom_process&>(*processes_[victim]);
  if (!mom.up() || mom.wants_crash) return;
  auto& l = hostile_links_[victim];
  if (!l || l->broken()) {
    endpoint evil;
    evil.seen_as = {wire::identity::kind::mom, "evil", 0, 0, 0, ""};
    evil.alive = client_alive_;
    evil.received = [](const wire::connection_ptr&, schema::sealed_message) {};
    l = net.connect(mom.end(), evil);
  }
  // A ticket of its own making, signed by nobody.
  const auto order = schema::make<schema::StartRun>([](schema::StartRun::Builder b) {
    b.initRef().setJob(invented_job);
    b.getRef().setRun(1);
    b.setEuser("root");
  });
  const auto own = model::make_ticket(order.get(), {"evil", mom.name()}, clock.now);
  const std::string own_bytes(reinterpret_cast<const char*>(own.bytes().data()), own.bytes().size());
  l->put(1, forged_join(own_bytes, "evil's", order.get().getRef(), "root"));
  if (tickets.empty()) return;
  // A stolen one, for the run it was made for; and orders for that run, as if it were the primary.
  const auto& stolen = tickets[random() % tickets.size()];
  const auto ticket = model::read_ticket(std::as_bytes(std::span(stolen)));
  const auto ref = ticket->get().getRef();
  l->put(1, forged_join(stolen, "the server's", ref, ticket->get().getUser()));
  l->put(1, schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
           auto s = m.initSpawn();
           s.initTask().setRef(ref);
           s.getTask().setTask(99);
           s.initArgv(1).set(0, "/bin/evil");
         }));
  l->put(1, schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
           m.initSignal().setRef(ref);
           m.getSignal().setSignal(9);
         }));
  l->put(1, schema::make<schema::ToSister>([&](schema::ToSister::Builder m) { m.initLeave().setRef(ref); }));
}

std::string world::check_hostile_node() {
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<mom_process&>(*processes_[i]);
    for (const auto& [key, times] : mom.machine().executions)
      if (key.run().job == invented_job || !key.is_own()) return mom.name() + " ran " + print(key) + " for a hostile node";
    std::string fault;
    (void)log::log_reader(*mom.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::PartEvent::JOINED) && schema::str(r->event().getPart().getJoined().getPrimary()) == "evil")
        fault = mom.name() + " joined a hostile node";
      return fault.empty();
    });
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace annals::sim
