// printjob as a program, beside a server that knows the jobs and a log on disk that has their scripts.
#include <boost/test/unit_test.hpp>

#include <filesystem>

#include "events/attributes/ids.hpp"
#include "events/log/event_log.hpp"
#include "events/log/record.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"
#include "test/unit/tools/client/print/golden.hpp"
#include "tools/audit/job_dump.hpp"

using namespace annals;
using annals::client::test::stored_object;
using annals::test::ran;
namespace ids = attributes::job;

namespace {

constexpr const char* usage =
    "Usage: printjob [-a] (jobid|file)\n"
    "       printjob -s jobid\n"
    "       printjob --version\n";
const std::string rule(51, '-');

stored_object held_job(const std::string& name) {
  stored_object job{name, {}, {}};
  job.set(ids::Job_Name, "", "scr");
  job.set(ids::job_state, "", "H");
  job.set(ids::substate, "", "20");
  job.set(ids::queue, "", "workq");
  job.set(ids::ctime, "", "1795359389");
  job.set(ids::Resource_List, "walltime", "00:00:50");
  job.set(ids::Resource_List, "ncpus", "1");
  job.set(ids::Variable_List, "", "A=b\nc");
  return job;
}

// As the transcript has it, without svrflgs.
std::string head_of(const std::string& id) {
  return rule + "\njobid:\t" + id + "\n" + rule +
         "\nstate:\t\t0x2\nsubstate:\t0x14 (20)\nstime:\t\t0\nobittime:\t0\nfile base:\t\nqueue:\t\tworkq\nunion type exec:\n\texits\t0\n";
}
constexpr const char* rows =
    "--attributes--\n"
    "ctime = 1795359389\n"
    "queue = workq\n"
    "Job_Name = scr\n"
    "substate = 20\n"
    "job_state = H\n"
    "Variable_List = A=b\\x0ac\n"
    "Resource_List.ncpus = 1\n"
    "Resource_List.walltime = 00:00:50\n";

struct server_host {
  bool has_history = true;
  std::vector<stored_object> jobs{held_job("1.q1"), held_job("3[].q1"), held_job("3[1].q1"), held_job("3[2].q1")};
  annals::test::fake_gateway gateway{[this](schema::Request::Reader r, schema::Reply::Builder out) { return answer(r.getStat(), out); }};

  server_host() {
    jobs.back().set(ids::array_index, "", "2");
    std::filesystem::create_directory(gateway.directory() + "/server_priv");  // ours, so we may use it as root may
  }

  bool answer(schema::Stat::Reader asked, schema::Reply::Builder out) const {
    if (asked.getHistory() == schema::History::ALSO && !has_history) {
      out.initRejected().setCode(15182);
      return true;
    }
    const auto name = schema::str(asked.getNames()[0]);
    auto objects = out.initObjects();
    objects.setLast(true);
    for (const auto& job : jobs) {
      if (job.name != name) continue;
      auto one = objects.initObjects(1)[0];
      one.setName(job.name);
      one.setAttributes({reinterpret_cast<const kj::byte*>(job.packed.data()), job.packed.size()});
      return true;
    }
    auto unknown = objects.initUnknown(1)[0];
    unknown.setName(name);
    unknown.initRejection().setCode(15001);
    return true;
  }

  ran run(std::vector<std::string> words) const {
    words.insert(words.begin(), annals::test::stage_dir() + "/bin/printjob");
    return annals::test::run(words, {{}, {{"PBS_CONF_FILE", gateway.conf_file()}}, {}, {}});
  }

