#include "events/model/run/ticket.hpp"

#include "events/model/limits.hpp"

namespace annals::model {

namespace {

// A ticket names at most every host of the largest job; each name has at most 253 letters.
constexpr std::uint64_t ticket_words_max = 1u << 20;

bool same(capnp::Text::Reader a, capnp::Text::Reader b) { return schema::text(a) == schema::text(b); }

bool same_run(schema::RunRef::Reader a, schema::RunRef::Reader b) {
  return a.getJobSerial() == b.getJobSerial() && a.getRun() == b.getRun() && same(a.getJob(), b.getJob());
}

}  // namespace

schema::sealed<schema::Ticket> make_ticket(schema::StartRun::Reader order, const std::vector<std::string>& hosts, std::int64_t now_ns) {
  return schema::make<schema::Ticket>([&](schema::Ticket::Builder t) {
    t.setServerName(order.getServerName());
    t.setRef(order.getRef());
    t.setUser(order.getEuser());
    t.setGroup(order.getEgroup());
    t.setExecVnode(order.getExecVnode());
    auto list = t.initHosts(static_cast<unsigned>(hosts.size()));
    for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
    t.setNotAfterNs(now_ns + limits::ticket_life_s * 1'000'000'000);
  });
}

std::optional<schema::sealed<schema::Ticket>> read_ticket(schema::byte_span bytes) {
  auto message = schema::sealed_message::from_bytes(bytes, {ticket_words_max, 16});
  if (!message) return std::nullopt;
  return schema::sealed<schema::Ticket>(std::move(*message));
}

std::int64_t valid_until_ns(schema::SignedTicket::Reader given) {
  const auto ticket = read_ticket(schema::bytes_of(given.getTicket()));
  return ticket ? ticket->get().getNotAfterNs() : INT64_MAX;
}

std::int64_t ticket_good_until_ns(schema::SignedTicket::Reader given) {
  return valid_until_ns(given) - limits::ticket_rest_s * 1'000'000'000;
}

std::string why_not_join(schema::Ticket::Reader t, schema::JoinJob::Reader join, std::string_view own_host, std::string_view peer,
                         std::int64_t now_ns) {
  const auto hosts = t.getHosts();
  if (hosts.size() < 2) return "the ticket is for no run on several hosts";
  if (schema::text(hosts[0]) != peer) return "the ticket names " + schema::str(hosts[0]) + " as the primary, not " + std::string(peer);
  bool named = false;
  for (unsigned i = 1; i < hosts.size(); ++i) named |= schema::text(hosts[i]) == own_host;
  if (!named) return "the ticket does not name " + std::string(own_host) + " as a sister";
  if (now_ns > t.getNotAfterNs()) return "the ticket is no longer valid";
  const auto order = join.getOrder();
  if (!same_run(order.getRef(), t.getRef())) return "the ticket is for another run";
  if (!same(order.getEuser(), t.getUser()) || !same(order.getEgroup(), t.getGroup())) return "the ticket is for another user";
  if (!same(order.getExecVnode(), t.getExecVnode())) return "the ticket is for another share of the hosts";
  return {};
}

}  // namespace annals::model
