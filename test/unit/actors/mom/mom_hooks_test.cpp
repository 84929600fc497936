// What a MoM does with hooks that are on their way (pbs guide: sync_mom_hookfiles_timeout; docs/design/0023-hooks.md), and with what they
// report.
#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

#include "actors/mom/hooks/mom_hooks.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/run_this.hpp"
#include "events/log/record.hpp"
#include "hooks-runtime/pool/fake_hook_runner.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::actors;
using annals::test::temporary_directory;

namespace {

constexpr std::int64_t second = 1'000'000'000;
const std::string script = "pass\n";

struct set_clock final : ports::clock {
  std::int64_t now = 1'700'000'000 * second;
  std::int64_t now_ns() const override { return now; }
};

std::string hash_of(const std::string& text) { return log::content_hash(std::as_bytes(std::span(text))); }
capnp::Data::Reader data(const std::string& s) { return {reinterpret_cast<const kj::byte*>(s.data()), s.size()}; }

// A MoM's hooks in an actor of their own. Every step runs there and is over when `in_mom` returns.
struct fixture {
  temporary_directory directory, logs;
  daemon_log notes{logs.path, "pbs_mom", 0xffff, false};
  bool disk_stands = false;
  std::deque<helper_pool::work> for_the_disk;  // while it stands
  set_clock clock;
  hooks::fake_hook_runner runner;
  std::vector<schema::sealed<schema::FromMom>> told;
  std::vector<hook_point_passed> passed;
  std::unique_ptr<mom_hooks> mom;
  bool rejects = false;  // $reject_root_scripts
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::actor actor;

  fixture() {
    // The argument is for CAF: of a function without one it dereferences a null pointer, and UBSan says so.
    actor = system.spawn([this](caf::event_based_actor* self, int) -> caf::behavior {
      mom_hooks_parts parts;
      parts.runner = &runner;
      parts.directory = directory.path;
      parts.host = "n1";
      parts.clock = &clock;
      parts.notes = &notes;
      parts.aside = [this](helper_pool::work what) {
        if (disk_stands) for_the_disk.push_back(std::move(what));
        else what()();
      };
      parts.bits = std::make_shared<hook_bits>();
      parts.describe = [](schema::MomHello::Builder hello) { hello.initVnodes(1)[0].setName("n1"); };
      parts.say_hello = [] {};
      parts.rejects_files = [this] { return rejects; };
      mom = std::make_unique<mom_hooks>(self, parts, [this](const schema::sealed<schema::FromMom>& m) { told.push_back(m); });
      return {[](run_this& what) { what.work(); }, [this](hook_point_passed& p) { passed.push_back(std::move(p)); }};
    },
                         0);
    in_mom([this] {
      mom->begin();
      mom->server_is_here();
    });
  }
  ~fixture() {
    in_mom([this] { mom.reset(); });
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    system.await_all_actors_done();
  }

