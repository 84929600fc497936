// Where, as whom and with what a hook's run is repeated: what the record says, not who repeats it.
#include <boost/test/unit_test.hpp>

#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/record.hpp"
#include "events/model/outcome.hpp"
#include "test/support/folded_log.hpp"
#include "tools/audit/hook_story.hpp"

using namespace annals;

namespace {

const std::string script = "pass\n";
const std::string script_hash = log::content_hash(std::as_bytes(std::span(script)));

capnp::Data::Reader data(schema::byte_span bytes) { return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()}; }

// What the hooks were run with; each is answered with accept.
struct seen {
  audit::hook_place place;
  std::vector<hooks::resource_type> custom;
  std::vector<std::string> users;
};
struct seeing_runner final : hooks::hook_runner {
  explicit seeing_runner(seen& to) : to_(to) {}
  void run(hooks::hook_run order, hooks::run_done done) override {
    to_.users.push_back(order.run_as);
    done(schema::make<hooks::protocol::Reply>([](auto r) { r.setVerdict(hooks::protocol::Verdict::ACCEPT); }));
  }
  void compile(std::shared_ptr<const hooks::hook_code>, std::function<void(std::string)> done) override { done({}); }
  void know_resources(std::vector<hooks::resource_type> custom) override { to_.custom = std::move(custom); }
  void know_hooks(std::set<hooks::known_hook>) override {}
  seen& to_;
};

struct history {
  log::memory_event_store store;
  test::virtual_clock clock;
  log::event_log log{store, clock};
  std::uint64_t server = 0, hook = 0;

  history() {
    server = write(0, [](auto e) { e.initServer().initStarted().setHostName("head"); });
    hook = write(0, [](auto e) { e.initHook().initCreated().setName("h"); });
    write(hook, [](auto e) {
      auto i = e.initHook().initImported();
      i.setContentType("application/x-python");
      i.initContent().setHash(data(std::as_bytes(std::span(script_hash))));
      i.getContent().setSize(script.size());
    });
  }
  template <class Fill>
  std::uint64_t write(std::uint64_t stream, Fill&& fill, std::vector<schema::sealed<schema::HookRun>> before = {}) {
    log::append a;
    a.stream = stream;
    a.expected_version = log.last_version(stream);
    a.events.push_back(model::make_event(fill));
    a.hooks = std::move(before);
    const auto bytes = std::as_bytes(std::span(script));
    if (stream == hook) a.blobs = {{script_hash, {bytes.begin(), bytes.end()}}};
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    return std::get<log::staged>(staged).stream;
  }
  void resource(const char* name, const char* type) {
    write(server, [&](auto e) {
      auto r = e.initServer().initResourceCreated();
      r.setName(name);
      r.setType(type);
    });
  }
  static schema::sealed<schema::HookRun> run(const char* event, const char* job, const char* user = "pbsadmin") {
    const auto request = schema::make<hooks::protocol::Request>([&](auto r) {
      r.setRequestor(job);
      r.initHook().setUser(user);
      r.getHook().setEuser("alice");
    });
    const auto reply = schema::make<hooks::protocol::Reply>([](auto r) { r.setVerdict(hooks::protocol::Verdict::ACCEPT); });
    return schema::make<schema::HookRun>([&](schema::HookRun::Builder b) {
      b.setHook("h");
      b.setEvent(event);
      b.setRequest(data(request.bytes()));
      b.setReply(data(reply.bytes()));
    });
  }
  void ran_on(const char* host, const schema::sealed<schema::HookRun>& run) {
    write(hook, [&](auto e) {
      e.initHook().initRan().setRun(run.get());
      e.getHook().getRan().setHost(host);
    });
  }
  seen again(std::uint64_t sequence) const {
    seen what;
    const auto make = [&](const audit::hook_place& place) {
      what.place = place;
      return std::make_unique<seeing_runner>(what);
    };
    BOOST_TEST((audit::rerun_hooks(store, sequence, make, [](const std::string&) { return true; }) == audit::rerun_end::same));
    return what;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hook_rerun, history)

BOOST_AUTO_TEST_CASE(a_hook_of_the_server_runs_again_as_on_the_servers_host) {
  ran_on("", run("postqueuejob", "1"));
  const auto what = again(store.last_sequence());
  BOOST_TEST(!what.place.on_mom);
  BOOST_TEST(what.place.host == "head");
  BOOST_TEST(what.users == std::vector<std::string>{""}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_hook_of_a_host_runs_again_as_on_that_host) {
  ran_on("n1", run("execjob_end", "1"));
  const auto what = again(store.last_sequence());
  BOOST_TEST(what.place.on_mom);
  BOOST_TEST(what.place.host == "n1");
}

BOOST_AUTO_TEST_CASE(what_a_hook_of_a_host_changed_is_written_before_its_host_is_named) {
  const auto changed = [](auto e) { e.initHost().initVnodeCreated().setName("n2"); };
  write(0, changed, {run("execjob_end", "1")});
  const auto sequence = store.last_sequence();
  ran_on("n3", run("execjob_end", "2"));
  ran_on("n1", run("execjob_end", "1"));
  BOOST_TEST(again(sequence).place.host == "n1");
}

BOOST_AUTO_TEST_CASE(a_hook_of_the_jobs_owner_runs_again_as_the_owner) {
  ran_on("n1", run("execjob_prologue", "1", "pbsuser"));
  BOOST_TEST(again(store.last_sequence()).users == std::vector<std::string>{"alice"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(it_knows_the_custom_resources_that_there_were) {
  resource("watts", "long");
  ran_on("n1", run("execjob_end", "1"));
  const auto sequence = store.last_sequence();
  resource("later", "size");
  const auto what = again(sequence);
  BOOST_REQUIRE(what.custom.size() == 1u);
  BOOST_TEST(what.custom[0].name == "watts");
  BOOST_TEST(what.custom[0].type == "long");
}

BOOST_AUTO_TEST_SUITE_END()
