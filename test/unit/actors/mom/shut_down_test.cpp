// What a MoM does when the server wants it to end (qterm -m).
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <utility>

#include "actors/mom/mom_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/fake_peer.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;

namespace {

// A MoM whose peer says shutDown; how often the MoM ends then.
int ends_told_by(wire::identity::kind what) {
  test::stepped_system system;
  const test::still_clock clock;
  log::memory_event_store store;
  log::event_log event_log(store, clock);
  const log::log_reader reader(store);
  const auto stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
  auto writer = system->spawn(actors::log_writer, actors::log_writer_parts{&event_log, &reader, nullptr, {}, stop, [] { return true; }});
  int ends = 0;
  actors::mom_actor_parts parts;
  parts.runs = {{writer, &reader, &clock, stop}, nullptr, std::make_shared<mom::mom_settings>()};
  parts.host = "n1";
  parts.log_uuid = std::string(16, 'm');
  parts.describe = [](schema::MomHello::Builder) {};
  parts.shut_down = [&ends] { ++ends; };
  auto mom = system->spawn(actors::mom_actor, std::move(parts));
  const auto peer = std::make_shared<test::fake_peer>(what, "borg");
  caf::anon_send(mom, actors::peer_opened{peer});
  caf::anon_send(mom, actors::peer_frame{peer, schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.setShutDown(); })});
  system.run();
  system.end({std::exchange(mom, nullptr), std::exchange(writer, nullptr)});
  return ends;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shut_down)

BOOST_AUTO_TEST_CASE(a_mom_ends_when_its_server_says_so_and_nobody_else) {
  BOOST_TEST(ends_told_by(wire::identity::kind::server) == 1);
  BOOST_TEST(ends_told_by(wire::identity::kind::mom) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
