// The program itself, with a server played by the test: real TLS, real files, real signals.
#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <stdlib.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "actors/link/wire/wire.hpp"
#include "events/schema/daemon.capnp.h"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
namespace fs = std::filesystem;
using which = schema::FromScheduler::Which;

namespace {

const std::string program = annals::test::stage_dir() + "/sbin/pbs_sched";

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// A directory with everything pbs_sched needs, and a server that it connects to.
struct site {
  const test::temporary_directory own;
  const fs::path dir = own.path;
  wire::connection_ptr peer;
  std::mutex guard;
  std::condition_variable arrived;
  std::deque<schema::sealed_message> messages;
  bool closed = false;
  std::unique_ptr<wire::io_pool> pool = std::make_unique<wire::io_pool>();
  std::unique_ptr<wire::listener> listener;

  site() {
    fs::create_directories(dir / "sched_priv");
    auto ca = wire::authority::open_or_create((dir / "ca").string());
    write("server.pem", ca.issue(wire::identity::kind::server, "p1").bundle());
    write("sched_priv/daemon.pem", ca.issue(wire::identity::kind::scheduler, "default").bundle());
    write("sched_priv/sched_config", "resources: \"ncpus, host\"\nfoo_bar: 1\n");
    wire::handler h;
    h.opened = [this](const auto& c) { tell([&] { peer = c; }); };
    h.received = [this](const auto&, auto m) { tell([&] { messages.push_back(std::move(m)); }); };
    h.closed = [this](const auto&, const auto&) { tell([&] { closed = true; }); };
    listener = pool->listen_tls("127.0.0.1", 0, wire::credentials::bundle((dir / "server.pem").string()), h);
    write("pbs.conf", "PBS_HOME=" + dir.string() + "\nPBS_SERVER=127.0.0.1\nPBS_BATCH_SERVICE_PORT=" +
                          std::to_string(listener->port()) + "\n");
  }
  ~site() {
    listener.reset();
    pool.reset();
    if (const auto pid = lock_pid(); pid > 0) kill(pid, SIGKILL);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir / name, std::ios::binary) << text;
    fs::permissions(dir / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  pid_t lock_pid() const { return std::atoi(slurp(dir / "sched_priv" / "sched.lock").c_str()); }

  test::ran start(const std::vector<std::string>& options = {}) {
    std::vector<std::string> command{program};
    command.insert(command.end(), options.begin(), options.end());
    return test::run(command, {{}, {{"PBS_CONF_FILE", (dir / "pbs.conf").string()}}, {}, {}});
  }

  template <class Change>
  void tell(Change&& change) {
    std::lock_guard held(guard);
    change();
    arrived.notify_all();
  }
  template <class Condition>
  void wait_for(Condition&& condition) {
    std::unique_lock held(guard);
    BOOST_REQUIRE(arrived.wait_for(held, std::chrono::seconds(30), condition));
  }
  // The next message of this kind; those before it are dropped.
  schema::sealed<schema::FromScheduler> next(which kind) {
    for (;;) {
      wait_for([&] { return !messages.empty(); });
      std::lock_guard held(guard);
      schema::sealed<schema::FromScheduler> m(std::move(messages.front()));
      messages.pop_front();
      if (m.get().which() == kind) return m;
    }
  }
  template <class Fill>
  void say(Fill&& fill) { peer->send(schema::make<schema::ToScheduler>(fill)); }
  void cycle(std::uint64_t number) {
    say([&](schema::ToScheduler::Builder m) {
      auto c = m.initCycle();
      c.setNumber(number);
      c.setViewSequence(1);
    });
  }
  std::string log() const {
    std::string text;
    for (const auto& file : fs::directory_iterator(dir / "sched_logs")) text += slurp(file.path());
    return text;
  }
};

void one_vnode_one_job(schema::ToScheduler::Builder m) {
  auto d = m.initView();
  d.setFull(true);
  d.setSequence(1);
  auto q = d.initQueues(1)[0];
  q.setName("workq");
  auto started = q.initAttributes(1)[0];
  started.setName("started");
  started.setValue("True");
  auto v = d.initVnodes(1)[0];
  v.setName("p1");
  v.setHost("p1");
  v.setState("free");
  auto a = v.initAttributes(1)[0];
  a.setName("resources_available");
  a.setResource("ncpus");
  a.setValue("2");
  auto j = d.initJobs(1)[0];
  j.setSerial(7);
  j.setId("1.p1");
  j.setQueue("workq");
  j.setState('Q');
  j.setSchedselect("1:ncpus=2");
  j.setPlace("pack");
}

}  // namespace

BOOST_AUTO_TEST_CASE(pbs_sched_connects_schedules_rereads_its_policy_and_ends) {  // MS-24, 27, 28, 57
  site s;
  const auto started = s.start();
  BOOST_REQUIRE_MESSAGE(started.status == 0, started.err << s.log());
  const auto hello = s.next(which::HELLO);
  BOOST_TEST(schema::str(hello.get().getHello().getName()) == "default");
  BOOST_TEST(static_cast<pid_t>(hello.get().getHello().getPid()) == s.lock_pid());
  BOOST_TEST((s.peer->peer().what == wire::identity::kind::scheduler));

  s.say(one_vnode_one_job);
  s.cycle(1);
  const auto policy = s.next(which::POLICY);
  BOOST_TEST(policy.get().getPolicy().size() == slurp(s.dir / "sched_priv/sched_config").size());
  const auto run = s.next(which::RUN);
  BOOST_TEST(schema::str(run.get().getRun().getExecVnode()) == "(p1:ncpus=2)");
  BOOST_TEST(run.get().getRun().getJob() == 7u);
  s.next(which::CYCLE_ENDED);

  const auto second = s.start();
  BOOST_TEST(second.status == 1);
  BOOST_TEST(second.err == "pbs_sched: another scheduler running\n");

  s.write("sched_priv/sched_config", "by_queue: True\n");
  kill(s.lock_pid(), SIGHUP);
  // The signal comes when it comes; the policy is sent with the first cycle after it.
  for (std::uint64_t number = 2;; ++number) {
    s.cycle(number);
    s.next(which::CYCLE_ENDED);
    if (s.log().find("Updating scheduler attributes") != std::string::npos) {
      s.cycle(number + 1);
      break;
    }
  }
  s.next(which::CYCLE_ENDED);
  const auto log = s.log();
  for (const char* line : {";pbs_sched;Sched;pbs_sched;Connected to the server",
                           ";0040;pbs_sched;Fil;sched_config;Error reading line 2: Unknown config parameter",
                           ";0080;pbs_sched;Req;;Starting Scheduling Cycle", ";0080;pbs_sched;Job;1.p1;Considering job to run",
                           ";0040;pbs_sched;Job;1.p1;Job run", ";0080;pbs_sched;Req;;Leaving Scheduling Cycle",
                           ";pbs_sched;Svr;restart;restart on signal 1", ";0040;pbs_sched;Sched;reconfigure;Scheduler is reconfiguring"})
    BOOST_TEST(log.find(line) != std::string::npos, line << " is not in\n"
                                                         << log);

  kill(s.lock_pid(), SIGTERM);
  s.wait_for([&] { return s.closed; });
}

BOOST_AUTO_TEST_CASE(pbs_sched_without_a_certificate_says_what_is_missing) {
  site s;
  fs::remove(s.dir / "sched_priv/daemon.pem");
  const auto started = s.start();
  BOOST_TEST(started.status == 1);
  BOOST_TEST(started.err.find("sched_priv/daemon.pem") != std::string::npos, started.err);
}

BOOST_AUTO_TEST_CASE(another_scheduler_logs_in_a_directory_of_its_own) {  // MS-09
  site s;
  const auto logs_in = [&](const std::string& name) {
    fs::create_directories(s.dir / ("sched_priv_" + name));
    const auto started = s.start({"-I", name});
    BOOST_TEST(started.status == 1);  // it has no certificate
    std::string directories;
    for (const char* kind : {"sched_log_", "sched_logs_"})
      if (const auto path = s.dir / (kind + name); fs::exists(path))
        directories += path.filename().string() + (fs::is_empty(path) ? " " : ": a log ");
    return directories;
  };
  BOOST_TEST(logs_in("sc1") == "sched_log_sc1: a log ");
  // The older name counts where a site has made that directory alone.
  fs::create_directories(s.dir / "sched_logs_sc2");
  BOOST_TEST(logs_in("sc2") == "sched_logs_sc2: a log ");
  fs::create_directories(s.dir / "sched_log_sc3");
  fs::create_directories(s.dir / "sched_logs_sc3");
  BOOST_TEST(logs_in("sc3") == "sched_log_sc3: a log sched_logs_sc3 ");
}
