// pbs_release_nodes as a program, against a server of the test.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "events/values/pbs_error.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"
#include "tools/client/client_limits.hpp"

using namespace annals;
using annals::test::fake_gateway;
using annals::test::ran;

namespace {

constexpr const char* usage_text =
    "usage: pbs_release_nodes [-j job_identifier] host_or_vnode1 host_or_vnode2 ...\n"
    "usage: pbs_release_nodes [-j job_identifier] -a\n"
    "usage: pbs_release_nodes [-j job_identifier] -k <select string>\n"
    "usage: pbs_release_nodes [-j job_identifier] -k <node count>\n"
    "pbs_release_nodes --version\n";

// Every request is answered with `refusal` (code 0: it is done).
struct release {
  values::refusal refusal;
  fake_gateway server{[this](schema::Request::Reader, schema::Reply::Builder out) {
    if (refusal.code == 0) {
      out.setDone("");
    } else {
      out.initRejected().setCode(refusal.code);
      out.getRejected().setText(refusal.text);
    }
    return true;
  }};

  ran run(std::vector<std::string> words, const std::string& own_job = {}) const {
    words.insert(words.begin(), annals::test::stage_dir() + "/bin/pbs_release_nodes");
    return test::run(words, {.input = {},
                             .environment = {{"PBS_CONF_FILE", server.conf_file()}, {"PBS_JOBID", own_job}, {"PBS_JOBCOOKIE", "c"}},
                             .directory = {},
                             .meanwhile = {}});
  }
  ran run_for_12(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-j", "12"});
    return run(words);
  }
  std::string refused(std::uint32_t code, const std::string& text) {
    refusal = {code, text};
    const ran r = run_for_12({"lendl"});
    BOOST_TEST(r.status == static_cast<int>(code % 256));
    BOOST_TEST(r.out == "");
    return r.err;
  }
  // What the last request asks to release: "12.q1: lendl federer[0]", "12.q1 all", ...; "": none came.
  std::string asked() const {
    std::string text;
    for (const auto& seen : server.requests()) {
      if (!(*seen).isReleaseNodes()) continue;
      const auto r = (*seen).getReleaseNodes();
      text = schema::str(r.getJob());
      if (r.isAll()) text += " all";
      if (r.isNamed()) text += ":";
      if (r.isNamed())
        for (const auto name : r.getNamed()) text += " " + schema::str(name);
      if (r.isKeepSelect()) text += " but select=" + schema::str(r.getKeepSelect());
      if (r.isKeepHosts()) text += " but " + std::to_string(r.getKeepHosts());
      if (r.getInJob()) text += " (in it)";
      BOOST_TEST((*seen).getCommandId().size() == 16u);
    }
    return text;
  }
};

std::string line(const std::string& text) { return "pbs_release_nodes: " + text + "\n"; }

}  // namespace

BOOST_AUTO_TEST_SUITE(release_nodes)

// RD-03, 08
BOOST_FIXTURE_TEST_CASE(names_go_to_the_server_as_they_are, release) {
  const ran r = run({"-j", "12.q1", "federer[0]", "lendl"});
  BOOST_TEST(r.status == 0);
  BOOST_TEST(r.out + r.err == "");
  BOOST_TEST(asked() == "12.q1: federer[0] lendl");
  BOOST_TEST(run({"lendl", "-j12", "agassi"}).status == 0);
  BOOST_TEST(asked() == "12.q1: lendl agassi");
  BOOST_TEST(run_for_12({"nosuch"}).status == 0);
  BOOST_TEST(asked() == "12.q1: nosuch");
}

// RD-39
BOOST_FIXTURE_TEST_CASE(an_empty_name_is_a_name, release) {
  BOOST_TEST(run_for_12({""}).status == 0);
  BOOST_TEST(asked() == "12.q1: ");
}

