// A resource that jobs or reservations ask for is neither deleted nor changed, a queue that vnodes serve not deleted, and what others share
// not taken away. Blocks U11, U12 and U19 of a real PBS's transcript.
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr std::uint64_t server_stream = 1, queue_stream = 2, reservation_stream = 500;

struct books {
  model::ledger ledger;
  std::uint64_t sequence = 0;
  model::requester by = root();

  // Asks, and writes if it may be written. "" or the refusal.
  template <class Fill>
  std::string event(std::uint64_t stream, Fill&& f) {
    const auto e = model::make_event(std::forward<Fill>(f));
    const model::event_place at{++sequence, stream, 1, 1'000'000'000, by};
    if (const auto why = ledger.check(at, e.get())) return std::to_string(why->code) + " " + why->text;
    ledger.apply(at, e.get());
    return "";
  }
  books() {
    event(queue_stream, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    define("fa", "long", "hn");
  }
  void define(const char* name, const char* type, const char* flags) {
    event(server_stream, [&](auto e) {
      auto d = e.initServer().initResourceCreated();
      d.setName(name);
      d.setType(type);
      d.setFlags(flags);
    });
  }
  std::string change(const char* name, const char* type, const char* flags) {
    return event(server_stream, [&](auto e) {
      auto d = e.initServer().initResourceChanged();
      d.setName(name);
      d.setType(type);
      d.setFlags(flags);
    });
  }
  std::string remove(const char* name) {
    return event(server_stream, [&](auto e) { e.initServer().initResourceDeleted().setName(name); });
  }
  void job(std::uint64_t number, const given_values& attributes) {
    BOOST_REQUIRE_EQUAL(event(number + 1000, [&](auto e) {
                          auto q = e.initJob().initQueued();
                          q.setNumber(number);
                          q.setQueue("workq");
                          fill(q.initAttributes(static_cast<unsigned>(attributes.size())), attributes);
                        }),
                        "");
  }
  void alter(std::uint64_t number, const char* attribute, const char* resource, const char* value) {
    event(number + 1000, [&](auto e) {
      auto c = e.initJob().initAltered().initChanges(1)[0];
      c.setName(attribute);
      c.setResource(resource);
      c.setValue(value);
      if (*value == '\0') c.setOp(schema::AttributeOp::UNSET);
    });
  }
  void ended(std::uint64_t number) {
    event(number + 1000, [](auto e) { e.initJob().initEnded(); });
  }
  void forgotten(std::uint64_t number) {
    event(number + 1000, [](auto e) { e.initJob().setForgotten(); });
  }
  void reservation(const given_values& attributes) {
    BOOST_REQUIRE_EQUAL(event(reservation_stream, [&](auto e) {
                          auto s = e.initReservation().initSubmitted();
                          s.setId("R5");
                          fill(s.initAttributes(static_cast<unsigned>(attributes.size())), attributes);
                        }),
                        "");
  }
  void host(const std::string& name, std::uint64_t stream) {
    event(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    event(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
  }
  std::string set(std::uint64_t stream, const char* vnode, const char* name, const char* resource, const char* value) {
    return event(stream, [&](auto e) {
      auto v = e.initHost().initVnodeChanged();
      v.setVnode(vnode);
      auto c = v.initChanges(1)[0];
      c.setName(name);
      c.setResource(resource);
      c.setValue(value);
      if (*value == '\0') c.setOp(schema::AttributeOp::UNSET);
    });
  }
  std::string delete_vnode(std::uint64_t stream, const char* name) {
    return event(stream, [&](auto e) { e.initHost().initVnodeDeleted().setName(name); });
  }
};

const std::string busy = "15174 Resource busy on job", reserved = "15174 Resource busy on reservation",
                  in_use = "15027 Cannot delete busy object";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(resource_users, books)

BOOST_AUTO_TEST_CASE(a_resource_that_a_job_asks_for_stays_until_the_job_is_forgotten) {
  job(1, {{"Resource_List", "select", "1:ncpus=1:fa=2"}, {"Resource_List", "fa", "2"}, {"schedselect", "", "1:ncpus=1:fa=2"}});
  BOOST_TEST(remove("fa") == busy);
  BOOST_TEST(change("fa", "string", "hn") == busy);
  BOOST_TEST(change("fa", "long", "h") == busy);
  BOOST_TEST(change("fa", "long", "hn") == "");  // what it is
  ended(1);
  BOOST_TEST(remove("fa") == busy);
  forgotten(1);
  BOOST_TEST(change("fa", "string", "hn").starts_with("15014 Erroneous to have flag 'n', 'f', or 'q' on resource \"fa\""));
  BOOST_TEST(change("fa", "long", "h") == "");
  BOOST_TEST(remove("fa") == "");
}

BOOST_AUTO_TEST_CASE(a_resource_is_asked_for_by_its_name_in_chunks_and_as_a_group) {
  define("fb", "string", "h");
  define("fab", "long", "hn");
  job(1, {{"Resource_List", "ncpus", "1"}});
  for (const given_values& asked : std::vector<given_values>{{{"Resource_List", "fb", "x"}},
                                                             {{"Resource_List", "select", "2:ncpus=1+fb=x"}},
                                                             {{"schedselect", "", "1:ncpus=1:fb=x"}},
                                                             {{"Resource_List", "select_requested", "1:fb=x"}},
                                                             {{"Resource_List", "place", "pack:group=fb"}}}) {
    job(2, asked);
    BOOST_TEST(remove("fb") == busy);
    forgotten(2);
  }
  job(3, {{"Resource_List", "select", "1:ncpus=1:fab=1"}, {"Variable_List", "", "fb=x"}, {"Resource_List", "site", "fb"}});
  BOOST_TEST(remove("fb") == "");
  BOOST_TEST(remove("fa") == "");
  BOOST_TEST(remove("fab") == busy);
}

BOOST_AUTO_TEST_CASE(a_resource_that_a_job_has_used_stays_until_the_job_is_forgotten) {
  define("foo", "long", "");
  job(1, {{"Resource_List", "ncpus", "1"}});
  job(2, {{"Resource_List", "ncpus", "1"}});
  const given_values used{{"", "cput", "00:00:01"}, {"", "foo", "5"}};
  event(1001, [&](auto e) { fill(e.initJob().initUsageReported().initUsage().initResources(2), used); });
  BOOST_TEST(remove("foo") == busy);
  BOOST_TEST(change("foo", "string", "") == busy);
  event(1002, [&](auto e) { fill(e.initJob().initExited().initUsage().initResources(2), used); });
  forgotten(1);
  ended(2);
  BOOST_TEST(remove("foo") == busy);
  forgotten(2);
  BOOST_TEST(remove("fa") == "");
  BOOST_TEST(remove("foo") == "");
}

BOOST_AUTO_TEST_CASE(what_a_job_asks_for_counts_as_it_is_now) {
  job(1, {{"Resource_List", "select", "1:fa=2"}, {"Resource_List", "fa", "2"}});
  alter(1, "Resource_List", "select", "1:ncpus=2");
  BOOST_TEST(remove("fa") == busy);
  alter(1, "Resource_List", "fa", "");
  BOOST_TEST(change("fa", "long", "h") == "");
  alter(1, "Resource_List", "select", "1:fa=1");
  BOOST_TEST(remove("fa") == busy);
}

BOOST_AUTO_TEST_CASE(a_resource_that_a_reservation_asks_for_stays_until_its_end) {
  reservation({{"Resource_List", "select", "1:ncpus=1:fa=2"}});
  BOOST_TEST(remove("fa") == reserved);
  BOOST_TEST(change("fa", "long", "h") == reserved);
  event(reservation_stream, [](auto e) { e.initReservation().initDenied(); });
  BOOST_TEST(remove("fa") == "");
}

BOOST_AUTO_TEST_CASE(a_queue_that_a_vnode_serves_is_not_deleted) {
  host("n1", 10);
  BOOST_TEST(set(10, "n1", "queue", "", "workq") == "");
  const auto delete_it = [&] { return event(queue_stream, [](auto e) { e.initQueue().initDeleted().setName("workq"); }); };
  BOOST_TEST(delete_it() == in_use);
  BOOST_TEST(set(10, "n1", "queue", "", "") == "");
  BOOST_TEST(delete_it() == "");
}

BOOST_AUTO_TEST_CASE(what_others_share_is_neither_unset_nor_deleted) {
  host("n1", 10);
  host("n2", 11);
  BOOST_TEST(set(11, "n2", "resources_available", "fa", "5") == "");
  BOOST_TEST(set(10, "n1", "resources_available", "fa", "@n2") == "");
  BOOST_TEST(set(11, "n2", "resources_available", "fa", "") == in_use);
  BOOST_TEST(delete_vnode(11, "n2") == in_use);
  BOOST_TEST(set(11, "n2", "resources_available", "fa", "7") == "");
  BOOST_TEST(delete_vnode(10, "n1") == "");
  BOOST_TEST(set(11, "n2", "resources_available", "fa", "") == "");
  BOOST_TEST(delete_vnode(11, "n2") == "");
}

BOOST_AUTO_TEST_CASE(the_server_takes_away_what_is_shared_of_a_resource_that_is_no_more) {
  host("n1", 10);
  host("n2", 11);
  set(11, "n2", "resources_available", "fa", "5");
  set(10, "n1", "resources_available", "fa", "@n2");
  BOOST_TEST(remove("fa") == "");
  by = the_server();
  BOOST_TEST(set(11, "n2", "resources_available", "fa", "") == "");
  BOOST_TEST(set(10, "n1", "resources_available", "fa", "") == "");
}

BOOST_AUTO_TEST_SUITE_END()
