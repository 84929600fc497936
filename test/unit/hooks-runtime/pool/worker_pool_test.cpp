// The pool with real workers (docs/design/0019-hook-workers.md).
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/support/hook_runs.hpp"
#include "test/support/paths.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using namespace annals::test;

BOOST_AUTO_TEST_SUITE(worker_pool_with_real_workers)

BOOST_AUTO_TEST_CASE(a_hook_that_does_nothing_accepts) {
  hook_runs runs;
  BOOST_TEST(summary(runs.run({.source = "import pbs\n"})) == "accept");
}

BOOST_AUTO_TEST_CASE(a_change_comes_back_with_what_was_there_before) {
  hook_runs runs;
  BOOST_TEST(summary(runs.run({.source = "import pbs\npbs.event().job.Priority = 7\n"})) == "accept job.Priority 5->7");
}

BOOST_AUTO_TEST_CASE(the_golden_hook_rejects_with_its_words) {  // golden: hooks.txt
  const std::string source =
      "import pbs\n"
      "e = pbs.event()\n"
      "j = e.job\n"
      "pbs.logmsg(pbs.LOG_DEBUG, \"golden hook ran for %s\" % e.requestor)\n"
      "if j.Job_Name == \"rejectme\":\n"
      "    e.reject(\"golden says no\")\n"
      "j.Resource_List[\"walltime\"] = pbs.duration(\"00:05:00\")\n"
      "e.accept()\n";
  hook_runs runs;
  BOOST_TEST(summary(runs.run({.source = source, .job = {{"Job_Name", "", "rejectme"}}})) ==
             "reject 'golden says no' log:golden hook ran for alice");
  BOOST_TEST(summary(runs.run({.source = source, .job = {{"Job_Name", "", "okme"}}})) ==
             "accept job.Resource_List.walltime -->00:05:00 log:golden hook ran for alice");
}

