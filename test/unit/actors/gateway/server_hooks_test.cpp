// Requests that wait for hooks. Hooks whose files the log has lost: requests go on without them, and what is owed to them stays
// owed.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "events/log/log_reader.hpp"
#include "events/model/limits.hpp"
#include "hooks-runtime/pool/fake_hook_runner.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

struct moving_clock : ports::clock {
  std::int64_t ns = 1'795'222'000'000'000'000;
  std::int64_t now_ns() const override { return ns; }
};

struct site {
  moving_clock clock;
  hooks::fake_hook_runner runner;
  test::temporary_directory logs;
  actors::daemon_log notes{logs.path, "Server@borg", 0, false};
  std::multiset<std::string> asked_by;  // "hook of user", each run
  test::whole_server whole;

  site()
      : whole([this](actors::server_system_parts& p) {
          p.clock = &clock;
          p.runner = &runner;
          p.notes = &notes;
        }) {}

  void settle() {
    do whole.system.run();
    while (runner.step());
  }
  void later(std::chrono::seconds time = std::chrono::seconds(2)) {
    clock.ns += std::chrono::nanoseconds(time).count();
    whole.system.scheduler().advance_time(time);
    settle();
  }
  // A host n1 with a vnode of that name.
  void add_host() {
    ask([](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(schema::ObjectKind::NODE);
      m.setName("n1");
    });
    whole.says(std::make_shared<test::fake_peer>(wire::identity::kind::mom, "n1"), schema::make<schema::FromMom>([](auto m) {
                 m.initHello().setHost("n1");
                 m.getHello().initVnodes(1)[0].setName("n1");
               }));
  }
  template <class Fill>
  peer_ptr ask(Fill fill, const std::string& user = "root") {
    auto peer = whole.ask(fill, user);
    settle();
    return peer;
  }
  template <class Fill>
  void manage_hook(const std::string& name, schema::ManageVerb verb, Fill fill) {
    ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(schema::ObjectKind::HOOK);
      m.setName(name);
      fill(m);
    });
  }
  static std::string code_of(const std::string& hook) { return "import pbs  # " + hook; }
  void add_hook(const std::string& name, const std::string& event) {
    runner.when(name, [this, name](hooks::protocol::Request::Reader r, hooks::protocol::Reply::Builder) {
      asked_by.insert(name + " of " + schema::str(r.getRequestor()));
    });
    manage_hook(name, schema::ManageVerb::CREATE, [](auto) {});
    import_hook(name, code_of(name));
    set_hook(name, "event", event);
  }
  void import_hook(const std::string& name, const std::string& code) {
    manage_hook(name, schema::ManageVerb::IMPORT, [&](auto m) {
      m.setContentType("application/x-python");
      m.setContent({reinterpret_cast<const kj::byte*>(code.data()), code.size()});
    });
  }
  void set_hook(const std::string& name, const std::string& attribute, const std::string& value) {
    manage_hook(name, schema::ManageVerb::SET, [&](auto m) {
      auto change = m.initChanges(1)[0];
      change.setName(attribute);
      change.setValue(value);
    });
  }
  // The MoM of `host` tells a run of a hook; with a comment it wants that for its vnode.
  peer_ptr tells_run(const std::string& host, const std::string& hook, std::uint64_t position, const std::string& comment = "") {
    const auto mom = std::make_shared<test::fake_peer>(wire::identity::kind::mom, host);
    whole.says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                 auto r = m.initHookReport();
                 r.setPosition(position);
                 r.initRun().setHook(hook);
                 r.getRun().setEvent("exechost_periodic");
                 if (comment.empty()) return;
                 auto change = r.initVnodes(1)[0];
                 change.setVnode(host);
                 change.initChanges(1)[0].setName("comment");
                 change.getChanges()[0].setValue(comment);
               }));
    settle();
    return mom;
  }
  // Of the run at this position, as often as it was said.
  static std::size_t acknowledged(const peer_ptr& mom, std::uint64_t position) {
    std::size_t n = 0;
    for (const auto& m : mom->sent) {
      const auto r = m.root<schema::ToMom>();
      n += r.isHookAck() && r.getHookAck().getPosition() == position ? 1 : 0;
    }
    return n;
  }
  void damage(const std::string& hook) { write_blob_of(hook, "!"); }
  void restore(const std::string& hook) { write_blob_of(hook, code_of(hook)); }
  static void a_job(schema::Request::Builder r) {
    const std::string id(16, 'c');
    r.setCommandId({reinterpret_cast<const kj::byte*>(id.data()), id.size()});
    r.initQueueJob().setSubmitHost("borg");
  }
  // "done", or the refusal's text.
  static std::string said(const peer_ptr& peer) {
    BOOST_REQUIRE(!peer->sent.empty());
    const auto r = peer->sent.at(0).root<schema::Reply>();
    return r.isDone() ? "done" : schema::str(r.getRejected().getText());
  }
  std::string submit() {
    return said(ask([](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); }, "alice"));
  }
  std::multiset<std::string> written_runs() const {
    std::multiset<std::string> hooks;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::HookEvent::RAN)) hooks.insert(schema::str(r->event().getHook().getRan().getRun().getHook()));
      return true;
    });
    return hooks;
  }
  // Comments that vnodes got, each with the sequence of its cause.
  std::multiset<std::pair<std::string, std::uint64_t>> comments() const {
    std::multiset<std::pair<std::string, std::uint64_t>> found;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::HostEvent::VNODE_CHANGED))
        for (auto c : r->event().getHost().getVnodeChanged().getChanges())
          if (c.getName() == "comment") found.emplace(schema::str(c.getValue()), r->get().getCause());
      return true;
    });
    return found;
  }
  std::uint64_t last_start() const {
    std::uint64_t last = 0;
    (void)log::log_reader(whole.store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::ServerEvent::STARTED)) last = r->sequence();
      return true;
    });
    return last;
  }
  std::size_t lines_with(const std::string& text) const {
    std::size_t n = 0;
    for (const auto& file : std::filesystem::directory_iterator(logs.path)) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) n += line.find(text) != std::string::npos ? 1 : 0;
    }
    return n;
  }

 private:
  void write_blob_of(const std::string& hook, const std::string& bytes) {
    const auto code = code_of(hook);
    const auto content = std::as_bytes(std::span(bytes));
    ports::write_batch batch;
    batch.epoch = whole.store.epoch();
    batch.blobs.push_back({log::content_hash(std::as_bytes(std::span(code))), {content.begin(), content.end()}});
    BOOST_REQUIRE(whole.store.append(batch));
  }
};

