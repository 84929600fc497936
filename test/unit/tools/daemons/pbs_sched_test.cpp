// The program itself, with a server played by the test: real TLS, real files, real signals.
#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <stdlib.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "actors/link/wire/wire.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/schema/daemon/to_scheduler.capnp.h"
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

using given = std::vector<std::pair<std::string, std::string>>;

// A directory with everything pbs_sched needs, and a server that it connects to. The server answers a hello with the attributes of the
// scheduler's object, or says that there is none.
struct site {
  const std::string name;
  const std::string behind = name == "default" ? "" : "_" + name;
  const test::temporary_directory own;
  const fs::path dir = own.path;
  wire::connection_ptr peer;
  std::mutex guard;
  std::condition_variable arrived;
  std::deque<schema::sealed_message> messages;
  bool closed = false;
  given object{{"scheduling", "True"}};
  std::string refusal;
  std::unique_ptr<wire::io_pool> pool = std::make_unique<wire::io_pool>();
  std::unique_ptr<wire::listener> listener;

  explicit site(const std::string& called = "default") : name(called) {
    fs::create_directories(priv());
    fs::permissions(priv(), fs::perms(0750));
    if (name != "default") object.emplace_back("partition", "P1");
    auto ca = wire::authority::open_or_create((dir / "ca").string());
    write("server.pem", ca.issue(wire::identity::kind::server, "p1").bundle());
    write(priv_name() + "/daemon.pem", ca.issue(wire::identity::kind::scheduler, name).bundle());
    write(priv_name() + "/sched_config", "resources: \"ncpus, host\"\nfoo_bar: 1\n");
    wire::handler h;
    h.opened = [this](const auto& c) { tell([&] { peer = c; }); };
    h.received = [this](const auto& c, auto m) {
      if (m.template root<schema::FromScheduler>().isHello()) answer(c);
      tell([&] { messages.push_back(std::move(m)); });
    };
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
  std::string priv_name() const { return "sched_priv" + behind; }
  fs::path priv() const { return dir / priv_name(); }
  pid_t lock_pid() const { return std::atoi(slurp(priv() / "sched.lock").c_str()); }
  std::string path(const char* of) const { return (dir / of).string(); }

  void fill_object(schema::SchedulingDelta::Builder d) {
    auto list = d.initScheduler(static_cast<unsigned>(object.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(object[i].first);
      list[i].setValue(object[i].second);
    }
  }
  void answer(const wire::connection_ptr& c) {
    c->send(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      if (!refusal.empty()) return m.initRefused().setReason(refusal);
      auto d = m.initView();
      d.setFull(true);
      d.setSequence(1);
      fill_object(d);
    }));
  }
  // The object is another one from now on.
  void now(given attributes) {
    object = std::move(attributes);
    answer(peer);
  }
  std::string told_directories() {
    const auto m = next(which::DIRECTORIES);
    const auto d = m.get().getDirectories();
    return schema::str(d.getPriv()) + " " + schema::str(d.getLogs()) + " " + std::to_string(static_cast<int>(d.getPrivTrouble())) +
           (d.getLogTrouble() ? " no log" : "");
  }

