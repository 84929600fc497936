// qenable, qdisable, qstart and qstop as programs: what they print, their exit status, and what reaches the server.
#include <boost/test/unit_test.hpp>

#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
using annals::test::fake_gateway;
using annals::test::ran;

namespace {

// Knows every queue but nosuch; who asks is no operator of selq, nor of all queues when `all_refused`.
struct queue_server {
  bool all_refused = false;
  fake_gateway gateway{[this](schema::Request::Reader r, schema::Reply::Builder out) { return answer(r, out); }};

  bool answer(schema::Request::Reader r, schema::Reply::Builder out) const {
    const auto m = r.getManage();
    const auto refuse = [&](std::uint32_t code, const char* text) {
      auto no = out.initRejected();
      no.setCode(code);
      no.setText(text);
    };
    if (m.getName() == "nosuch" || m.getName() == "-x") refuse(15018, "Unknown queue");
    else if (m.getName() == "selq" || (m.getAllOfKind() && all_refused)) refuse(15007, "Unauthorized Request");
    else out.setDone("");
    return true;
  }

  ran run(std::vector<std::string> words) const {
    words[0] = annals::test::stage_dir() + "/bin/" + words[0];
    return test::run(words, {{}, {{"PBS_CONF_FILE", gateway.conf_file()}}, {}, {}});
  }

  // "name attribute=value" of each request; "*": all queues.
  std::vector<std::string> changes() const {
    std::vector<std::string> said;
    for (const auto& request : gateway.requests()) {
      const auto m = (*request).getManage();
      BOOST_TEST((m.getVerb() == schema::ManageVerb::SET));
      BOOST_TEST((m.getKind() == schema::ObjectKind::QUEUE));
      BOOST_REQUIRE(m.getChanges().size() == 1u);
      const auto change = m.getChanges()[0];
      BOOST_TEST((change.getOp() == schema::AttributeOp::SET));
      said.push_back((m.getAllOfKind() ? "*" : schema::str(m.getName())) + " " + schema::str(change.getName()) + "=" +
                     schema::str(change.getValue()));
    }
    return said;
  }
};

constexpr const char* all_four[] = {"qenable", "qdisable", "qstart", "qstop"};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(queue_commands, queue_server)

BOOST_AUTO_TEST_CASE(each_sets_its_attribute) {
  for (const char* command : all_four) BOOST_TEST(run({command, "workq"}).status == 0);
  const std::vector<std::string> expected{"workq enabled=True", "workq enabled=False", "workq started=True", "workq started=False"};
  BOOST_TEST(changes() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_server_alone_or_nothing_means_all_its_queues) {
  const ran r = run({"qstop", "@q1", "a@q1", ""});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.out + r.err == "");
  const std::vector<std::string> expected{"* started=False", "a started=False", "* started=False"};
  BOOST_TEST(changes() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_others_are_treated_after_a_refusal) {
  const ran r = run({"qdisable", "selq", "nosuch", "workq"});
  BOOST_TEST(r.err == "qdisable: Unauthorized Request  selq\nqdisable: Unknown queue nosuch\n");
  BOOST_TEST(r.status == 2);
  BOOST_TEST(changes().back() == "workq enabled=False");
  all_refused = true;
  BOOST_TEST(run({"qdisable", "@q1"}).err == "qdisable: Unauthorized Request  \n");
}

BOOST_AUTO_TEST_CASE(a_word_with_a_hyphen_is_a_queue) {
  const ran r = run({"qstart", "-x", "--", "--version"});
  BOOST_TEST(r.err == "qstart: Unknown queue -x\n");
  BOOST_TEST(r.status == 2);
  BOOST_TEST(changes().size() == 3u);
}

BOOST_AUTO_TEST_CASE(words_that_name_nothing_are_refused) {
  const ran r = run({"qenable", "a@", "b c", "a@b@c"});
  BOOST_TEST(r.err ==
             "qenable: illegally formed destination: a@\n"
             "qenable: illegally formed destination: b c\n"
             "qenable: illegally formed destination: a@b@c\n");
  BOOST_TEST(r.status == 1);
  BOOST_TEST(changes().empty());
}

BOOST_AUTO_TEST_CASE(a_server_that_can_not_be_reached_is_named_as_it_was_given) {
  const ran r = run({"qstart", "a@nosuchhost.invalid", "b"});
  BOOST_TEST(r.err == "Unknown Host.\nqstart: could not connect to server nosuchhost.invalid (15008)\n");
  BOOST_TEST(r.status == 2);
  BOOST_TEST(changes().size() == 1u);
  gateway.stop();
  const ran down = run({"qstart", "b"});
  BOOST_TEST(down.err == "Connection refused\nqstart: could not connect to server  (15010)\n");
  BOOST_TEST(down.status == 2);
}

BOOST_AUTO_TEST_CASE(each_knows_its_usage_version_and_help) {
  for (const std::string command : all_four) {
    const std::string usage = "Usage: " + command + " [queue][@server] ...\n       " + command + " --version\n";
    const ran none = run({command});
    BOOST_TEST(none.err == usage);
    BOOST_TEST(none.status == 1);
    BOOST_TEST(run({command, "--version"}).out.starts_with("pbs_version = "));
    BOOST_TEST(run({command, "--help"}).out.starts_with(usage));
  }
  BOOST_TEST(gateway.requests().empty());
}

BOOST_AUTO_TEST_SUITE_END()