using names = std::multiset<std::string>;
using std::chrono::seconds;
constexpr seconds freq{120};  // as it is when nobody sets it

}  // namespace

BOOST_AUTO_TEST_SUITE(hooks_of_a_server)

BOOST_AUTO_TEST_CASE(a_request_whose_hooks_end_after_the_server_began_to_wind_up_is_refused) {
  site s;
  s.add_hook("a", "queuejob");
  const auto waits = s.whole.ask(site::a_job, "alice");
  BOOST_REQUIRE(waits->sent.empty());
  const auto qterm = s.whole.ask([](schema::Request::Builder r) { r.initShutdown().setHow("delay"); });
  BOOST_REQUIRE(site::said(qterm) == "done");
  s.settle();
  BOOST_TEST(site::said(waits) == std::string(values::pbs_error_text(values::pbs_error::server_down)));
}

BOOST_AUTO_TEST_CASE(a_request_goes_on_without_all_hooks_of_its_event_that_can_not_be_read) {
  site s;
  for (const char* hook : {"a", "b", "c"}) s.add_hook(hook, "queuejob");
  s.damage("a");
  s.damage("c");
  BOOST_TEST(s.submit() == "done");
  BOOST_TEST(s.submit() == "done");
  BOOST_CHECK((s.asked_by == names{"b of alice", "b of alice"}));
  BOOST_TEST(s.lines_with("Hook;a;the hook's files can't be read from the event log") == 1u);
  s.restore("a");
  BOOST_TEST(s.submit() == "done");
  BOOST_TEST(s.asked_by.count("a of alice") == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_no_part_of_a_hook_is_not_exported) {
  site s;
  s.add_hook("a", "queuejob");
  const auto exported = [&](const char* type) {
    return site::said(s.ask([&](schema::Request::Builder r) {
      r.initExportHook().setName("a");
      r.getExportHook().setContentType(type);
    }));
  };
  BOOST_TEST(exported("application/x-config") == "done");
  BOOST_TEST(exported("application/x-foo") == "<content-type> must be application/x-python or application/x-config");
}

// Both requests are there before any job is.
BOOST_AUTO_TEST_CASE(a_hook_that_asks_sees_the_job_that_the_hook_before_it_allowed) {
  site s;
  s.add_hook("a", "queuejob");
  std::vector<unsigned> jobs;  // that each run was told of
  s.runner.when_asking("a", [&](const hooks::hook_run& run, hooks::protocol::Reply::Builder) {
    run.ask(schema::make<hooks::protocol::Question>([](auto q) { q.setNames(hooks::protocol::ObjectKind::JOB); }),
            [&](const hooks::sealed_answer& a) { jobs.push_back(a.get().getNames().size()); });
  });
  const auto submit = [](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); };
  const auto first = s.whole.ask(submit, "alice"), second = s.whole.ask(submit, "alice");
  for (int i = 0; i < 2; ++i) BOOST_REQUIRE(s.runner.step());
  s.settle();
  BOOST_REQUIRE(jobs.size() == 2u);
  BOOST_TEST(jobs[1] >= 1u);  // a real hook would still wait for its answer: it never sees its own job
  BOOST_TEST(site::said(first) == "done");
  BOOST_TEST(site::said(second) == "done");
}