// RD-04, 08, 09
BOOST_FIXTURE_TEST_CASE(all_go_or_all_but_what_is_kept, release) {
  for (const auto& [option, wanted] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"-a"}, "all"},
           {{"-k", "0"}, "all"},  // RD-09
           {{"-k", "000"}, "all"},
           {{"-k", "2"}, "but 2"},
           {{"-k2"}, "but 2"},
           {{"-k", "4294967295"}, "but 4294967295"},
           {{"-k", "4294967296"}, "but 4294967295"},
           {{"-k", "99999999999999999999999"}, "but 4294967295"},
           {{"-k", "select=2:ncpus=1+1:mem=1gb"}, "but select=2:ncpus=1+1:mem=1gb"},
           {{"-k", "select= 2:ncpus=1 "}, "but select=2:ncpus=1"},
           {{"-k", "select="}, "but select="}}) {
    const ran r = run_for_12(option);
    BOOST_TEST(r.status == 0);
    BOOST_TEST(r.out + r.err == "");
    BOOST_TEST(asked() == "12.q1 " + wanted);
  }
}

// RD-05
BOOST_FIXTURE_TEST_CASE(it_knows_its_version_and_help, release) {
  const ran version = run({"--version"});
  BOOST_TEST(version.out.starts_with("pbs_version = "));
  BOOST_TEST(version.status == 0);
  BOOST_TEST(run({"--help"}).out.starts_with(usage_text));
}

// RD-06, 53
BOOST_FIXTURE_TEST_CASE(without_j_it_is_the_job_of_the_environment, release) {
  BOOST_TEST(run({"lendl"}, "12.q1").status == 0);
  BOOST_TEST(asked() == "12.q1: lendl (in it)");
  BOOST_TEST(run({"-j", "12", "-a"}, "12.q1").status == 0);
  BOOST_TEST(asked() == "12.q1 all (in it)");
  BOOST_TEST(run({"-j", "13", "lendl"}, "12.q1").status == 0);
  BOOST_TEST(asked() == "13.q1: lendl");
  for (const auto& words : std::vector<std::vector<std::string>>{{"-a"}, {"lendl"}, {"-k", "1"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err == line("No jobid given"));
    BOOST_TEST(r.status == 2);
  }
}

// RD-49, 50, 52, 54
BOOST_FIXTURE_TEST_CASE(wrong_usage_is_told_before_the_job_is_looked_at, release) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{}, {"-j", "12"}, {"-j", "no id"}, {"-a", "lendl"}, {"-j", "12", "-a", "lendl"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err == usage_text);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.out == "");
  }
  BOOST_TEST(run({"-z"}).err == line("invalid option -- 'z'") + usage_text);
  BOOST_TEST(run({"-j"}).err == line("option requires an argument -- 'j'") + usage_text);
  BOOST_TEST(run({"-j"}).status == 2);
  BOOST_TEST(run({"--version", "-a"}).err.starts_with(line("invalid option -- '-'") + line("invalid option -- 'v'")));
  BOOST_TEST(server.requests().empty());
}

// RD-58, 59
BOOST_FIXTURE_TEST_CASE(k_stands_alone, release) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"-a", "-k", "1"}, {"-k", "select=ncpus=1", "-a", "lendl"}}) {
    const ran r = run_for_12(words);
    BOOST_TEST(r.err == line("-a and -k options cannot be used together") + usage_text);
    BOOST_TEST(r.status == 2);
  }
  const ran r = run({"-k", "1", "lendl"});
  BOOST_TEST(r.err == line("cannot supply node list with -k option") + usage_text);
  BOOST_TEST(r.status == 2);
  BOOST_TEST(server.requests().empty());
}

// RD-60
BOOST_FIXTURE_TEST_CASE(k_is_a_select_or_a_count, release) {
  for (const char* keep : {"bogus", "-1", "0x", "0x1", "1.5", " 1", "+1", "", "ncpus=1", "Select=ncpus=1", "place=free"}) {
    const ran r = run_for_12({"-k", keep});
    BOOST_TEST(r.err == line("only a \"select=\" string is valid in -k option"));
    BOOST_TEST(r.status == 156);
  }
  BOOST_TEST(server.requests().empty());
}