  test::ran start(const std::vector<std::string>& options = {}) {
    std::vector<std::string> command{program};
    if (name != "default") command.insert(command.end(), {"-I", name});
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
    BOOST_REQUIRE(arrived.wait_for(held, std::chrono::seconds(120), condition));
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
  std::string log_in(const fs::path& directory) const {
    std::string text;
    if (fs::exists(directory))
      for (const auto& file : fs::directory_iterator(directory)) text += slurp(file.path());
    return text;
  }
  fs::path logs() const { return dir / ("sched_log" + behind); }
  std::string log() const { return log_in(logs()); }
  template <class Condition>
  void until(Condition&& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!condition()) {
      BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < deadline, log());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  // Until its log says this. Lines are written together when a message has been dealt with: an answer may come before them.
  void until_logged_in(const fs::path& directory, const std::string& line) {
    until([&] { return log_in(directory).find(line) != std::string::npos; });
  }
  void until_logged(const std::string& line) { until_logged_in(logs(), line); }
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

  const auto logged = s.log();
  const auto connected = logged.find("Connected to the server"), reconfigured = logged.find("Scheduler is reconfiguring");
  BOOST_TEST((connected < reconfigured && reconfigured < logged.find("Updating scheduler attributes")), logged);

  const auto second = s.start();
  BOOST_TEST(second.status == 1);
  BOOST_TEST(second.err == "pbs_sched: another scheduler running\n");

  s.write("sched_priv/sched_config", "by_queue: True\n");
  kill(s.lock_pid(), SIGHUP);
  // The signal comes when it comes; the policy is sent with the first cycle after it.
  for (std::uint64_t number = 2;; ++number) {
    s.cycle(number);
    s.next(which::CYCLE_ENDED);
    if (s.log().find("restart on signal 1") != std::string::npos) {
      s.cycle(number + 1);
      break;
    }
  }
  s.next(which::CYCLE_ENDED);
  for (const char* line : {";pbs_sched;Sched;pbs_sched;Connected to the server",
                           ";0040;pbs_sched;Fil;sched_config;Error reading line 2: Unknown config parameter",
                           ";0080;pbs_sched;Req;;Starting Scheduling Cycle", ";0080;pbs_sched;Job;1.p1;Considering job to run",
                           ";0040;pbs_sched;Job;1.p1;Job run", ";0080;pbs_sched;Req;;Leaving Scheduling Cycle",
                           ";pbs_sched;Svr;restart;restart on signal 1", ";0040;pbs_sched;Sched;reconfigure;Scheduler is reconfiguring"})
    s.until_logged(line);

  kill(s.lock_pid(), SIGTERM);
  s.wait_for([&] { return s.closed; });
}

BOOST_AUTO_TEST_CASE(pbs_sched_changes_over_to_the_directories_of_its_object) {  // MS-11, MS-15, MS-50 to MS-54, MS-58
  site s("sc1");
  BOOST_REQUIRE_MESSAGE(s.start().status == 0, s.log());
  BOOST_TEST(s.told_directories() == s.path("sched_priv_sc1") + " " + s.path("sched_log_sc1") + " 0");
  const auto make = [&](const char* name, unsigned mode) {
    fs::create_directories(s.dir / name);
    fs::permissions(s.dir / name, fs::perms(mode));
    return s.path(name);
  };
  const auto object = [&](const std::string& priv, const std::string& logs) {
    s.now({{"partition", "P1"}, {"scheduling", "True"}, {"sched_priv", priv}, {"sched_log", logs}});
    return s.told_directories();
  };
  const auto priv = s.path("sched_priv_sc1"), logs = s.path("sched_log_sc1");
  // Not there; open to others; empty: all as it was.
  BOOST_TEST(object(priv, s.path("none")) == priv + " " + logs + " 0 no log");
  BOOST_TEST(object(priv, make("open_log", 0777)) == priv + " " + logs + " 0 no log");
  BOOST_TEST(object(s.path("none"), logs) == priv + " " + logs + " 2");
  const auto other = make("other_priv", 0750);
  BOOST_TEST(object(other, logs) == priv + " " + logs + " 2");
  s.write("other_priv/sched_config", "by_queue: False\n");
  fs::permissions(other, fs::perms(0755));
  BOOST_TEST(object(other, logs) == priv + " " + logs + " 2");
  s.until_logged("PBS failed validation checks for directory " + other);
  const auto pid = s.lock_pid();
  // Good ones are used at once: the policy, the lock, the certificate for the next start, the log.
  fs::permissions(other, fs::perms(0750));
  BOOST_TEST(object(other, make("other_log", 0755)) == other + " " + s.path("other_log") + " 0");
  BOOST_TEST(std::atoi(slurp(s.dir / "other_priv/sched.lock").c_str()) == pid);
  BOOST_TEST(slurp(s.dir / "other_priv/daemon.pem") == slurp(s.priv() / "daemon.pem"));
  for (const auto& line :
       {"Scheduler log directory is changed to " + s.path("other_log"), "Scheduler priv directory is changed to " + other})
    s.until_logged_in(s.dir / "other_log", line);
  s.cycle(1);
  BOOST_TEST(s.next(which::POLICY).get().getPolicy().size() == std::string("by_queue: False\n").size());
  kill(pid, SIGTERM);
  s.wait_for([&] { return s.closed; });
}

BOOST_AUTO_TEST_CASE(pbs_sched_does_not_begin_in_a_directory_that_is_open_to_others) {  // MS-11, MS-14
  site s("sc1");
  fs::permissions(s.priv(), fs::perms(0777));
  const auto started = s.start();
  BOOST_TEST(started.status == 1);
  BOOST_TEST(started.err.find("pbs_sched: PBS failed validation checks for directory " + s.priv().string() + ": its mode is 777") == 0u,
             started.err);
  // What it told stays with the server.
  BOOST_TEST(s.told_directories() == s.priv().string() + " " + s.path("sched_log_sc1") + " 2");
}

BOOST_AUTO_TEST_CASE(pbs_sched_without_a_partition_ends) {  // MS-49, MS-55
  site s("sc1");
  s.object = {{"scheduling", "True"}};
  const auto started = s.start();
  BOOST_TEST(started.status == 1);
  BOOST_TEST(started.err == "pbs_sched: Scheduler does not contain a partition\n");
  site t("sc1");
  BOOST_REQUIRE_MESSAGE(t.start().status == 0, t.log());
  t.now({{"scheduling", "True"}});
  t.until_logged("Scheduler does not contain a partition");
  t.wait_for([&] { return t.closed; });
}

BOOST_AUTO_TEST_CASE(pbs_sched_that_the_server_does_not_know_ends) {  // MS-56
  site s("sc1");
  s.refusal = "Unknown Scheduler sc1";
  const auto started = s.start();
  BOOST_TEST(started.status == 1);
  BOOST_TEST(started.err == "pbs_sched: Unable to retrieve the scheduler attributes from server: Unknown Scheduler sc1\n");
  BOOST_TEST(s.log().find("Unable to retrieve the scheduler attributes from server") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(pbs_sched_whose_server_is_not_there_says_so_and_tries_on) {  // MS-56
  site s;
  const auto port = s.listener->port();
  s.listener.reset();
  BOOST_REQUIRE_MESSAGE(s.start().status == 0, s.log());
  s.until_logged("Unable to retrieve the scheduler attributes from server");
  BOOST_TEST(kill(s.lock_pid(), 0) == 0);
  BOOST_TEST(port != 0);
}

BOOST_AUTO_TEST_CASE(pbs_sched_listens_at_the_port_it_is_given) {  // MS-31, MS-57
  site s("sc1");
  wire::io_pool other;
  // A port that is taken: the test's own.
  const auto taken = std::to_string(s.listener->port());
  const auto refused = s.start({"-S", taken});
  BOOST_TEST(refused.status == 1);
  BOOST_TEST(refused.err == "pbs_sched: port " + taken + ": Address already in use\n");
  BOOST_TEST(s.start({"-S", "x"}).status == 1);
  for (int port = 21050;; ++port) {
    const auto started = s.start({"-S", std::to_string(port)});
    if (started.status != 0 && port < 21100) continue;  // somebody has it
    BOOST_REQUIRE_MESSAGE(started.status == 0, started.err);
    BOOST_TEST(s.next(which::HELLO).get().getHello().getPort() == port);
    break;
  }
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
    fs::permissions(s.dir / ("sched_priv_" + name), fs::perms(0750));
    s.write("sched_priv_" + name + "/sched_config", "");
    const auto started = s.start({"-I", name});
    BOOST_TEST(started.status == 1);  // it has no certificate
    std::string directories;
    for (const char* kind : {"sched_log_", "sched_logs_"})
      if (const auto path = s.dir / (kind + name); fs::is_directory(fs::symlink_status(path)))
        directories += path.filename().string() + (fs::is_empty(path) ? " " : ": a log ");
    return directories;
  };
  BOOST_TEST(logs_in("sc1") == "sched_log_sc1: a log ");
  BOOST_TEST(fs::read_symlink(s.dir / "sched_logs_sc1") == "sched_log_sc1");
  // The older name counts where a site has made that directory alone.
  fs::create_directories(s.dir / "sched_logs_sc2");
  BOOST_TEST(logs_in("sc2") == "sched_logs_sc2: a log ");
  fs::create_directories(s.dir / "sched_log_sc3");
  fs::create_directories(s.dir / "sched_logs_sc3");
  BOOST_TEST(logs_in("sc3") == "sched_log_sc3: a log sched_logs_sc3 ");
}