  // A step, and what it sends to the actor itself, and what that sends: the reply of a hook comes that way.
  void in_mom(const std::function<void()>& step) {
    const std::function<void()> nothing = [] {};
    for (const auto& work : {step, nothing, nothing, nothing}) {
      std::promise<void> done;
      caf::anon_send(actor, run_this{[&] {
                       work();
                       done.set_value();
                     }});
      done.get_future().get();
    }
  }
  void at(int seconds) {
    in_mom([&] {
      clock.now += seconds * second;
      mom->on_second();
    });
  }
  void server_tells_of_a_hook(unsigned wait_s, const std::vector<std::string>& names = {"h1"}, const std::string& text = script,
                              const char* event = "execjob_begin", const char* enabled = "true") {
    in_mom([&] {
      mom->on_hooks(schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
        auto all = m.initHooks();
        all.setSequence(7);
        all.setWaitSeconds(wait_s);
        auto hooks = all.initHooks(static_cast<unsigned>(names.size()));
        for (unsigned h = 0; h < hooks.size(); ++h) {
          hooks[h].setName(names[h]);
          auto settings = hooks[h].initAttributes(3);
          for (unsigned i = 0; i < 3; ++i) {
            const char* const rows[3][2] = {{"event", event}, {"enabled", enabled}, {"alarm", "30"}};
            settings[i].setName(rows[i][0]);
            settings[i].setValue(rows[i][1]);
          }
          hooks[h].initCode().setHash(data(hash_of(text)));
        }
      }));
      mom->server_has_told_all();
    });
  }
  void script_comes() {
    in_mom([&] {
      const auto hash = hash_of(script);
      const auto m = schema::make<schema::Blob>([&](schema::Blob::Builder b) {
        b.setHash(data(hash));
        b.setData(data(script));
        b.setLast(true);
      });
      mom->on_blob(m.get());
    });
  }
  void a_job_begins() {
    in_mom([&] {
      at_hook_point a;
      a.who = actor;
      a.job.started = schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initStartRun().initRef().setJob("12.head"); });
      mom->at_point(std::move(a));
    });
  }
  // exechost_startup runs anew, without a link, and its hook asks for a vnode; the answers are kept.
  std::vector<hooks::sealed_answer> answers;
  void a_startup_hook_asks_without_a_link() {
    runner.when_asking("h1", [this](const hooks::hook_run& order, hooks::protocol::Reply::Builder) {
      order.ask(schema::make<hooks::protocol::Question>([](hooks::protocol::Question::Builder q) {
                  q.initObject().setKind(hooks::protocol::ObjectKind::VNODE);
                  q.getObject().setName("n9");
                }),
                [this](hooks::sealed_answer a) { answers.push_back(std::move(a)); });
    });
    server_tells_of_a_hook(5, {"h1"}, script, "exechost_startup");
    script_comes();
    in_mom([&] {
      mom->server_is_gone();
      told.clear();
      mom->read_again();
    });
    hooks_run();
  }
  void hooks_run() {
    in_mom([&] { while (runner.step()) {} });
  }
  void disk_goes_on() {
    in_mom([this] {
      disk_stands = false;
      for (; !for_the_disk.empty(); for_the_disk.pop_front()) for_the_disk.front()()();
    });
  }

  // A hook that is there has run for a job, and its report is made.
  void a_hook_runs() {
    server_tells_of_a_hook(5);
    script_comes();
    told.clear();
    a_job_begins();
    hooks_run();
  }
  std::string reports() const { return directory.path + "/reports"; }
  std::size_t files() const {
    std::error_code none;
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(reports(), none)) n += entry.is_regular_file();
    return n;
  }
  std::size_t reports_told() const {
    return static_cast<std::size_t>(std::ranges::count_if(told, [](const auto& m) { return m.get().isHookReport(); }));
  }
  std::string log_text() const {
    std::string all;
    for (const auto& f : std::filesystem::directory_iterator(logs.path)) {
      std::ifstream in(f.path());
      all += std::string(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hooks_on_their_way, fixture)

BOOST_AUTO_TEST_CASE(a_job_waits_for_them_and_they_run) {
  server_tells_of_a_hook(5);
  BOOST_REQUIRE(!told.empty());
  BOOST_TEST(told.back().get().isWantBlob());
  a_job_begins();
  at(4);
  BOOST_TEST(passed.empty());
  script_comes();
  BOOST_TEST(told.back().get().isHooksInstalled());
  BOOST_TEST(passed.empty());
  hooks_run();
  BOOST_REQUIRE(passed.size() == 1u);
  BOOST_TEST(passed[0].runs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_waits_no_longer_than_the_timeout_and_starts_without_them) {
  server_tells_of_a_hook(5);
  a_job_begins();
  at(4);
  BOOST_TEST(passed.empty());
  at(1);
  BOOST_REQUIRE(passed.size() == 1u);
  BOOST_TEST(passed[0].runs.empty());
  BOOST_TEST(!passed[0].stops_start());
  // They come all the same, and the next job has them.
  script_comes();
  a_job_begins();
  hooks_run();
  BOOST_REQUIRE(passed.size() == 2u);
  BOOST_TEST(passed[1].runs.size() == 1u);
}

BOOST_AUTO_TEST_CASE(each_job_has_the_whole_timeout) {
  server_tells_of_a_hook(5);
  a_job_begins();
  at(3);
  a_job_begins();
  at(2);
  BOOST_TEST(passed.size() == 1u);
  at(3);
  BOOST_TEST(passed.size() == 2u);
}

BOOST_AUTO_TEST_CASE(without_a_timeout_no_job_waits) {
  server_tells_of_a_hook(0);
  a_job_begins();
  BOOST_REQUIRE(passed.size() == 1u);
  BOOST_TEST(passed[0].runs.empty());
}

BOOST_AUTO_TEST_CASE(a_job_waits_for_the_servers_word_whether_there_are_hooks) {
  a_job_begins();
  at(9);
  BOOST_TEST(passed.empty());
  in_mom([&] { mom->server_has_told_all(); });
  BOOST_TEST(passed.size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_runner_knows_the_hooks_that_may_run) {
  using known = std::set<hooks::known_hook>;
  const auto hash = hooks::code_hash(script, std::nullopt);
  BOOST_CHECK(runner.known() == known{});
  server_tells_of_a_hook(5, {"h1", "h2"});
  BOOST_CHECK(runner.known() == known{});
  script_comes();
  BOOST_CHECK((runner.known() == known{{"h1", hash}, {"h2", hash}}));
  server_tells_of_a_hook(5, {"h2"});
  BOOST_CHECK((runner.known() == known{{"h2", hash}}));
  server_tells_of_a_hook(5, {"h2"}, script, "execjob_begin", "false");
  BOOST_CHECK(runner.known() == known{});
}

BOOST_AUTO_TEST_CASE(a_host_that_rejects_scripts_takes_none_and_keeps_those_it_has) {
  server_tells_of_a_hook(5, {"h1"});
  script_comes();
  rejects = true;
  told.clear();
  server_tells_of_a_hook(5, {"h1", "h2"}, "other\n");
  BOOST_TEST(told.empty());  // it asks for nothing, and does not say that it has all
  a_job_begins();
  hooks_run();
  BOOST_REQUIRE(passed.size() == 1u);
  BOOST_TEST(passed[0].runs.size() == 1u);  // h1 as it was; no job waits for what does not come
  BOOST_TEST(!std::filesystem::exists(directory.path + "/h2.PY"));
  server_tells_of_a_hook(5, {});
  BOOST_TEST(told.back().get().isHooksInstalled());  // hooks may go
  BOOST_TEST(!std::filesystem::exists(directory.path + "/h1.PY"));
}

BOOST_AUTO_TEST_CASE(what_was_rejected_comes_when_the_settings_allow_it_again) {
  rejects = true;
  server_tells_of_a_hook(5, {"h1"});
  BOOST_TEST(told.empty());
  rejects = false;
  in_mom([&] { mom->read_again(); });
  BOOST_REQUIRE(!told.empty());
  BOOST_TEST(told.back().get().isWantBlob());
  script_comes();
  BOOST_TEST(told.back().get().isHooksInstalled());
}

BOOST_AUTO_TEST_CASE(what_a_startup_hook_asks_waits_for_the_link) {
  a_startup_hook_asks_without_a_link();
  at(4);
  BOOST_TEST(answers.empty());
  in_mom([&] { mom->link_is_here(); });
  BOOST_REQUIRE(!told.empty());
  BOOST_TEST(told.back().get().isHookQuestion());
  BOOST_TEST(schema::str(told.back().get().getHookQuestion().getName()) == "n9");
}

BOOST_AUTO_TEST_CASE(what_a_startup_hook_asks_waits_a_moment_only) {
  a_startup_hook_asks_without_a_link();
  at(4);
  BOOST_TEST(answers.empty());
  at(1);
  BOOST_REQUIRE(answers.size() == 1u);
  BOOST_TEST(answers[0].get().isUnknown());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(reports_of_hooks, fixture)

BOOST_AUTO_TEST_CASE(neither_the_server_nor_the_run_hears_of_a_report_before_it_is_on_the_disk) {
  disk_stands = true;
  a_hook_runs();
  BOOST_TEST(files() == 0u);
  BOOST_TEST(reports_told() == 0u);
  BOOST_TEST(passed.empty());
  in_mom([&] { mom->server_is_here(); });  // a new connection: all that is owed is told
  BOOST_TEST(reports_told() == 0u);
  disk_goes_on();
  BOOST_TEST(files() == 1u);
  BOOST_TEST(reports_told() == 1u);
  BOOST_TEST(passed.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_report_is_told_again_until_it_is_acknowledged_and_then_its_file_goes) {
  a_hook_runs();
  BOOST_REQUIRE(reports_told() == 1u);
  at(5);
  BOOST_REQUIRE(reports_told() == 2u);
  const auto report = *std::ranges::find_if(told, [](const auto& m) { return m.get().isHookReport(); });
  in_mom([&] {
    mom->on_ack(schema::make<schema::HookAck>([&](schema::HookAck::Builder a) {
                  a.setPosition(report.get().getHookReport().getPosition());
                }).get());
  });
  BOOST_TEST(files() == 0u);
  at(5);
  BOOST_TEST(reports_told() == 2u);
}

BOOST_AUTO_TEST_CASE(a_report_that_can_not_be_written_is_told_from_memory_and_the_log_says_so) {
  std::ofstream(reports()) << "no directory";
  a_hook_runs();
  BOOST_TEST(passed.size() == 1u);
  BOOST_TEST(reports_told() == 1u);
  at(5);
  BOOST_TEST(reports_told() == 2u);
  BOOST_TEST(log_text().find("the report of its run is not safe, it is in memory only: " + reports()) != std::string::npos, log_text());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(outbox_of_hooks)

namespace {

schema::sealed<schema::FromMom> report_at(std::uint64_t position) {
  return schema::make<schema::FromMom>([&](schema::FromMom::Builder m) { m.initHookReport().setPosition(position); });
}
std::size_t reports_in(const std::string& directory) {
  std::size_t n = 0;
  hook_outbox(directory).each([&](const auto&) { ++n; });
  return n;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_report_that_was_written_is_found_by_the_next_mom_and_counts_on_from_there) {
  const temporary_directory made;
  const auto directory = made.path + "/reports";
  BOOST_TEST(write_hook_report(directory, 7, report_at(7).bytes()) == "");
  BOOST_TEST(write_hook_report(directory, 1000, report_at(1000).bytes()) == "");
  BOOST_TEST(reports_in(directory) == 2u);
  BOOST_TEST(hook_outbox(directory).next_position(5) == 1001u);
  remove_hook_report(directory, 7);
  BOOST_TEST(reports_in(directory) == 1u);
}

BOOST_AUTO_TEST_CASE(a_report_that_can_not_be_written_leaves_no_file_and_says_why) {
  const temporary_directory made;
  const auto directory = made.path + "/reports";
  std::filesystem::create_directories(directory + "/7");  // stands in its way
  BOOST_TEST(write_hook_report(directory, 7, report_at(7).bytes()) == directory + "/7: Is a directory");
  std::ofstream(made.path + "/file") << "x";
  BOOST_TEST(write_hook_report(made.path + "/file", 7, report_at(7).bytes()).starts_with(made.path + "/file: "));
}

// What stands in its place takes no byte, as a full disk.
BOOST_AUTO_TEST_CASE(a_report_that_is_cut_off_is_no_report) {
  const temporary_directory made;
  std::filesystem::create_symlink("/dev/full", made.path + "/7");
  BOOST_TEST(write_hook_report(made.path, 7, report_at(7).bytes()) == made.path + "/7: No space left on device");
  BOOST_TEST(!std::filesystem::exists(std::filesystem::symlink_status(made.path + "/7")));
}

BOOST_AUTO_TEST_SUITE_END()
