// What hooks on the primary have set of resources_used, in the log of the run (RU-04, RU-19 to RU-21).
#include <boost/test/unit_test.hpp>

#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

using changes = std::vector<model::usage_change>;

std::string used_by_host(const run_story& s, const model::run_state::last_usage& last = {}) {
  std::string text;
  for (const auto& h : s.run.usage_by_host({"n1", s.run.usage, 8}, {}, last)) {
    text += (text.empty() ? "" : "; ") + h.host;
    for (const auto& e : h.usage) text += " " + std::string(e.resource) + "=" + std::string(e.value);
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hook_usage)

BOOST_AUTO_TEST_CASE(what_a_hook_has_set_takes_the_place_of_what_is_measured) {  // RU-04, RU-20, RU-21
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(model::hooks_done{{}, {}, {}, {{"cput", "00:00:10"}, {"foo", "9"}}}) == "hookUsed");
  s.when(model::program_began{{1, 1, 1, "/"}});
  BOOST_TEST(s.when(model::hooks_used{{{"foo", "10"}, {"bar", "x"}}}) == "hookUsed");
  BOOST_TEST(s.when(model::hooks_used{{}}) == "");
  BOOST_TEST(s.when(model::hooks_used{{{"bar", "x"}}}) == "");  // no news
  BOOST_TEST(!s.run.closing_hooks_used);
  s.when(model::program_over{{0, {.cpu_seconds = 3, .wall_seconds = 5, .ncpus = 1}}});
  BOOST_TEST(s.when(model::hooks_used{{{"bar"}}, true}) == "hookUsed");
  BOOST_TEST(s.run.closing_hooks_used);
  BOOST_TEST(s.when(model::hooks_used{{{"foo", "17"}}}) == "");  // a periodic hook that began before
  BOOST_TEST(used_by_host(s) == "n1 cpupercent=0 cput=00:00:10 foo=10 mem=0kb ncpus=1 vmem=0kb walltime=00:00:05");
  s.when(model::output_placed{{}});
  BOOST_TEST(s.when(model::hooks_used{{{"foo", "11"}}}) == "");  // its end was told
}

BOOST_AUTO_TEST_CASE(hooks_that_stop_the_start_have_used_nothing) {
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(model::hooks_done{{}, ports::start_failed{-16, "no"}, {}, {{"foo", "9"}}}) == "refused");
  BOOST_TEST(s.when(model::hooks_used{{{"foo", "9"}}}) == "");
}

BOOST_AUTO_TEST_CASE(tasks_beside_the_program_add_nothing_to_what_a_hook_owns) {  // RU-04
  auto s = given_all_started();
  s.when(model::hooks_used{{{"mem", "1kb"}}});
  s.when(model::ask_task{"n1", "n1", 0, {"/bin/date"}, {}});
  s.when(model::sisters_used{{{"n1", model::measured_usage({.cpu_seconds = 2, .mem_kb = 99}), 5}}});
  const auto hosts = s.run.usage_by_host({"n1", model::measured_usage({.cpu_seconds = 1, .mem_kb = 50}), 8}, {});
  BOOST_TEST(*hosts.front().usage.get("mem") == "1kb");
  BOOST_TEST(*hosts.front().usage.get("cput") == "00:00:03");
}

BOOST_AUTO_TEST_CASE(every_host_of_the_run_is_told_of_with_the_last_that_it_said) {  // RU-10, RU-12
  auto s = given_all_started();
  BOOST_TEST(used_by_host(s) == "n1; n2; n3");
  s.when(model::sisters_used{{{"n2", model::measured_usage({.cpu_seconds = 2}), 5}}});
  BOOST_TEST(used_by_host(s) == "n1; n2 cpupercent=0 cput=00:00:02 mem=0kb ncpus=0 vmem=0kb walltime=00:00:00; n3");
  model::usage_set words;
  words.set("foo", "bar");
  const model::host_usage told{"n3", words, 9};
  BOOST_TEST(used_by_host(s, [&](const auto& sister) -> const model::host_usage& { return sister.host == "n3" ? told : sister.usage; }) ==
             "n1; n2 cpupercent=0 cput=00:00:02 mem=0kb ncpus=0 vmem=0kb walltime=00:00:00; n3 foo=bar");
}

BOOST_AUTO_TEST_SUITE_END()
