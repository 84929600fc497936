// A run whose script the server has lost: the MoM asks for it in the run's name, and refuses the run when there is none.
#include <boost/test/unit_test.hpp>

#include <utility>

#include "actors/mom/mom_actor.hpp"
#include "actors/runtime/log_writer.hpp"
#include "events/model/exit_codes.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

constexpr std::uint64_t serial = 999;
const std::string hash(32, 'h');

void fill(schema::RunRef::Builder ref) {
  ref.setJobSerial(serial);
  ref.setRun(1);
  ref.setJob("7.borg");
}

struct host {
  host() {
    const auto stop = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
    writer = system->spawn(actors::log_writer, actors::log_writer_parts{&event_log, &reader, nullptr, {}, stop, [] { return true; }});
    actors::mom_actor_parts parts;
    parts.runs = {{writer, &reader, &clock, stop}, nullptr, std::make_shared<mom::mom_settings>()};
    parts.host = "n1";
    parts.log_uuid = std::string(16, 'm');
    parts.describe = [](schema::MomHello::Builder) {};
    parts.make_cookie = [] { return std::string(32, 'c'); };
    mom = system->spawn(actors::mom_actor, std::move(parts));
    caf::anon_send(mom, actors::peer_opened{server});
    system.run();
  }
  ~host() { system.end({std::exchange(mom, nullptr), std::exchange(writer, nullptr)}); }
  template <class Fill>
  void hears(Fill fill) {
    server->sent.clear();
    caf::anon_send(mom, actors::peer_frame{server, schema::make<schema::ToMom>(fill)});
    system.run();
  }
  schema::FromMom::Reader said() const {
    BOOST_REQUIRE(!server->sent.empty());
    return server->sent.back().root<schema::FromMom>();
  }

  test::stepped_system system;
  const test::still_clock clock;
  log::memory_event_store store;
  log::event_log event_log{store, clock};
  const log::log_reader reader{store};
  const std::shared_ptr<test::fake_peer> server = std::make_shared<test::fake_peer>(wire::identity::kind::server, "borg");
  caf::actor writer, mom;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_without_its_script_is_refused_for_that) {
  host h;
  h.hears([](schema::ToMom::Builder m) {
    auto order = m.initStartRun();
    fill(order.initRef());
    auto script = order.initScript();
    script.setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
    script.setSize(80 << 10);
  });
  BOOST_REQUIRE(h.said().isWantBlob());
  BOOST_TEST(h.said().getWantBlob().getRef().getJobSerial() == serial);
  BOOST_TEST(h.said().getWantBlob().getRef().getRun() == 1u);
  h.hears([](schema::ToMom::Builder m) {
    auto blob = m.initBlob();
    fill(blob.initRef());
    blob.setMissing(true);
    blob.setLast(true);
  });
  BOOST_REQUIRE(h.said().isRunRefused());
  BOOST_TEST(h.said().getRunRefused().getCode() == model::exit_script_lost);
  BOOST_TEST(h.said().getRunRefused().getText().cStr() == "the server does not have the job's script");
}