// RD-51
BOOST_FIXTURE_TEST_CASE(the_id_is_that_of_one_job, release) {
  const ran r = run({"-j", "badid", "lendl"});
  BOOST_TEST(r.err == line("illegally formed job identifier: badid"));
  BOOST_TEST(r.status == 2);
  for (const char* several : {"20[].q1", "20[]", "20[0-1].q1", "20[0-8:2]"}) {
    const ran a = run({"-j", several, "lendl"});
    BOOST_TEST(a.err == line("not supported for Array Jobs or multiple sub-jobs"));
    BOOST_TEST(a.status == 181);
  }
  BOOST_TEST(server.requests().empty());
  BOOST_TEST(run({"-j", "20[1]", "lendl"}).status == 0);
  BOOST_TEST(asked() == "20[1].q1: lendl");
}

// RD-08, 44, 45, 47, 48, 51, 61, 62
BOOST_FIXTURE_TEST_CASE(what_the_server_refuses_is_told_without_a_blank_at_the_end, release) {
  namespace e = values::pbs_error;
  for (const char* text :
       {"Can't free 'borg[0]' since it's on a primary execution host", "node(s) requested to be released not part of the job: agassi"})
    BOOST_TEST(refused(e::system_error, text) == line(text));
  BOOST_TEST(refused(e::unauthorized, "Unauthorized Request ") == line("Unauthorized Request"));
  BOOST_TEST(refused(e::unauthorized, "Unauthorized Request") == line("Unauthorized Request"));
  BOOST_TEST(refused(e::bad_state, "Request invalid for state of job") == line("Request invalid for state of job"));
  BOOST_TEST(refused(e::no_support, "not supported for Array Jobs or multiple sub-jobs") ==
             line("not supported for Array Jobs or multiple sub-jobs"));
  BOOST_TEST(refused(e::unknown_resource, "Unknown resource: nosuchres") == line("Unknown resource: nosuchres"));
  BOOST_TEST(refused(e::unknown_job, "Unknown Job Id") == line("Unknown Job Id 12.q1"));
  BOOST_TEST(refused(e::job_has_finished, "Job has finished") == line("Job has finished"));
  BOOST_TEST(refused(e::system_error, "") == line("Server returned error 15010 for job"));
}

// RD-03
BOOST_FIXTURE_TEST_CASE(a_long_list_is_taken_up_to_its_limit, release) {
  std::vector<std::string> names(limits::released_names_max - 1, "n");
  for (std::size_t i = 0; i < names.size(); ++i) names[i] += std::to_string(i);
  names.push_back("lendl");
  BOOST_TEST(run_for_12(names).err == "");
  BOOST_TEST(asked().ends_with(" n9998 lendl"));
  const auto before = server.requests().size();
  names.emplace_back("one");
  const ran r = run_for_12(names);
  BOOST_TEST(r.err == line("10001 names are above the limit of 10000"));
  BOOST_TEST(r.status == 166);
  BOOST_TEST(server.requests().size() == before);
}

// RD-03
BOOST_FIXTURE_TEST_CASE(a_name_is_as_long_as_a_hosts_may_be, release) {
  const std::string longest(limits::vnode_name_chars_max, 'x');
  BOOST_TEST(run_for_12({longest}).status == 0);
  BOOST_TEST(asked() == "12.q1: " + longest);
  const ran r = run_for_12({"lendl", longest + "x"});
  BOOST_TEST(r.err == line("a name of 256 characters is above the limit of 255"));
  BOOST_TEST(r.status == 166);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_is_down_is_told, release) {
  server.stop();
  const ran r = run_for_12({"lendl"});
  BOOST_TEST(r.err == "Connection refused\npbs_release_nodes: cannot connect to server q1 (errno=15010)\n");
  BOOST_TEST(r.status == 162);
}

BOOST_AUTO_TEST_SUITE_END()