BOOST_AUTO_TEST_CASE(an_exception_is_an_error_and_its_changes_do_not_count) {
  hook_runs runs;
  const auto r = runs.run({.source = "import pbs\npbs.event().job.Priority = 7\nnosuch()\n"});
  BOOST_TEST(summary(r) == "error 'NameError: name 'nosuch' is not defined'");
  BOOST_TEST(schema::text(r.get().getTraceback()).find("line 3") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(one_worker_serves_many_runs_of_a_hook) {
  hook_runs runs;
  for (int i = 0; i < 50; ++i) runs.run({.source = "import pbs\npbs.event().job.Priority = 7\n"});
  BOOST_TEST(runs.pool().figures().runs == 50u);
  BOOST_TEST(runs.pool().figures().started <= 2u);  // its worker and the one kept ready
}

BOOST_AUTO_TEST_CASE(a_worker_is_replaced_after_its_runs) {
  hooks::pool_settings settings;
  settings.runs_max = 2;
  hook_runs runs(settings);
  for (int i = 0; i < 6; ++i) BOOST_TEST(summary(runs.run({.source = "import pbs\n"})) == "accept");
  BOOST_TEST(runs.pool().figures().started >= 3u);
}

BOOST_AUTO_TEST_CASE(more_hooks_than_places_all_get_their_turn) {
  hooks::pool_settings settings;
  settings.workers_max = 2;
  hook_runs runs(settings);
  for (int i = 0; i < 6; ++i)
    BOOST_TEST(summary(runs.run({.source = "import pbs\npbs.event().job.Priority = " + std::to_string(i % 3) +
                                           "\n"})) == "accept job.Priority 5->" + std::to_string(i % 3));
}

BOOST_AUTO_TEST_CASE(a_busy_hook_does_not_take_the_only_worker_of_another) {
  hooks::pool_settings settings;
  settings.workers_max = 2;
  hook_runs runs(settings);
  const hook_case one{.source = "import pbs\n"}, other{.source = "import pbs  # other\n"};
  runs.run(one);
  runs.run(other);
  std::vector<std::future<hooks::sealed_reply>> replies;
  for (int i = 0; i < 40; ++i) {
    auto promise = std::make_shared<std::promise<hooks::sealed_reply>>();
    replies.push_back(promise->get_future());
    runs.pool().run(hook_runs::order_of(i % 2 ? one : other), [promise](hooks::sealed_reply r) { promise->set_value(std::move(r)); });
  }
  for (auto& r : replies) BOOST_TEST(summary(r.get()) == "accept");
  BOOST_TEST(runs.pool().figures().started == 2u);
}

namespace {

// Runs of a hook that asks; each keeps its question until it is let go.
struct questioned {
  hook_runs runs;
  std::mutex guard;
  std::vector<hooks::hook_run::answer_to> asked;
  std::vector<std::future<hooks::sealed_reply>> replies;

  void start(const std::string& source, const char* event) {
    auto order = hook_runs::order_of({.source = source, .event = event});
    order.ask = [this](const hooks::sealed_question&, hooks::hook_run::answer_to to) {
      const std::lock_guard held(guard);
      asked.push_back(std::move(to));
    };
    auto promise = std::make_shared<std::promise<hooks::sealed_reply>>();
    replies.push_back(promise->get_future());
    runs.pool().run(std::move(order), [promise](hooks::sealed_reply r) { promise->set_value(std::move(r)); });
  }
  std::size_t questions() {
    const std::lock_guard held(guard);
    return asked.size();
  }
  template <class Condition>
  void until(const Condition& met) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!met() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    BOOST_REQUIRE(met());
  }
  void let_go() {
    const std::lock_guard held(guard);
    for (auto& to : std::exchange(asked, {})) to({});
  }
};

const char* const asks_itself = "import pbs\npbs.server().job('1')\n";

}  // namespace

BOOST_AUTO_TEST_CASE(runs_of_a_hook_that_asks_the_server_go_one_after_another) {
  for (const std::string& source : {std::string(asks_itself), std::string("import pbs\ngetattr(pbs, 'ser' + 'ver')().job('1')\n")}) {
    questioned q;
    q.start(source, "queuejob");
    q.until([&] { return q.questions() == 1; });
    q.start(source, "queuejob");
    q.start(source, "queuejob");
    q.until([&] { return q.runs.pool().figures().waiting == 2 || q.questions() > 1; });
    for (std::size_t left = 3; left > 0; --left) {
      q.until([&] { return q.questions() > 0; });
      BOOST_TEST(q.questions() == 1u);
      q.let_go();
      BOOST_TEST(summary(q.replies[3 - left].get()) == "accept");
    }
  }
}

BOOST_AUTO_TEST_CASE(runs_on_hosts_of_a_hook_that_asks_go_on_at_the_same_time) {
  questioned q;
  q.start(asks_itself, "execjob_begin");
  q.until([&] { return q.questions() == 1; });
  q.start(asks_itself, "execjob_begin");
  q.until([&] { return q.questions() == 2; });
  q.let_go();
  for (auto& r : q.replies) BOOST_TEST(summary(r.get()) == "accept");
}

BOOST_AUTO_TEST_CASE(a_script_is_compiled_while_its_own_hook_has_every_place) {
  hooks::pool_settings settings;
  settings.workers_max = 1;
  hook_runs runs(settings);
  const auto order = hook_runs::order_of({.source = "import pbs\n"});
  runs.run({.source = "import pbs\n"});
  std::promise<std::string> said;
  runs.pool().compile(order.code, [&](std::string m) { said.set_value(std::move(m)); });
  BOOST_TEST(said.get_future().get() == "");
}

namespace {

// Whether an attended run was done when run() returned, and its reply whenever that came.
struct attended_run {
  bool at_once = false;
  int meanwhile = 0;
  std::string told;
  attended_run(hook_runs& runs, const hook_case& c) {
    auto before = c;
    before.alarm_ms = 60'000;
    runs.run(before);  // its worker is there
    auto promise = std::make_shared<std::promise<hooks::sealed_reply>>();
    auto reply = promise->get_future();
    auto order = hook_runs::order_of(c);
    order.attended = true;
    order.meanwhile = [this] { ++meanwhile; };
    runs.pool().run(std::move(order), [promise](hooks::sealed_reply r) { promise->set_value(std::move(r)); });
    at_once = reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    told = summary(reply.get());
  }
};

hooks::pool_settings attending_for(std::chrono::microseconds time) {
  hooks::pool_settings settings;
  settings.attendance_max = time;
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_attended_run_is_done_when_it_returns) {
  hook_runs runs(attending_for(std::chrono::seconds(60)));
  int at_once = 0, meanwhile = 0;
  unsigned tries = 0;
  // Not each time: the pool's thread may be at the workers just then.
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
       tries < 20 || ((at_once == 0 || meanwhile == 0) && std::chrono::steady_clock::now() < end); ++tries) {
    const attended_run run(runs, {.source = "import pbs\npbs.event().job.Priority = 7\n"});
    at_once += run.at_once;
    meanwhile += run.meanwhile;
    BOOST_TEST(run.meanwhile <= 1);
    BOOST_TEST(run.told == "accept job.Priority 5->7");
  }
  BOOST_TEST(at_once > 0);
  BOOST_TEST(meanwhile > 0);
  BOOST_TEST(runs.pool().figures().runs == 2 * tries);
}

BOOST_AUTO_TEST_CASE(an_attended_run_that_takes_longer_is_done_later) {
  hook_runs runs(attending_for(std::chrono::microseconds(0)));
  for (int i = 0; i < 20; ++i) BOOST_TEST(attended_run(runs, {.source = "import pbs\n"}).told == "accept");
}

BOOST_AUTO_TEST_CASE(an_attended_run_that_asks_is_answered) {
  hook_runs runs(attending_for(std::chrono::seconds(60)));
  const attended_run run(runs, {.source = "import pbs\npbs.logmsg(1, str(pbs.server().queue('none')))\n",
                                .answer = [](auto, hooks::protocol::Answer::Builder a) { a.setNone(); }});
  BOOST_TEST(run.told == "accept log:None");
}

BOOST_AUTO_TEST_CASE(an_attended_run_that_dies_or_hangs_is_told_as_any) {
  hook_runs runs;
  const std::string second_time = "import pbs, os, sys\nif hasattr(sys, 'again'): ";
  BOOST_TEST(attended_run(runs, {.source = second_time + "os._exit(3)\nsys.again = 1\n"}).told ==
             "error 'the hook's process ended itself with exit status 3'");
  const attended_run hangs(runs, {.source = second_time + "\n  while True: pass\nsys.again = 1\n", .alarm_ms = 5000});
  BOOST_TEST(hangs.told.starts_with("alarm"));
}

BOOST_AUTO_TEST_CASE(one_hook_never_sees_what_another_left_behind) {
  hook_runs runs;
  runs.run({.source = "import sys\nsys.left_behind = 1\n"});
  BOOST_TEST(
      summary(runs.run({.source = "import pbs, sys\nif hasattr(sys, 'left_behind'): pbs.event().reject('seen')\n"})) ==
      "accept");
}

BOOST_AUTO_TEST_CASE(a_script_that_does_not_compile_says_where) {
  hook_runs runs;
  std::promise<std::string> said;
  auto code = std::make_shared<hooks::hook_code>();
  code->name = "h1";
  code->source = "import pbs\nif:\n";
  runs.pool().compile(code, [&](std::string m) { said.set_value(std::move(m)); });
  const std::string message = said.get_future().get();
  BOOST_TEST(message.find("line 2") != std::string::npos);
  BOOST_TEST(message.find("SyntaxError: invalid syntax") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(questions_are_answered_by_the_daemon_and_recorded) {
  hook_runs runs;
  const auto r =
      runs.run({.source = "import pbs\nq = pbs.server().queue('long')\npbs.logmsg(1, '%s %s' % (q.name, q.enabled))\n"
                          "pbs.logmsg(1, str(pbs.server().queue('none')))\n",
                .answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
                  if (schema::text(q.getObject().getName()) == "none") return a.setNone();
                  auto o = a.initObject();
                  o.setKind(hooks::protocol::ObjectKind::QUEUE);
                  o.setName("long");
                  auto attributes = o.initAttributes(1);
                  attributes[0].setName("enabled");
                  attributes[0].setValue("True");
                }});
  BOOST_TEST(summary(r) == "accept log:long 1 log:None");
  BOOST_TEST(r.get().getQuestions().size() == 2u);
  BOOST_TEST(r.get().getQuestions()[0].getAnswerHash().size() == 32u);
}

BOOST_AUTO_TEST_CASE(a_hook_with_debug_leaves_files_that_repeat_its_run) {  // pbs guide: hooks: debug
  namespace fs = std::filesystem;
  const temporary_directory own;
  const fs::path directory = own.path;
  hooks::pool_settings settings;
  settings.debug_directory = directory;
  hook_case c{.source =
                  "import pbs\ne = pbs.event()\nif e.job.Priority < pbs.server().queue('long').Priority: e.reject('too "
                  "low')\n"};
  c.answer = [](hooks::protocol::Question::Reader, hooks::protocol::Answer::Builder a) {
    auto o = a.initObject();
    o.setKind(hooks::protocol::ObjectKind::QUEUE);
    o.setName("long");
    auto attributes = o.initAttributes(1);
    attributes[0].setName("Priority");
    attributes[0].setValue("50");
  };
  {
    hook_runs runs(settings);
    BOOST_TEST(summary(runs.run(c)) == "reject 'too low'");
    BOOST_TEST(fs::is_empty(directory));  // only when asked to
    c.debug = true;
    BOOST_TEST(summary(runs.run(c)) == "reject 'too low'");
  }
  std::map<std::string, std::string> files;
  for (const auto& file : fs::directory_iterator(directory)) files[file.path().extension()] = file.path();
  BOOST_TEST(files.size() == 3u);
  const std::string script = directory / "hook.py";
  std::ofstream(script) << c.source;
  const std::string again = annals::test::stage_dir() + "/bin/pbs_python --hook -i " + files[".in"] + " -s " +
                            files[".data"] + " " + script + " | grep -q 'too low'";
  BOOST_TEST(std::system(again.c_str()) == 0);
}

BOOST_AUTO_TEST_CASE(a_run_that_was_killed_leaves_its_files_too) {
  namespace fs = std::filesystem;
  const temporary_directory own;
  const fs::path directory = own.path;
  hooks::pool_settings settings;
  settings.debug_directory = directory;
  hook_case c{.source = "while True: pass\n"};
  c.alarm_ms = 200;
  c.debug = true;
  hook_runs runs(settings);
  BOOST_TEST((runs.run(c).get().getVerdict() == Verdict::ALARM));
  std::set<std::string> endings;
  for (const auto& file : fs::directory_iterator(directory)) endings.insert(file.path().extension());
  BOOST_TEST((endings == std::set<std::string>{".in", ".out", ".data"}));
}

BOOST_AUTO_TEST_CASE(a_run_that_was_killed_has_the_lines_it_logged) {
  hook_runs runs;
  for (const char* end : {"while True: pass\n", "import os\nos._exit(3)\n"}) {
    hook_case c{.source = std::string("import pbs\npbs.logmsg(pbs.LOG_WARNING, 'first')\npbs.logjobmsg('12.head', 'second')\n") + end};
    std::optional<hooks::sealed_reply> reply;
    for (c.alarm_ms = 1000; c.alarm_ms <= 32'000; c.alarm_ms *= 2) {  // a busy machine may not come so far in a second
      reply = runs.run(c);
      BOOST_TEST((reply->get().getVerdict() != Verdict::ACCEPT));
      if (reply->get().getLog().size() == 2u) break;
    }
    const auto log = reply->get().getLog();
    BOOST_REQUIRE(log.size() == 2u);
    BOOST_TEST(schema::text(log[0].getMessage()) == "first");
    BOOST_TEST(schema::text(log[1].getMessage()) == "second");
    BOOST_TEST(schema::text(log[1].getJob()) == "12.head");
  }
}

BOOST_AUTO_TEST_CASE(lines_of_a_run_are_told_once_and_not_with_the_next) {
  hook_runs runs;
  hook_case c{.source = "import pbs\npbs.logmsg(pbs.LOG_DEBUG, 'one')\n"};
  for (int i = 0; i < 2; ++i) BOOST_TEST(runs.run(c).get().getLog().size() == 1u);
}

BOOST_AUTO_TEST_CASE(lines_are_heard_while_the_script_goes_on) {
  hook_runs runs;
  hook_case c{.source = "import pbs\npbs.logmsg(pbs.LOG_DEBUG, 'before')\npbs.server().vnode('n1')\npbs.logmsg(pbs.LOG_DEBUG, 'after')\n"};
  std::string heard, at_the_question;
  c.answer = [&](hooks::protocol::Question::Reader, hooks::protocol::Answer::Builder a) {
    at_the_question = heard;
    a.setNone();
  };
  auto order = hook_runs::order_of(c);
  order.said = [&](hooks::protocol::LogLine::Reader line) { heard += schema::str(line.getMessage()) + ";"; };
  std::promise<hooks::sealed_reply> got;
  runs.pool().run(std::move(order), [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
  const auto reply = got.get_future().get();
  BOOST_TEST(at_the_question == "before;");
  BOOST_TEST(heard == "before;after;");
  BOOST_TEST(summary(reply) == "accept log:before log:after");
}

BOOST_AUTO_TEST_CASE(a_worker_program_that_is_missing_is_an_error_of_the_run) {
  hooks::pool_settings settings;
  settings.worker_program = "/proc/no_such_worker";
  hooks::worker_pool pool(settings);
  std::promise<hooks::sealed_reply> got;
  pool.run(hook_runs::order_of({.source = ""}), [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
  const auto reply = got.get_future().get();
  BOOST_TEST((reply.get().getVerdict() == Verdict::ERROR));
  BOOST_TEST(message_of(reply).find("No such file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pool_that_ends_answers_what_still_runs) {
  auto runs = std::make_unique<hook_runs>();
  std::promise<hooks::sealed_reply> got;
  runs->pool().run(hook_runs::order_of({.source = "import time\ntime.sleep(60)\n"}),
                   [&](hooks::sealed_reply r) { got.set_value(std::move(r)); });
  runs.reset();
  BOOST_TEST(message_of(got.get_future().get()) == "the daemon is ending");
}

BOOST_AUTO_TEST_SUITE_END()
