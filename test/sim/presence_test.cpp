// A first host asks the others whether they are there, before it lets go of any and before the program (docs/design/0037).
#include <boost/test/unit_test.hpp>

#include <array>
#include <map>
#include <set>

#include "events/model/limits.hpp"
#include "test/sim/lone_mom_words.hpp"

using namespace annals;
using namespace annals::sim;

namespace {

using step = schema::RunEvent::Which;
using given = std::vector<std::array<const char*, 3>>;

const given spare = {{"schedselect", "", "3:ncpus=1"},
                     {"Resource_List", "select", "2:ncpus=1"},
                     {"Resource_List", "select_requested", "2:ncpus=1"},
                     {"Resource_List", "rjselect", "3:ncpus=1"}};

schema::sealed<schema::ToMom> order_for_three(const given& attributes, std::int64_t now_ns) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    m.setStartRun(order({"n1", "n2", "n3"}, now_ns).get().getStartRun());
    auto o = m.getStartRun();
    o.setExecHost("n1/0+n2/0+n3/0");
    o.setExecVnode("(n1:ncpus=1)+(n2:ncpus=1)+(n3:ncpus=1)");
    auto list = o.initAttributes(static_cast<unsigned>(attributes.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(attributes[i][0]);
      list[i].setResource(attributes[i][1]);
      list[i].setValue(attributes[i][2]);
    }
  });
}

// n1, and n2 and n3, which have joined and do as they are told to.
struct three_hosts {
  explicit three_hosts(const given& attributes) : n1("n1", {.program_s = 1000}), server(n1.server_connects()) {
    server->say(order_for_three(attributes, n1.around.clock.now));
    n1.pass(1);
    for (const char* host : {"n2", "n3"}) {
      sisters[host] = n1.sister_answers(host);
      sisters[host]->say(from_sister([](auto m) { name(m.initJoined()); }));
    }
  }
  // Seconds pass, one after the other, in which these hosts answer what they are asked.
  void pass(int seconds, const std::set<std::string>& there, const std::set<std::string>& take_in) {
    for (int n = 0; n < seconds; ++n) {
      n1.pass(1);
      for (auto& [host, sister] : sisters)
        for (const auto& m : sister->heard<schema::ToSister>()) {
          questions += m.get().isPresent();
          if (m.get().isPresent() && there.contains(host))
            sister->say(from_sister([&](auto b) { b.setPresent(m.get().getPresent()); }));
          if (m.get().isUpdate() && take_in.contains(host))
            sister->say(from_sister([&](auto b) {
              name(b.initUpdated().initRef());
              b.getUpdated().setNumber(m.get().getUpdate().getNumber());
            }));
        }
    }
    for (const auto& m : server->heard<schema::FromMom>()) {
      started |= m.get().isRunStarted();
      if (!m.get().isRunSteps()) continue;
      for (auto s : m.get().getRunSteps().getSteps()) {
        told.insert(s.getStep().which());
        if (s.getStep().isSisterFailed()) failed.insert(schema::str(s.getStep().getSisterFailed().getHost()));
        if (s.getStep().isAllocationReduced()) left = schema::str(s.getStep().getAllocationReduced().getExecHost());
      }
    }
  }
  bool begun() const { return !n1.mom.machine().executions.empty(); }
  bool refused() {
    n1.pass(1);
    for (auto& [host, sister] : sisters) sister->say(from_sister([](auto m) { name(m.initLeft().initRef()); }));
    n1.pass(limits::sister_silence_s + 3);  // one that hung up is given up
    server->say(acknowledged(schema::Ack::What::RUN_STEPS));
    n1.pass(1);
    return !only(server->heard<schema::FromMom>(), schema::FromMom::RUN_REFUSED).empty();
  }

  lone_mom n1;
  std::shared_ptr<played> server;
  std::map<std::string, std::shared_ptr<played>> sisters;
  std::set<step> told;
  std::set<std::string> failed;
  std::string left;
  int questions = 0;
  bool started = false;
};

const std::set<std::string> both = {"n2", "n3"}, nobody;

}  // namespace

BOOST_AUTO_TEST_SUITE(presence)

BOOST_AUTO_TEST_CASE(hosts_that_are_there_are_asked_once_before_the_program) {
  three_hosts h({});
  h.pass(3, both, both);
  BOOST_TEST(h.begun());
  BOOST_TEST(h.questions == 2);
  BOOST_TEST(h.failed.empty());
}