  void submit(log::event_log& log, const std::string& id, const std::string& script) const {
    const auto bytes = std::as_bytes(std::span(script));
    const auto hash = log::content_hash(bytes);
    log::append a;
    a.events.push_back(model::make_event([&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(id);
      if (script.empty()) return;
      q.initScript().setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
      q.getScript().setSize(script.size());
    }));
    if (!script.empty()) a.blobs.push_back({hash, {bytes.begin(), bytes.end()}});
    BOOST_REQUIRE(std::holds_alternative<log::staged>(log.stage(std::move(a))));
  }
  void write_log() const {
    auto opened = log::open_event_store(gateway.directory() + "/server_priv/log");
    BOOST_REQUIRE(opened.index() == 0);
    annals::test::virtual_clock clock;
    log::event_log log(*std::get<0>(opened), clock);
    submit(log, "1.q1", "#!/bin/sh\nsleep 300\n");
    submit(log, "2.q1", "");
    submit(log, "3[].q1", "true\n");
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(printjob, server_host)

BOOST_AUTO_TEST_CASE(a_job_is_its_state_and_its_attributes) {
  for (const std::string word : {"1", "1.q1"}) {
    const ran r = run({word});
    BOOST_TEST(r.out == head_of("1.q1") + rows);
    BOOST_TEST(r.err == "");
    BOOST_TEST(r.status == 0);
  }
  BOOST_TEST(run({"-a", "1", "3[]"}).out == head_of("1.q1") + head_of("3[].q1"));
}

BOOST_AUTO_TEST_CASE(states_have_the_numbers_of_pbs) {
  auto job = held_job("1.q1");
  for (const auto& [letter, number] : {std::pair("Q", "0x1"), {"R", "0x4"}, {"S", "0x4"}, {"B", "0x7"}, {"F", "0x9"}}) {
    job.set(ids::job_state, "", letter);
    std::string out;
    audit::put_job_dump(out, job.view(), false);
    BOOST_TEST(out.find(std::string("\nstate:\t\t") + number + "\n") != std::string::npos, letter);
  }
}

BOOST_AUTO_TEST_CASE(a_server_without_history_is_asked_for_what_there_is) {
  has_history = false;
  BOOST_TEST(run({"-a", "1"}).out == head_of("1.q1"));
}

BOOST_AUTO_TEST_CASE(what_is_no_job_is_not_found) {
  for (const auto& [word, name] : {std::pair("9999", "9999.q1"), {"9999.q1", "9999.q1"}, {"/nosuch", "/nosuch.q1"}}) {
    const ran r = run({word});
    BOOST_TEST(r.err == std::string("Job ") + name + " not found\n");
    BOOST_TEST(r.status == 1);
  }
  const ran some = run({"-a", "9999", "1"});
  BOOST_TEST(some.out == head_of("1.q1"));
  BOOST_TEST(some.status == 1);
}

BOOST_AUTO_TEST_CASE(a_subjob_is_found_when_it_has_begun) {
  BOOST_TEST(run({"3[1]"}).err == "Job 3[1].q1 not found\n");
  BOOST_TEST(run({"-a", "3[2]"}).out == head_of("3[2].q1"));
}

BOOST_AUTO_TEST_CASE(scripts_come_from_the_log_while_the_server_is_down) {
  write_log();
  gateway.stop();
  const ran r = run({"-s", "1"});
  BOOST_TEST(r.out == rule + "\nJobscript for jobid:1.q1\n" + rule + "\n#!/bin/sh\nsleep 300\n \n");
  BOOST_TEST(r.err == "");
  BOOST_TEST(r.status == 0);
  BOOST_TEST(run({"-s", "3[]"}).out == rule + "\nJobscript for jobid:3[].q1\n" + rule + "\ntrue\n \n");
  BOOST_TEST(run({"-s", "3[1]"}).out == rule + "\nJobscript for jobid:3[1].q1\n" + rule + "\ntrue\n \n");
}

BOOST_AUTO_TEST_CASE(jobs_without_a_script_are_told_from_unknown_ones) {
  write_log();
  const ran none = run({"-s", "2"});
  BOOST_TEST(none.err == "printjob: job 2.q1 has no script\n");
  BOOST_TEST(none.status == 1);
  BOOST_TEST(run({"-s", "9999"}).err == "Job 9999.q1 not found\n");
}

BOOST_AUTO_TEST_CASE(a_log_that_is_not_there_is_said) {
  const ran r = run({"-s", "1"});
  BOOST_TEST(r.err.starts_with("printjob: "));
  BOOST_TEST(r.status == 1);
}

BOOST_AUTO_TEST_CASE(wrong_uses) {
  for (const auto& words : {std::vector<std::string>{}, {"-a"}, {"-s"}, {"-s", "/some/file"}, {"-s", "-a", "1"}}) {
    const ran r = run(words);
    BOOST_TEST(r.err == usage);
    BOOST_TEST(r.status == 1);
  }
  BOOST_TEST(run({"-x"}).err == std::string("printjob: invalid option -- x\n") + usage);
  BOOST_TEST(run({"--version"}).out.starts_with("pbs_version = "));
}

BOOST_AUTO_TEST_SUITE_END()
