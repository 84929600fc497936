// What tasks of a run write, on its way from their hosts (docs/design/0022-task-manager.md).
#include "actors/mom/runs/output_router.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

#include "test/unit/actors/mom/quiet_host.hpp"

using namespace annals;

namespace {

struct appending_host final : test::quiet_host {
  std::string out, errors;
  int appends = 0;
  void append_output(const values::run_key&, bool to_errors, const std::string& bytes) override {
    (to_errors ? errors : out) += bytes;
    ++appends;
  }
};

// A run that has started task 2 on n2.
struct fixture {
  appending_host host;
  model::run_state state;
  std::string told;  // sisters: "n2 taken 2 up to 5, n3 output hello for 7"
  actors::run_context run{.parts = {{}, &host, std::make_shared<mom::mom_settings>()},
                          .self = nullptr,
                          .mom = nullptr,
                          .key = {"12.borg", 1},
                          .state = state,
                          .receive = {},
                          .reconcile = {},
                          .look_again_at = {},
                          .to_server = {},
                          .to_sister = [this](const std::string& to, const schema::sealed<schema::ToSister>& m) { hear(to, m.get()); }};
  actors::output_router output{run};

  fixture() {
    state.phase = model::run_phase::started;
    state.tasks[2].host = "n2";
    state.tasks[2].started = true;
  }
  void hear(const std::string& host_name, schema::ToSister::Reader m) {
    told += (told.empty() ? "" : ", ") + host_name;
    if (m.isOutputTaken())
      told += " taken " + std::to_string(m.getOutputTaken().getTask().getTask()) + " up to " + std::to_string(m.getOutputTaken().getUpTo());
    if (m.isOutput())
      told += " output " + actors::text_of(m.getOutput().getBytes()) + " for " + std::to_string(m.getOutput().getQuestion());
  }
  void comes(std::uint64_t offset, const std::string& bytes, const std::string& from = "n2", bool errors = false) {
    output.on_piece({2, errors, offset, bytes}, from);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(routed_output, fixture)

BOOST_AUTO_TEST_CASE(nobody_has_asked_and_it_goes_to_the_files_of_the_job) {
  comes(0, "hello");
  BOOST_TEST(host.out == "hello");
  BOOST_TEST(told == "");  // it is taken when it is there
  output.on_appended();
  BOOST_TEST(told == "n2 taken 2 up to 5");
  comes(0, "oops", "n2", true);
  BOOST_TEST(host.errors == "oops");
}

BOOST_AUTO_TEST_CASE(pieces_of_several_streams_are_appended_one_after_the_other) {
  comes(0, "out");
  comes(0, "err", "n2", true);
  BOOST_TEST(host.appends == 1);
  output.on_appended();
  BOOST_TEST(host.appends == 2);
  output.on_appended();
  BOOST_TEST(host.out + host.errors == "outerr");
}

BOOST_AUTO_TEST_CASE(a_piece_that_comes_again_while_it_is_written_is_written_once) {
  comes(0, "hello");
  comes(0, "hello");
  output.on_appended();
  output.on_appended();
  BOOST_TEST(host.out == "hello");
}

BOOST_AUTO_TEST_CASE(a_piece_that_was_taken_is_taken_once_more) {
  comes(0, "hello");
  output.on_appended();
  told.clear();
  comes(0, "hello");
  BOOST_TEST(told == "n2 taken 2 up to 5");
  BOOST_TEST(host.out == "hello");
}

BOOST_AUTO_TEST_CASE(of_a_piece_that_was_taken_in_part_the_rest_is_new) {
  comes(0, "hello");
  output.on_appended();
  told.clear();
  comes(0, "hello world");
  output.on_appended();
  BOOST_TEST(host.out == "hello world");
  BOOST_TEST(told == "n2 taken 2 up to 11");
}

BOOST_AUTO_TEST_CASE(who_asked_on_another_host_gets_it_through_that_host) {
  output.give_to({{nullptr, 7}, "n3"}, 2);
  comes(0, "hello");
  BOOST_TEST(told == "n3 output hello for 7");
  BOOST_TEST(host.appends == 0);
  output.on_taken({2, false, 5});
  BOOST_TEST(told == "n3 output hello for 7, n2 taken 2 up to 5");
}

BOOST_AUTO_TEST_CASE(when_who_asked_is_gone_it_goes_to_the_files_of_the_job) {
  output.give_to({{nullptr, 7}, "n3"}, 2);
  output.forget({{nullptr, 8}, "n3"});  // another one
  comes(0, "one");
  BOOST_TEST(host.out == "");
  output.forget({{nullptr, 7}, "n3"});
  comes(0, "one");
  BOOST_TEST(host.out == "one");
}

BOOST_AUTO_TEST_CASE(when_the_host_of_who_asked_is_gone_it_goes_to_the_files_of_the_job) {
  output.give_to({{nullptr, 7}, "n3"}, 2);
  output.forget_askers_of("n3");
  comes(0, "one");
  BOOST_TEST(host.out == "one");
}

BOOST_AUTO_TEST_CASE(when_the_program_has_ended_nobody_waits_for_it_any_more) {
  output.give_to({{nullptr, 7}, "n3"}, 2);
  state.phase = model::run_phase::ended;
  comes(0, "late");
  BOOST_TEST(host.out == "late");
}

BOOST_AUTO_TEST_CASE(a_host_speaks_only_of_its_own_tasks) {
  comes(0, "hello", "n3");
  output.on_piece({3, false, 0, "hello"}, "n2");
  BOOST_TEST(host.appends == 0);
  BOOST_TEST(told == "");
}

BOOST_AUTO_TEST_SUITE_END()
