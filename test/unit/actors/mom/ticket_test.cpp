// Tickets of runs on several hosts (docs/design/0020-jobs-across-hosts.md): what the server signed lets a sister join, and
// nothing else does, whatever a hostile node sends.
#include <boost/test/unit_test.hpp>

#include <filesystem>

#include "actors/link/wire/signing.hpp"
#include "actors/mom/runs/ticket_check.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using kind = wire::identity::kind;

namespace {

constexpr std::int64_t now = 1'795'000'000'000'000'000;

struct cluster {
  test::temporary_directory dir;
  wire::authority ca = wire::authority::open_or_create(dir.path + "/ca");
  wire::credentials of(kind what, const std::string& name) const {
    const std::string file = dir.path + "/" + wire::word_of(what) + "-" + name + ".pem";
    if (!std::filesystem::exists(file)) wire::create_private_file(file, ca.issue(what, name).bundle());
    return wire::credentials::bundle(file);
  }
};

schema::sealed<schema::StartRun> order(const std::string& job = "12.borg", const std::string& user = "anna", std::uint32_t run = 1,
                                       const std::string& share = "(n1:ncpus=1)+(n2:ncpus=1)") {
  return schema::make<schema::StartRun>([&](schema::StartRun::Builder o) {
    auto ref = o.initRef();
    ref.setJob(job);
    ref.setJobSerial(7);
    ref.setRun(run);
    o.setEuser(user);
    o.setEgroup("users");
    o.setServerName("borg");
    o.setExecVnode(share);
  });
}

struct on_n2 {
  cluster borg;
  wire::signer server{borg.of(kind::server, "borg")};
  wire::signature_check check{borg.of(kind::mom, "n2")};
  actors::ticket_gate gate{"n2", [this](schema::byte_span bytes, const std::string& signature, const std::string& certificate) {
                             return check.signer_of(model::ticket_purpose, bytes, {signature, certificate});
                           }};

