// What the tests of a lone MoM say to it, as its server, its primary or its sister: all about one job, and its first run unless they
// say otherwise.
#pragma once

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

#include "events/model/run/ticket.hpp"
#include "test/sim/lone_mom.hpp"

namespace annals::sim {

inline constexpr const char* job = "12.server";

inline void name(schema::RunRef::Builder ref, std::uint32_t run = 1) {
  ref.setJob(job);
  ref.setJobSerial(7);
  ref.setRun(run);
}

// Of a job on these hosts; the ticket, when there is more than one, is as fresh as the order.
inline schema::sealed<schema::ToMom> order(const std::vector<std::string>& hosts, std::int64_t now_ns, bool staged = false,
                                           std::uint32_t run = 1, const std::string& tolerates = {}) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    name(o.initRef(), run);
    o.setEuser("anna");
    o.setExecHost("n1/0+n2/0");
    o.setExecVnode("(n1:ncpus=1)+(n2:ncpus=1)");
    if (staged || !tolerates.empty()) {
      auto a = o.initAttributes(1)[0];
      a.setName(staged ? "stagein" : "tolerate_node_failures");
      a.setValue(staged ? "in@store:/data/in" : tolerates);
    }
    if (!tolerates.empty()) {
      auto a = o.initAttributes(1)[0];
      a.setName("tolerate_node_failures");
      a.setValue(tolerates);
    }
    auto sisters = o.initSisters(static_cast<unsigned>(hosts.size() - 1));
    for (unsigned i = 0; i < sisters.size(); ++i) sisters[i].setHost(hosts[i + 1]);
    if (hosts.size() < 2) return;
    const auto ticket = model::make_ticket(o.asReader(), hosts, now_ns);
    const std::string by = "the server's";
    o.initTicket().setTicket({reinterpret_cast<const kj::byte*>(ticket.bytes().data()), ticket.bytes().size()});
    o.getTicket().setSignature({reinterpret_cast<const kj::byte*>(by.data()), by.size()});
  });
}

inline schema::sealed<schema::ToSister> join(std::int64_t now_ns, std::uint32_t run = 1) {
  const auto of = order({"n1", "n2"}, now_ns, false, run);
  return schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    auto j = m.initJoin();
    j.setTicket(of.get().getStartRun().getTicket());
    j.setOrder(of.get().getStartRun());
    j.setNode(1);
  });
}

inline schema::sealed<schema::ToMom> acknowledged(schema::Ack::What what) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    name(m.initAck().initRef());
    m.getAck().setWhat(what);
    m.getAck().setSteps(100);  // all there are
  });
}

inline schema::sealed<schema::ToMom> kill_order(std::uint32_t kill_delay_s) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto s = m.initSignalRun();
    name(s.initRef());
    s.setId(1);
    s.setSignal("SIGTERM");
    s.setKillDelaySeconds(kill_delay_s);
    s.setExitStatus(271);
    s.setOverridesExit(true);
  });
}

template <class Fill>
schema::sealed<schema::ToSister> to_sister(Fill&& fill) { return schema::make<schema::ToSister>(std::forward<Fill>(fill)); }
template <class Fill>
schema::sealed<schema::FromSister> from_sister(Fill&& fill) { return schema::make<schema::FromSister>(std::forward<Fill>(fill)); }

// The messages of one kind among those.
template <class Message, class Which>
std::vector<schema::sealed<Message>> only(std::vector<schema::sealed<Message>> all, Which kind) {
  std::erase_if(all, [&](const auto& m) { return m.get().which() != kind; });
  return all;
}

// It is there, as often as it was asked.
inline void answer_presence(played& sister) {
  for (const auto& m : only(sister.heard<schema::ToSister>(), schema::ToSister::PRESENT))
    sister.say(from_sister([&](auto b) { b.setPresent(m.get().getPresent()); }));
}

inline std::shared_ptr<played> joined_sister(lone_mom& n1) {
  auto n2 = n1.sister_answers("n2");
  BOOST_TEST_REQUIRE(only(n2->heard<schema::ToSister>(), schema::ToSister::JOIN).size() == 1u);
  n2->say(from_sister([](auto m) { name(m.initJoined()); }));
  n1.pass(1);
  answer_presence(*n2);
  n1.pass(2);
  return n2;
}

}  // namespace annals::sim