BOOST_AUTO_TEST_CASE(a_hook_that_looks_on_and_can_not_be_read_is_owed_its_run) {
  site s;
  for (const char* hook : {"a", "b"}) s.add_hook(hook, "postqueuejob");
  s.damage("a");
  BOOST_TEST(s.submit() == "done");
  s.later();
  BOOST_CHECK(s.written_runs() == names{"b"});
  s.restore("a");
  s.later();
  BOOST_CHECK((s.written_runs() == names{"a", "b"}));
  BOOST_CHECK((s.asked_by == names{"a of alice", "b of alice"}));
  s.later();
  BOOST_TEST(s.asked_by.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_hook_that_can_not_be_read_and_is_turned_off_is_owed_nothing) {
  site s;
  s.add_hook("a", "postqueuejob");
  s.damage("a");
  BOOST_TEST(s.submit() == "done");
  s.manage_hook("a", schema::ManageVerb::SET, [](auto m) {
    auto change = m.initChanges(1)[0];
    change.setName("enabled");
    change.setValue("false");
  });
  s.restore("a");
  s.later();
  BOOST_TEST(s.asked_by.empty());
}

BOOST_AUTO_TEST_CASE(a_periodic_hook_runs_each_time_its_freq_is_over) {
  site s;
  s.add_hook("p", "periodic");
  s.later(freq - seconds(1));
  BOOST_TEST(s.written_runs().size() == 0u);
  s.later(seconds(1));
  BOOST_TEST(s.written_runs().size() == 1u);
  s.later(freq);
  BOOST_TEST(s.written_runs().size() == 2u);
  BOOST_TEST(s.asked_by.count("p of root") == 2u);
}

BOOST_AUTO_TEST_CASE(a_periodic_hook_whose_run_can_not_be_written_runs_again_when_its_freq_is_over) {
  site s;
  s.add_hook("p", "periodic");
  bool talks = true;
  s.runner.when("p", [&](hooks::protocol::Request::Reader, hooks::protocol::Reply::Builder reply) {
    reply.setVerdict(hooks::protocol::Verdict::REJECT);
    if (talks) reply.setMessage(std::string(limits::event_bytes_max, 'x'));
  });
  s.later(freq);
  BOOST_TEST(s.runner.runs() == 1u);
  BOOST_TEST(s.written_runs().size() == 0u);
  talks = false;
  s.later(freq);
  BOOST_TEST(s.runner.runs() == 2u);
  BOOST_TEST(s.written_runs().size() == 1u);
}

BOOST_AUTO_TEST_CASE(runs_of_hosts_that_want_nothing_are_written_down_together) {
  site s;
  s.add_host();
  s.add_hook("p", "exechost_periodic");
  const auto first = s.tells_run("n1", "p", 1), second = s.tells_run("n2", "p", 1), again = s.tells_run("n1", "p", 1);
  BOOST_TEST(s.written_runs().size() == 0u);
  BOOST_TEST(site::acknowledged(first, 1) == 0u);
  const auto wants = s.tells_run("n1", "p", 2, "of the third");
  BOOST_TEST(s.comments().size() == 1u);
  BOOST_TEST(s.written_runs().size() == 1u);
  BOOST_TEST(site::acknowledged(wants, 2) == 1u);
  s.later(std::chrono::seconds(1));
  BOOST_TEST(s.written_runs().size() == 3u);
  for (const auto& told : {first, second, again}) BOOST_TEST(site::acknowledged(told, 1) == 1u);
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_when_the_server_dies_is_told_again) {
  site s;
  s.add_hook("p", "exechost_periodic");
  s.tells_run("n1", "p", 1);
  s.whole.restart();
  s.later(std::chrono::seconds(1));
  BOOST_TEST(s.written_runs().size() == 0u);
  const auto again = s.tells_run("n1", "p", 1);
  s.later(std::chrono::seconds(1));
  BOOST_TEST(s.written_runs().size() == 1u);
  BOOST_TEST(site::acknowledged(again, 1) == 1u);
}

// Both runs follow from the same record, the start.
BOOST_AUTO_TEST_CASE(what_two_periodic_hooks_want_of_one_vnode_after_a_start_is_all_done) {
  site s;
  s.add_host();
  for (const char* hook : {"p", "q"}) {
    s.add_hook(hook, "periodic");
    s.runner.when(hook, [hook](hooks::protocol::Request::Reader, hooks::protocol::Reply::Builder reply) {
      auto c = reply.initChanges(1)[0];
      c.setParameter("vnode_list");
      c.setKind(hooks::protocol::ObjectKind::VNODE);
      c.setObject("n1");
      c.setAttribute("comment");
      c.setHasValue(true);
      c.setAfter(std::string("by ") + hook);
    });
  }
  s.whole.restart();
  s.later(freq);
  BOOST_CHECK((s.written_runs() == names{"p", "q"}));
  const auto start = s.last_start();
  BOOST_CHECK((s.comments() == std::multiset<std::pair<std::string, std::uint64_t>>{{"by p", start}, {"by q", start}}));
}

BOOST_AUTO_TEST_CASE(a_periodic_hook_that_can_not_be_read_is_tried_again_when_its_freq_is_over) {
  site s;
  s.add_hook("p", "periodic");
  s.damage("p");
  s.later(freq);
  BOOST_TEST(s.written_runs().size() == 0u);
  s.restore("p");
  s.later();
  BOOST_TEST(s.written_runs().size() == 0u);
  s.later(freq);
  BOOST_TEST(s.written_runs().size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_runner_knows_the_hooks_that_may_run_in_the_server) {
  using known = std::set<hooks::known_hook>;
  const auto hash_of = [](const std::string& code) { return hooks::code_hash(code, std::nullopt); };
  site s;
  BOOST_TEST(!s.runner.known().has_value());  // a server without hooks
  s.add_hook("q", "queuejob");
  s.add_hook("h", "execjob_begin");  // runs on hosts
  BOOST_CHECK((s.runner.known() == known{{"q", ""}}));
  BOOST_TEST(s.submit() == "done");
  const known read{{"q", hash_of(site::code_of("q"))}};
  BOOST_CHECK(s.runner.known() == read);
  s.set_hook("q", "enabled", "False");
  BOOST_CHECK(s.runner.known() == known{});
  s.set_hook("q", "enabled", "True");
  BOOST_CHECK(s.runner.known() == read);
  s.import_hook("q", "import pbs  # anew");
  BOOST_CHECK((s.runner.known() == known{{"q", ""}}));
  BOOST_TEST(s.submit() == "done");
  BOOST_CHECK((s.runner.known() == known{{"q", hash_of("import pbs  # anew")}}));
  s.whole.restart();
  s.settle();
  BOOST_CHECK((s.runner.known() == known{{"q", ""}}));
  s.manage_hook("q", schema::ManageVerb::DELETE, [](auto) {});
  BOOST_CHECK(s.runner.known() == known{});
}

BOOST_AUTO_TEST_SUITE_END()