  schema::sealed<schema::JoinJob> join(const schema::sealed_message& ticket, const wire::signature& by,
                                       const schema::sealed<schema::StartRun>& what = order()) const {
    return schema::make<schema::JoinJob>([&](schema::JoinJob::Builder j) {
      auto t = j.initTicket();
      t.setTicket({reinterpret_cast<const kj::byte*>(ticket.bytes().data()), ticket.bytes().size()});
      t.setSignature({reinterpret_cast<const kj::byte*>(by.bytes.data()), by.bytes.size()});
      t.setCertificate(by.certificate_pem);
      j.setOrder(what.get());
    });
  }
  schema::sealed<schema::JoinJob> signed_join(const std::vector<std::string>& hosts = {"n1", "n2", "n3"}) const {
    const auto ticket = model::make_ticket(order().get(), hosts, now);
    return join(ticket, server.sign(model::ticket_purpose, ticket.bytes()));
  }
  std::string refused(const schema::sealed<schema::JoinJob>& j, const std::string& peer = "n1", std::int64_t at = now) const {
    return gate.why_not(j.get(), peer, at);
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(tickets)

BOOST_AUTO_TEST_CASE(a_ticket_of_the_server_lets_its_sisters_join) {
  on_n2 t;
  BOOST_TEST(t.refused(t.signed_join()) == "");
  BOOST_TEST(t.refused(t.signed_join(), "n1", now + limits::ticket_life_s * 1'000'000'000) == "");
}

BOOST_AUTO_TEST_CASE(a_ticket_that_is_over_does_not) {
  on_n2 t;
  BOOST_TEST(t.refused(t.signed_join(), "n1", now + limits::ticket_life_s * 1'000'000'000 + 1) == "the ticket is no longer valid");
}

BOOST_AUTO_TEST_CASE(a_ticket_counts_only_in_the_hands_of_its_primary) {
  on_n2 t;
  BOOST_TEST(t.refused(t.signed_join(), "n3") == "the ticket names n1 as the primary, not n3");
}

BOOST_AUTO_TEST_CASE(a_ticket_for_other_hosts_is_no_ticket_for_this_one) {
  on_n2 t;
  BOOST_TEST(t.refused(t.signed_join({"n1", "n3"})) == "the ticket does not name n2 as a sister");
  BOOST_TEST(t.refused(t.signed_join({"n2", "n3"}), "n2") == "the ticket does not name n2 as a sister");
  BOOST_TEST(t.refused(t.signed_join({"n1"})) == "the ticket is for no run on several hosts");
}

BOOST_AUTO_TEST_CASE(the_order_must_be_the_tickets) {
  on_n2 t;
  const auto ticket = model::make_ticket(order().get(), {"n1", "n2"}, now);
  const auto by = t.server.sign(model::ticket_purpose, ticket.bytes());
  BOOST_TEST(t.refused(t.join(ticket, by, order("13.borg"))) == "the ticket is for another run");
  BOOST_TEST(t.refused(t.join(ticket, by, order("12.borg", "anna", 2))) == "the ticket is for another run");
  BOOST_TEST(t.refused(t.join(ticket, by, order("12.borg", "root"))) == "the ticket is for another user");
  BOOST_TEST(t.refused(t.join(ticket, by, order("12.borg", "anna", 1, "(n1:ncpus=1)+(n2:ncpus=64)"))) ==
             "the ticket is for another share of the hosts");
}

BOOST_AUTO_TEST_CASE(a_node_can_not_sign_a_ticket) {
  on_n2 t;
  const wire::signer hostile(t.borg.of(kind::mom, "n1"));
  const auto ticket = model::make_ticket(order("12.borg", "root").get(), {"n1", "n2"}, now);
  const auto join = t.join(ticket, hostile.sign(model::ticket_purpose, ticket.bytes()), order("12.borg", "root"));
  BOOST_TEST(t.refused(join) == "the ticket is signed by a mom");
}

BOOST_AUTO_TEST_CASE(another_clusters_server_can_not_sign_a_ticket) {
  on_n2 t;
  const cluster elsewhere;
  const wire::signer foreign(elsewhere.of(kind::server, "borg"));
  const auto ticket = model::make_ticket(order().get(), {"n1", "n2"}, now);
  const auto join = t.join(ticket, foreign.sign(model::ticket_purpose, ticket.bytes()));
  BOOST_TEST(contains(t.refused(join), "the ticket is forged: not a certificate of this cluster"));
}

BOOST_AUTO_TEST_CASE(a_changed_ticket_is_forged) {
  on_n2 t;
  const auto ticket = model::make_ticket(order().get(), {"n1", "n2"}, now);
  const auto by = t.server.sign(model::ticket_purpose, ticket.bytes());
  const auto other = model::make_ticket(order("12.borg", "root").get(), {"n1", "n2"}, now);
  BOOST_TEST(contains(t.refused(t.join(other, by, order("12.borg", "root"))), "not signed by the owner of the certificate"));
  auto bad = by;
  bad.bytes[10] = static_cast<char>(bad.bytes[10] ^ 1);
  BOOST_TEST(contains(t.refused(t.join(ticket, bad)), "forged"));
  BOOST_TEST(contains(t.refused(t.join(ticket, {"", by.certificate_pem})), "forged"));
  BOOST_TEST(contains(t.refused(t.join(ticket, {by.bytes, "no certificate"})), "forged"));
  BOOST_TEST(contains(t.refused(t.join(ticket, {by.bytes, std::string(1 << 20, 'x')})), "too long"));
}

BOOST_AUTO_TEST_CASE(what_the_server_signed_for_another_purpose_is_no_ticket) {
  on_n2 t;
  const auto ticket = model::make_ticket(order().get(), {"n1", "n2"}, now);
  BOOST_TEST(contains(t.refused(t.join(ticket, t.server.sign("head of the chain", ticket.bytes()))), "forged"));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_ticket_are_refused_although_signed) {
  on_n2 t;
  const auto nothing = schema::make<schema::RunRef>([](auto) {});
  const auto j = t.join(nothing, t.server.sign(model::ticket_purpose, nothing.bytes()));
  BOOST_TEST(t.refused(j) != "");
  const std::string text = "not a message";
  const auto bytes = std::as_bytes(std::span(text));
  BOOST_TEST(!model::read_ticket(bytes).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
