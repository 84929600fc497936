// What a node may want of the server in the name of a hook (docs/design/0023-hooks.md): a hostile one reports what it likes.
#include "actors/gateway/hooks/mom_hook_rights.hpp"

#include "test/unit/actors/gateway/followed.hpp"

using namespace annals;

namespace {

struct site : test::followed {
  std::uint64_t serial = 0;

  site() {
    for (const char* host : {"n1", "n2", "n3"}) {
      const auto stream = write(0, model::make_event([&](auto e) { e.initHost().initAdded().setName(host); }));
      write(stream, model::make_event([&](auto e) { e.initHost().initVnodeCreated().setName(host); }));
    }
    serial = job(7);
    runs_on({"n1", "n2"}, 1);
  }
  void runs_on(std::vector<std::string> hosts, std::uint32_t run) {
    write(serial, model::make_event([&](auto e) {
            auto a = e.initJob().initAssigned();
            a.setRun(run);
            auto list = a.initHosts(static_cast<unsigned>(hosts.size()));
            for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
          }));
  }
  struct asked {
    std::string event, attribute;
    std::vector<std::string> vnodes = {};
    std::uint32_t run = 1;
    bool reruns = false;
    std::string hook = {};  // that it says it ran; it made a resource
  };
  std::string may(const std::string& host, const asked& w, schema::HookVerdict verdict = schema::HookVerdict::ACCEPTED) const {
    const auto report = schema::make<schema::HookReport>([&](schema::HookReport::Builder r) {
      if (w.run != 0) {
        r.initRef().setJobSerial(serial);
        r.getRef().setRun(w.run);
      }
      r.initRun().setEvent(w.event);
      r.getRun().setVerdict(verdict);
      if (!w.attribute.empty()) r.initJobChanges(1)[0].setName(w.attribute);
      r.setRerun(w.reruns);
      if (!w.hook.empty()) {
        r.getRun().setHook(w.hook);
        r.initResources(1)[0].setName("gpus");
      }
      auto list = r.initVnodes(static_cast<unsigned>(w.vnodes.size()));
      for (unsigned i = 0; i < w.vnodes.size(); ++i) list[i].setVnode(w.vnodes[i]);
    });
    const auto rights = actors::rightful(where, host, report.get());
    std::string text;
    if (rights.job) text += "job ";
    if (rights.ends_run) text += "ends ";
    if (rights.suspend_again) text += "suspend ";
    if (rights.resources) text += "resources ";
    for (auto v : rights.vnodes) text += schema::str(v.getVnode()) + " ";
    for (auto what : rights.refused) text += "not:" + std::string(what) + " ";
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mom_hook_rights, site)

BOOST_AUTO_TEST_CASE(a_host_of_the_run_sets_what_the_event_lets_a_script_set) {  // RU-22
  BOOST_TEST(may("n1", {"execjob_epilogue", "Hold_Types"}) == "job ");
  BOOST_TEST(may("n2", {"execjob_epilogue", "Execution_Time"}) == "job ");
  for (const char* event : {"execjob_epilogue", "exechost_periodic"})
    BOOST_TEST(may("n1", {event, "resources_used"}) == "not:job ");         // the run itself tells what it used
  BOOST_TEST(may("n1", {"execjob_begin", "Variable_List"}) == "not:job ");  // the host's own
  BOOST_TEST(may("n1", {"exechost_periodic", "Hold_Types"}) == "not:job ");
  BOOST_TEST(may("n1", {"execjob_epilogue", "euser"}) == "not:job ");
  BOOST_TEST(may("n1", {"execjob_attach", "Hold_Types"}) == "not:job ");
  BOOST_TEST(may("n1", {"queuejob", "Hold_Types"}) == "");  // no event of a MoM
  BOOST_TEST(may("n1", {"bogus", "Hold_Types"}) == "");
}

BOOST_AUTO_TEST_CASE(other_hosts_and_other_runs_have_no_say) {
  BOOST_TEST(may("n3", {"execjob_epilogue", "Hold_Types"}) == "not:job ");
  BOOST_TEST(may("n1", {"execjob_epilogue", "Hold_Types", {}, 2}) == "not:job ");
  BOOST_TEST(may("n1", {"execjob_epilogue", "Hold_Types", {}, 0}) == "not:job ");
}

BOOST_AUTO_TEST_CASE(a_host_changes_its_own_vnodes_and_those_of_its_run) {
  BOOST_TEST(may("n1", {"exechost_periodic", "", {"n1", "n2", "n3", "n4"}, 0}) == "n1 not:n2 not:n3 not:n4 ");
  BOOST_TEST(may("n1", {"execjob_prologue", "", {"n1", "n2", "n3"}}) == "n1 n2 not:n3 ");
  BOOST_TEST(may("n3", {"execjob_prologue", "", {"n1", "n3"}}) == "n3 not:n1 ");
}

// A host whose MoM was taken over can't make them in the name of a hook that nobody wrote.
BOOST_AUTO_TEST_CASE(only_a_startup_hook_of_the_server_makes_resources) {  // RU-06
  const auto by = [&](const char* event, const char* hook) { return may("n1", {event, "", {"n1"}, 0, false, hook}); };
  BOOST_TEST(by("exechost_startup", "start") == "n1 not:resources ");
  const auto stream = write(0, model::make_event([](auto e) { e.initHook().initCreated().setName("start"); }));
  const auto set = [&](const char* name, const char* value) {
    write(stream, model::make_event([&](auto e) {
            auto c = e.initHook().initChanged().initChanges(1)[0];
            c.setName(name);
            c.setValue(value);
          }));
  };
  set("event", "exechost_startup");
  BOOST_TEST(by("exechost_startup", "start") == "n1 not:resources ");  // it has no script
  write(stream, model::make_event([](auto e) {
          auto i = e.initHook().initImported();
          i.setContentType(std::string(model::python_content));
          i.initContent().setHash({reinterpret_cast<const kj::byte*>("h"), 1});
        }));
  BOOST_TEST(by("exechost_startup", "start") == "resources n1 ");
  BOOST_TEST(by("exechost_periodic", "start") == "n1 not:resources ");
  BOOST_TEST(by("exechost_startup", "other") == "n1 not:resources ");
  set("enabled", "False");
  BOOST_TEST(by("exechost_startup", "start") == "n1 not:resources ");
}

BOOST_AUTO_TEST_CASE(only_a_host_of_the_run_ends_it) {
  BOOST_TEST(may("n2", {"execjob_epilogue", "", {}, 1, true}) == "ends ");
  BOOST_TEST(may("n3", {"execjob_epilogue", "", {}, 1, true}) == "");
  BOOST_TEST(may("n1", {"execjob_epilogue", "", {}, 2, true}) == "");
}

BOOST_AUTO_TEST_CASE(only_a_host_of_the_run_keeps_a_job_suspended) {
  const auto rejected = schema::HookVerdict::REJECTED;
  BOOST_TEST(may("n1", {"execjob_preresume", ""}, rejected) == "suspend ");
  BOOST_TEST(may("n3", {"execjob_preresume", ""}, rejected) == "");
  BOOST_TEST(may("n1", {"execjob_preresume", "", {}, 2}, rejected) == "");
}

BOOST_AUTO_TEST_SUITE_END()
