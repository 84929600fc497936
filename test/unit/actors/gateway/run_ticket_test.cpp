// What an order to several hosts has when it leaves: where the others are, and a ticket that names them all.
#include <boost/test/unit_test.hpp>

#include "actors/gateway/jobs/run_ticket.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"

using namespace annals;

namespace {

constexpr std::int64_t now = 1'795'000'000'000'000'000;

schema::sealed<schema::ToMom> order(const std::vector<std::string>& sisters) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto start = m.initStartRun();
    start.initRef().setJobSerial(7);
    start.setEuser("anna");
    auto list = start.initSisters(static_cast<unsigned>(sisters.size()));
    for (unsigned i = 0; i < list.size(); ++i) list[i].setHost(sisters[i]);
  });
}

// Signs with what is signed.
wire::signature echo(schema::byte_span bytes) {
  return {std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "its certificate"};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tickets_of_orders)

BOOST_AUTO_TEST_CASE(the_sisters_are_where_their_moms_said_or_at_their_names) {
  const auto with = actors::with_ticket(order({"n2", "n3"}), "n1", {{"10.0.0.2", 15002}, {}}, echo, now);
  const auto sisters = with.get().getStartRun().getSisters();
  BOOST_TEST(schema::text(sisters[0].getAddress()) == "10.0.0.2");
  BOOST_TEST(sisters[0].getPort() == 15002);
  BOOST_TEST(schema::text(sisters[1].getAddress()) == "n3");
  BOOST_TEST(schema::text(with.get().getStartRun().getEuser()) == "anna");
}

BOOST_AUTO_TEST_CASE(the_ticket_names_all_hosts_the_primary_first_and_ends) {
  const auto with = actors::with_ticket(order({"n2", "n3"}), "n1", {{}, {}}, echo, now);
  const auto signed_ticket = with.get().getStartRun().getTicket();
  BOOST_TEST(schema::text(signed_ticket.getCertificate()) == "its certificate");
  BOOST_REQUIRE(signed_ticket.getTicket().size() > 0u);
  BOOST_TEST((signed_ticket.getTicket() == signed_ticket.getSignature()));  // those bytes were signed and no others
  const auto ticket = model::read_ticket(schema::bytes_of(signed_ticket.getTicket()));
  BOOST_REQUIRE(ticket.has_value());
  const auto hosts = ticket->get().getHosts();
  BOOST_REQUIRE(hosts.size() == 3u);
  BOOST_TEST(schema::str(hosts[0]) == "n1");
  BOOST_TEST(schema::str(hosts[2]) == "n3");
  BOOST_TEST(model::valid_until_ns(signed_ticket) == now + limits::ticket_life_s * 1'000'000'000);
}

BOOST_AUTO_TEST_CASE(without_a_key_there_is_no_ticket_but_the_addresses) {
  const auto with = actors::with_ticket(order({"n2"}), "n1", {{"10.0.0.2", 1}}, {}, now);
  BOOST_TEST(with.get().getStartRun().getTicket().getTicket().size() == 0u);
  BOOST_TEST(schema::text(with.get().getStartRun().getSisters()[0].getAddress()) == "10.0.0.2");
}

BOOST_AUTO_TEST_SUITE_END()
