// Several hooks at one event (pbs guide, "hooks: results"): order, what each sees, who stops the request and in which words.
#include <boost/test/unit_test.hpp>

#include <tuple>

#include "events/attributes/ids.hpp"
#include "hooks-runtime/chain/chain.hpp"
#include "hooks-runtime/pool/fake_hook_runner.hpp"
#include "hooks-runtime/protocol/hook_limits.hpp"
#include "hooks-runtime/protocol/recorded_run.hpp"

using namespace annals;
using namespace annals::hooks;
namespace ids = attributes::hook;

namespace {

struct chain_story {
  fake_hook_runner runner;
  std::vector<chain_hook> hooks;
  std::vector<std::string> lines;
  std::vector<std::uint32_t> levels;  // of the lines: event bits
  occasion at;
  chain_result result;
  int done = 0;
  std::uint32_t wanted = 0;  // event bits of lines that cost something
  std::string says_as;

  explicit chain_story(const char* event = "queuejob") {
    at.event = find_event(event);
    at.by = {"user1", "borg", schema::Role::USER};
    hook_object job{protocol::ObjectKind::JOB, "", {{"Job_Name", "", "STDIN"}}};
    at.parameters.push_back({"job", std::move(job)});
  }
  void hook(const std::string& name, const std::string& order, fake_hook_runner::behaviour what) {
    chain_hook h;
    h.name = name;
    h.settings.set(ids::order, order);
    h.settings.set(ids::alarm, "30");
    h.settings.set(ids::user, "pbsadmin");
    h.code = std::make_shared<hook_code>(hook_code{name, "pass", std::nullopt, code_hash("pass", std::nullopt)});
    hooks.push_back(std::move(h));
    runner.when(name, std::move(what));
  }
  void run() {
    const auto note = [this](std::uint32_t bits, std::string_view cls, std::string_view object, std::string_view text) {
      levels.push_back(bits);
      lines.push_back(std::string(cls) + ";" + std::string(object) + ";" + std::string(text));
    };
    const chain_parts parts{&runner, [](const std::function<void()>& work) { work(); }, note,
                            [this](std::uint32_t events) { return (wanted & events) != 0; }, says_as};
    sort_by_order(hooks);
    run_chain(std::make_shared<chain_parts>(parts), hooks, at, [this](chain_result& r) {
      result = r;
      ++done;
    });
    while (runner.step()) {}
  }
  std::string job(std::string_view attribute) const {
    const auto* a = object_of(result.parameters, "job")->find(attribute);
    return a ? a->value : "(unset)";
  }
};

void set_vnode(protocol::Reply::Builder reply, const std::string& vnode) {
  auto c = reply.initChanges(1)[0];
  c.setParameter("vnode_list");
  c.setObject(vnode);
  c.setKind(protocol::ObjectKind::VNODE);
  c.setAttribute("state");
  c.setHasValue(true);
  c.setAfter("offline");
}

void set(protocol::Reply::Builder reply, const std::string& attribute, const std::string& value) {
  auto c = reply.initChanges(1)[0];
  c.setParameter("job");
  c.setAttribute(attribute);
  c.setHasValue(true);
  c.setAfter(value);
}

std::string seen(protocol::Request::Reader r, std::string_view attribute) {
  for (auto a : r.getParameters()[0].getObject().getAttributes())
    if (schema::text(a.getName()) == attribute) return schema::str(a.getValue());
  return "(unset)";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(chain)

BOOST_AUTO_TEST_CASE(each_hook_sees_what_the_one_before_it_changed) {
  chain_story s;
  std::string second_saw;
  s.hook("second", "2", [&](auto request, auto) { second_saw = seen(request, "project"); });
  s.hook("first", "1", [](auto, auto reply) { set(reply, "project", "physics"); });
  s.run();
  BOOST_TEST(s.done == 1);
  BOOST_TEST(!s.result.stopped);
  BOOST_TEST(second_saw == "physics");
  BOOST_TEST(s.job("project") == "physics");
  BOOST_REQUIRE(s.result.runs.size() == 2u);
  BOOST_TEST(schema::str(s.result.runs[0].get().getHook()) == "first");
  const auto request = request_of(s.result.runs[0].get());
  const auto reply = reply_of(s.result.runs[0].get());
  BOOST_REQUIRE((request && reply));
  BOOST_TEST(schema::str(request->get().getHookName()) == "first");
  BOOST_TEST(schema::str(reply->get().getChanges()[0].getAfter()) == "physics");
}

BOOST_AUTO_TEST_CASE(the_log_says_when_a_hook_began_and_ended_and_how_long_it_took) {
  for (const std::uint32_t wanted : {0x400u, 0x800u, 0xc00u, 0u}) {
    chain_story s("execjob_begin");
    std::get<hook_object>(s.at.parameters.front().value).name = "6.vm";
    s.wanted = wanted;
    s.hook("hm", "1", [&](auto request, auto reply) {
      BOOST_TEST(request.getMeasureCpu() == ((wanted & 0x800) != 0));
      reply.setDurationMicros(339);
      reply.setCpuMicros(21);
    });
    s.run();
    std::vector<std::string> expected;
    if (wanted & 0x400) expected = {"Hook;hm;started", "Hook;hm;finished"};
    if (wanted & 0x800)
      expected.push_back("Hook;hook_perf_stat;label=hook_execjob_begin_hm_6.vm action=run_code walltime=0.000339 cputime=0.000021");
    BOOST_TEST(s.lines == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(what_a_hook_was_given_is_kept_as_far_as_all_runs_fit_in_a_record) {
  for (const auto& [eighths, kept_first, kept_second] :
       {std::tuple{3, true, true}, std::tuple{6, true, false}, std::tuple{9, false, false}}) {
    chain_story s;
    auto& job = std::get<hook_object>(s.at.parameters.front().value);
    job.put("Variable_List", "", std::string(limits::recorded_runs_bytes_max / 8 * static_cast<std::size_t>(eighths), 'x'));
    s.hook("first", "1", [](auto, auto reply) { set(reply, "project", "physics"); });
    s.hook("second", "2", [](auto, auto) {});
    s.run();
    BOOST_REQUIRE(s.result.runs.size() == 2u);
    BOOST_TEST(request_of(s.result.runs[0].get()).has_value() == kept_first);
    BOOST_TEST(request_of(s.result.runs[1].get()).has_value() == kept_second);
    std::size_t bytes = 0;
    for (const auto& run : s.result.runs) bytes += run.bytes().size();
    BOOST_TEST(bytes < limits::recorded_runs_bytes_max + 4096);
    const auto reply = reply_of(s.result.runs[0].get());
    BOOST_REQUIRE(reply.has_value());
    BOOST_TEST(schema::str(reply->get().getChanges()[0].getAfter()) == "physics");
  }
}

BOOST_AUTO_TEST_CASE(each_hook_runs_with_its_own_alarm_and_debug) {
  chain_story s;
  std::vector<std::pair<std::uint32_t, bool>> given;
  const auto note = [&](auto request, auto) { given.emplace_back(request.getAlarmMillis(), request.getHook().getDebug()); };
  s.hook("first", "1", note);
  s.hook("second", "2", note);
  s.hooks.back().settings.set(ids::alarm, "7");
  s.hooks.back().settings.set(ids::debug, "true");
  s.run();
  BOOST_TEST((given == std::vector<std::pair<std::uint32_t, bool>>{{30'000, false}, {7'000, true}}));
}

BOOST_AUTO_TEST_CASE(it_is_told_which_hooks_ran_as_the_owner_of_the_job) {
  chain_story s;
  s.hook("admins", "1", [](auto, auto) {});
  s.hook("owners", "2", [](auto, auto) {});
  s.hooks.back().settings.set(ids::user, "pbsuser");
  s.run();
  BOOST_TEST(s.result.as_owner == std::vector<std::string>{"owners"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_has_nothing_else_to_do_is_told_before_the_chain_returns) {
  for (const bool idle : {true, false}) {
    chain_story s;
    s.runner.answer_the_attended_at_once();
    s.at.idle = [idle] { return idle; };
    s.hook("first", "1", [](auto, auto reply) { set(reply, "project", "physics"); });
    s.hook("second", "2", [](auto, auto) {});
    int told_on_return = -1, posted = 0;
    const chain_parts parts{&s.runner, [&](const std::function<void()>& work) { ++posted, work(); }, {}, {}};
    run_chain(std::make_shared<chain_parts>(parts), s.hooks, s.at, [&](chain_result& r) {
      s.result = r;
      ++s.done;
    });
    told_on_return = s.done;
    while (s.runner.step()) {}
    BOOST_TEST(told_on_return == (idle ? 1 : 0));
    BOOST_TEST(posted == (idle ? 0 : 1));
    BOOST_TEST(s.done == 1);
    BOOST_TEST(s.job("project") == "physics");
    BOOST_REQUIRE(s.result.runs.size() == 2u);  // what is packed meanwhile is the run's own request
    for (const int i : {0, 1})
      BOOST_TEST(schema::str(request_of(s.result.runs[i].get())->get().getHookName()) == (i == 0 ? "first" : "second"));
  }
}

BOOST_AUTO_TEST_CASE(what_a_script_says_is_said_by_its_daemon) {  // as the transcripts have it
  for (const char* daemon : {"Server@borg", ""}) {
    chain_story s;
    s.says_as = daemon;
    s.hook("a", "1", [](auto, auto reply) {
      auto lines = reply.initLog(2);
      lines[0].setMessage("hello");
      lines[1].setMessage("of a job");
      lines[1].setJob("7.borg");
    });
    s.run();
    BOOST_REQUIRE(s.lines.size() == 2u);
    BOOST_TEST(s.lines[0] == "Hook;" + std::string(*daemon ? daemon : "a") + ";hello");
    BOOST_TEST(s.lines[1] == "Job;7.borg;of a job");
  }
}

BOOST_AUTO_TEST_CASE(a_rejection_stops_the_ones_behind_it) {
  chain_story s;
  s.hook("a", "1", [](auto, auto reply) {
    reply.setVerdict(protocol::Verdict::REJECT);
    reply.setMessage("not today");
  });
  s.hook("b", "2", [](auto, auto) { BOOST_TEST(false, "it is not asked"); });
  s.run();
  BOOST_TEST(s.result.stopped);
  BOOST_TEST(s.result.why.code == 15169u);
  BOOST_TEST(s.result.why.text == "not today");
  BOOST_REQUIRE(s.lines.size() == 2u);
  BOOST_TEST(s.lines[0] == "Hook;a;queuejob request rejected by 'a'");
  BOOST_TEST(s.lines[1] == "Hook;a;not today");
}

BOOST_AUTO_TEST_CASE(what_a_hook_says_is_logged_when_it_says_it_and_once) {
  const auto fill = [](protocol::LogLine::Builder line, const char* text) {
    line.setLevel(6);
    line.setMessage(text);
  };
  chain_story s;
  for (const std::string name : {"a", "b"}) {
    s.hook(name, name == "a" ? "1" : "2", [](auto, auto) {});
    s.runner.when_asking(name, [&, name](const hook_run& order, protocol::Reply::Builder reply) {
      order.said(schema::make<protocol::LogLine>([&](protocol::LogLine::Builder line) { fill(line, "begins"); }).get());
      BOOST_TEST(s.lines.back() == "Hook;" + name + ";begins");
      auto log = reply.initLog(2);
      fill(log[0], "begins");
      fill(log[1], "what was not heard");
    });
  }
  s.run();
  const std::vector<std::string> all{"Hook;a;begins", "Hook;a;what was not heard", "Hook;b;begins", "Hook;b;what was not heard"};
  BOOST_TEST(s.lines == all, boost::test_tools::per_element());
}

// So that it can be tried again.
BOOST_AUTO_TEST_CASE(a_run_that_asked_is_recorded_with_the_position_of_its_answers) {
  chain_story s;
  s.at.sequence = 7;
  s.at.ask_of_run = [](const sealed_question&, const hook_run::answer_to& answer, const occasion::answered_at& at) {
    *at = 40;
    answer({});
  };
  for (const char* name : {"asks", "silent"}) s.hook(name, "1", [](auto, auto) {});
  s.runner.when_asking("asks", [](const hook_run& order, protocol::Reply::Builder) {
    const auto question = schema::make<protocol::Question>([](protocol::Question::Builder q) { q.setNames(protocol::ObjectKind::JOB); });
    order.ask(question, [](const sealed_answer&) {});
  });
  s.run();
  BOOST_REQUIRE(s.result.runs.size() == 2u);
  BOOST_TEST(request_of(s.result.runs[0].get())->get().getSequence() == 40u);
  BOOST_TEST(request_of(s.result.runs[1].get())->get().getSequence() == 7u);
}

BOOST_AUTO_TEST_CASE(a_late_question_of_a_run_that_ended_does_not_change_the_position_of_the_next) {
  chain_story s;
  s.at.sequence = 7;
  s.at.ask_of_run = [](const sealed_question&, const hook_run::answer_to&, const occasion::answered_at& at) { *at = 40; };
  for (const char* name : {"killed", "next"}) s.hook(name, "1", [](auto, auto) {});
  hook_run::asker asker_of_first;
  s.runner.when_asking("killed", [&](const hook_run& order, protocol::Reply::Builder) { asker_of_first = order.ask; });
  s.runner.when_asking("next", [&](const hook_run&, protocol::Reply::Builder) { asker_of_first({}, {}); });
  s.run();
  BOOST_REQUIRE(s.result.runs.size() == 2u);
  BOOST_TEST(request_of(s.result.runs[1].get())->get().getSequence() == 7u);
}

BOOST_AUTO_TEST_CASE(a_rejection_on_a_host_stands_in_the_log_of_a_mom_as_it_is_installed) {  // as a PBS was seen to do it
  for (const auto& [event, level] : {std::pair{"execjob_launch", 0x100u}, {"queuejob", 0x400u}}) {
    chain_story s(event);
    s.hook("a", "1", [](auto, auto reply) { reply.setVerdict(protocol::Verdict::REJECT); });
    s.run();
    BOOST_REQUIRE(s.lines.size() == 1u);
    BOOST_TEST(s.lines[0] == "Hook;a;" + std::string(event) + " request rejected by 'a'");
    BOOST_TEST(s.levels[0] == level);
  }
}

BOOST_AUTO_TEST_CASE(an_exception_and_an_alarm_have_pbs_words) {  // golden: hooks.txt
  for (const auto& [verdict, text] :
       {std::pair{protocol::Verdict::ERROR, "encountered an exception"}, {protocol::Verdict::ALARM, "got an alarm call"}}) {
    chain_story s;
    s.hook("h1", "1", [v = verdict](auto, auto reply) {
      reply.setVerdict(v);
      set(reply, "project", "half done");
    });
    s.run();
    BOOST_TEST(s.result.why.code == 15136u);
    BOOST_TEST(s.result.why.text == std::string("request rejected as filter hook 'h1' ") + text + ". Please inform Admin");
    BOOST_TEST(s.job("project") == "(unset)");
    BOOST_TEST(s.result.failed.size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(what_may_not_be_set_is_not_taken_whatever_the_worker_says) {
  for (const char* attribute : {"ctime", "no_such_attribute", ""}) {
    chain_story s;
    s.hook("h1", "1", [&](auto, auto reply) { set(reply, attribute, "0"); });
    s.run();
    BOOST_TEST(s.job(attribute) == "(unset)");
    BOOST_TEST(s.result.changes.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_vnode_that_was_not_shown_is_changed_in_the_server_and_made_at_a_start) {
  struct {
    const char* event;
    std::size_t changes, shown;
  } const each[] = {
      {"execjob_begin", 0, 1}, {"periodic", 1, 1}, {"exechost_startup", 1, 2}};
  for (const auto& e : each) {
    chain_story s(e.event);
    s.at.parameters = {{"vnode_list", std::vector<hook_object>{{protocol::ObjectKind::VNODE, "a", {}}}}};
    s.hook("h1", "1", [](auto, auto reply) { set_vnode(reply, "b"); });
    s.run();
    BOOST_TEST(s.result.changes.size() == e.changes, e.event);
    BOOST_TEST(std::get<std::vector<hook_object>>(s.result.parameters[0].value).size() == e.shown, e.event);
  }
}

BOOST_AUTO_TEST_CASE(a_runjob_hook_changes_the_job_only_when_it_rejects) {
  for (const auto verdict : {protocol::Verdict::ACCEPT, protocol::Verdict::REJECT}) {
    chain_story s("runjob");
    s.hook("h1", "1", [&](auto, auto reply) {
      reply.setVerdict(verdict);
      set(reply, "project", "physics");
    });
    s.run();
    BOOST_TEST((s.job("project") == "physics") == (verdict == protocol::Verdict::REJECT));
  }
}

BOOST_AUTO_TEST_CASE(an_event_that_only_looks_on_is_stopped_by_nobody) {
  chain_story s("execjob_end");
  int asked = 0;
  s.hook("a", "1", [&](auto, auto reply) {
    ++asked;
    reply.setVerdict(protocol::Verdict::ERROR);
  });
  s.hook("b", "2", [&](auto, auto) { ++asked; });
  s.run();
  BOOST_TEST(!s.result.stopped);
  BOOST_TEST(asked == 2);
}

BOOST_AUTO_TEST_CASE(no_hook_is_no_wait) {
  chain_story s;
  s.run();
  BOOST_TEST(s.done == 1);
  BOOST_TEST(s.runner.runs() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