// RS-02, RS-05
BOOST_AUTO_TEST_CASE(a_host_that_does_not_answer_ends_the_start_of_a_job_that_bears_nothing) {
  three_hosts h({});
  h.pass(2, {"n3"}, both);
  BOOST_TEST(!h.begun());
  BOOST_TEST(h.failed.empty());
  h.pass(2, {"n3"}, both);
  BOOST_TEST(h.failed == std::set<std::string>{"n2"}, boost::test_tools::per_element());
  BOOST_TEST(h.refused());
  BOOST_TEST(!h.begun());
}

// RS-28, RS-65: the spare host takes its place.
BOOST_AUTO_TEST_CASE(a_host_that_does_not_answer_is_let_go_and_a_spare_one_stays) {
  three_hosts h(spare);
  h.pass(2, {"n3"}, both);
  BOOST_TEST(!h.begun());
  BOOST_TEST(h.left == "");
  h.pass(4, {"n3"}, both);
  BOOST_TEST(h.failed == std::set<std::string>{"n2"}, boost::test_tools::per_element());
  BOOST_TEST(h.left == "n1/0+n3/0");
  BOOST_TEST(h.begun());
}

BOOST_AUTO_TEST_CASE(a_link_that_breaks_counts_at_once) {
  for (const bool has_spare : {true, false}) {
    three_hosts h(has_spare ? spare : given());
    h.n1.pass(1);
    h.sisters["n2"]->hang_up();
    h.pass(4, {"n3"}, both);
    BOOST_TEST(h.failed == std::set<std::string>{"n2"}, boost::test_tools::per_element());
    BOOST_TEST(h.begun() == has_spare);
    if (has_spare) BOOST_TEST(h.left == "n1/0+n3/0");
    else BOOST_TEST(h.refused());
  }
}

// RS-29: nobody is left who could take its place.
BOOST_AUTO_TEST_CASE(a_host_that_stays_and_is_silent_then_has_the_job_tried_again) {
  three_hosts h(spare);
  h.pass(1, both, nobody);
  for (int n = 0; n < 6 && h.left.empty(); ++n) h.pass(1, h.left.empty() ? both : nobody, nobody);
  BOOST_TEST(h.left == "n1/0+n2/0");
  h.pass(limits::update_wait_s + limits::presence_wait_s + 2, nobody, nobody);
  BOOST_TEST(h.failed.contains("n2"));
  BOOST_TEST(h.refused());
  BOOST_TEST(!h.begun());
}

// RS-97
BOOST_AUTO_TEST_CASE(a_host_that_is_there_may_take_its_time_to_take_in_what_was_let_go) {
  three_hosts h(spare);
  h.pass(4, both, nobody);
  BOOST_TEST(h.left == "n1/0+n2/0");
  BOOST_TEST(!h.begun());
  h.pass(6, both, nobody);
  BOOST_TEST(h.failed.empty());
  BOOST_TEST(h.begun());
  three_hosts late(spare);
  late.pass(4, both, nobody);
  late.sisters["n2"]->say(from_sister([&](auto b) {
    name(b.initUpdated().initRef());
    b.getUpdated().setNumber(1);
  }));
  late.pass(2, both, both);
  BOOST_TEST(late.begun());
}

BOOST_AUTO_TEST_CASE(a_host_that_has_lost_the_job_is_not_there) {
  three_hosts h({});
  h.n1.pass(1);
  h.sisters["n3"]->say(from_sister([](auto m) { name(m.initLeft().initRef()); }));
  h.pass(2, {"n2"}, both);
  BOOST_TEST(h.failed == std::set<std::string>{"n3"}, boost::test_tools::per_element());
  BOOST_TEST(h.refused());
  BOOST_TEST(!h.begun());
}

// Its program was handed to nobody, so they are asked in the next life too.
BOOST_AUTO_TEST_CASE(a_first_host_that_dies_meanwhile_asks_again) {
  three_hosts h({});
  h.n1.pass(1);
  h.n1.restart();
  h.server = h.n1.server_connects();
  h.sisters["n3"] = h.n1.sister_answers("n3");
  h.pass(5, both, both);
  BOOST_TEST(!h.begun());  // n2 was not found yet
  h.sisters["n2"] = h.n1.sister_answers("n2");
  answer_presence(*h.sisters["n2"]);
  h.pass(2, both, both);
  BOOST_TEST(h.failed.empty());
  BOOST_TEST(h.begun());
}

BOOST_AUTO_TEST_SUITE_END()
