// qsub and default_qsub_arguments: every job has those that the server has when it takes the job.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <map>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using annals::test::fake_gateway;
using annals::test::ran;

BOOST_AUTO_TEST_SUITE(default_arguments)

namespace {

// A server with these default_qsub_arguments.
struct server_with_defaults {
  explicit server_with_defaults(std::string text) : defaults(std::move(text)) {}
  ran qsub(std::vector<std::string> words) {
    words.insert(words.begin(), annals::test::stage_dir() + "/bin/qsub");
    return annals::test::run(words, {"", {{"PBS_CONF_FILE", gateway.conf_file()}}, "", {}});
  }
  std::map<std::string, std::string> last_job() {
    std::map<std::string, std::string> sent;
    const auto requests = gateway.requests();
    for (auto a : (*requests.back()).getQueueJob().getAttributes())
      sent[schema::str(a.getName()) + schema::str(a.getResource())] = schema::str(a.getValue());
    return sent;
  }

  const std::string defaults;
  fake_gateway gateway{[this](schema::Request::Reader r, schema::Reply::Builder out) {
    if (r.isStat()) {
      attributes::attribute_set b;
      b.set(attributes::server::default_qsub_arguments, defaults);
      auto objects = out.initObjects();
      objects.initObjects(1)[0].setAttributes(
          capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(b.packed().data()), b.packed().size()));
      objects.setLast(true);
    } else if (schema::text(r.getQueueJob().getDefaults()) != defaults) {
      out.initRejected().setDefaults(defaults);
    } else {
      out.setDone("12.q1");
    }
    return true;
  }};
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_job_gets_them_unless_it_says_otherwise) {  // RS-09
  server_with_defaults server("-A defacct -l walltime=33");
  BOOST_TEST(server.qsub({"-A", "mine", "-l", "ncpus=2", "--", "/bin/true"}).out == "12.q1\n");
  auto sent = server.last_job();
  BOOST_TEST(sent["Account_Name"] == "mine");
  BOOST_TEST(sent["Resource_Listwalltime"] == "33");
  BOOST_TEST(sent["Resource_Listncpus"] == "2");
  BOOST_TEST(sent["Submit_arguments"] == "-A mine -l ncpus=2 -- /bin/true");
}

BOOST_AUTO_TEST_CASE(a_server_without_any_is_asked_once) {
  server_with_defaults server("");
  BOOST_TEST(server.qsub({"--", "/bin/true"}).out == "12.q1\n");
  BOOST_TEST(server.gateway.requests().size() == 1u);
}

BOOST_AUTO_TEST_CASE(one_that_has_some_is_asked_twice_for_the_same_job) {
  server_with_defaults server("-A defacct");
  BOOST_TEST(server.qsub({"--", "/bin/true"}).out == "12.q1\n");
  const auto requests = server.gateway.requests();
  BOOST_REQUIRE(requests.size() == 2u);
  BOOST_TEST(((*requests[0]).getCommandId() == (*requests[1]).getCommandId()));
  BOOST_TEST(server.last_job()["Account_Name"] == "defacct");
}

BOOST_AUTO_TEST_CASE(they_mend_what_is_wrong_without_them) {
  const annals::test::temporary_directory home;
  const auto script = home.at("a job");
  std::ofstream(script) << "true\n";
  server_with_defaults named("-N good"), none("");
  BOOST_TEST(named.qsub({script}).out == "12.q1\n");
  BOOST_TEST(named.last_job()["Job_Name"] == "good");
  BOOST_TEST(none.qsub({script}).err.starts_with("qsub: illegal -N value"));
}

BOOST_AUTO_TEST_CASE(a_server_that_changes_them_again_and_again_is_not_asked_for_ever) {
  int asked = 0;
  fake_gateway server([&](schema::Request::Reader, schema::Reply::Builder out) {
    auto why = out.initRejected();
    why.setCode(15208);
    why.setText("changed");
    why.setDefaults("-A a" + std::to_string(++asked));
    return true;
  });
  const auto r = annals::test::run({annals::test::stage_dir() + "/bin/qsub", "--", "/bin/true"},
                                   {"", {{"PBS_CONF_FILE", server.conf_file()}}, "", {}});
  BOOST_TEST(r.status != 0);
  BOOST_TEST(r.err.find("changed") != std::string::npos);
  BOOST_TEST(asked == 5);
}

BOOST_AUTO_TEST_SUITE_END()
