// What tasks wrote, piece by piece (docs/design/0022-task-manager.md).
#include "actors/mom/parts/part_output.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "events/model/run/task_limits.hpp"

using namespace annals;

namespace {

struct fake_files final : ports::task_outputs {
  std::map<std::uint32_t, std::array<std::string, 2>> files;  // by task
  std::set<std::uint32_t> removed;
  bool ill = false;
  void listen(std::function<void(const values::task_key&)>) override {}
  void follow(const values::task_key&, const std::string&) override {}
  std::optional<std::string> read(const values::task_key& key, bool errors, std::uint64_t offset, std::size_t most) override {
    if (ill) return std::nullopt;
    const auto& text = files[key.task][errors];
    return offset < text.size() ? text.substr(offset, most) : "";
  }
  void remove(const values::task_key& key) override { removed.insert(key.task); }
};

struct fixture {
  fake_files files;
  std::vector<actors::output_piece> sent;
  std::deque<actors::part_output::work> asked;
  bool slow = false;  // the work waits until it is done by do_one()
  unsigned reconciled = 0;
  actors::part_output output{&files,
                             {.key_of = [](std::uint32_t task) { return values::task_key{{"12.borg", 1}, task}; },
                              .send = [this](const actors::output_piece& p) { sent.push_back(p); },
                              .aside = [this](actors::part_output::work what) {
                                asked.push_back(std::move(what));
                                if (!slow && asked.size() == 1) do_all(); },
                              .reconcile = [this] { ++reconciled; }}};

  void do_one() {
    const auto what = asked.front();
    const auto then = what();
    asked.pop_front();
    if (then) then();
  }
  // As a helper: one after the other, also what is asked for meanwhile.
  void do_all() {
    while (!asked.empty()) do_one();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(output_of_tasks, fixture)

BOOST_AUTO_TEST_CASE(the_next_piece_follows_when_the_last_was_taken) {
  files.files[2][0] = "one";
  output.follow(2, "anna");
  files.files[2][0] += "two";
  output.look(2);
  BOOST_REQUIRE(sent.size() == 1u);
  BOOST_TEST(sent[0].bytes == "one");
  output.taken(2, false, 1);  // of no piece
  BOOST_TEST(sent.size() == 1u);
  output.taken(2, false, 3);
  BOOST_REQUIRE(sent.size() == 2u);
  BOOST_TEST(sent[1].offset == 3u);
  BOOST_TEST(sent[1].bytes == "two");
}

BOOST_AUTO_TEST_CASE(a_piece_that_was_not_taken_comes_again_as_it_was) {
  files.files[2][1] = "error";
  output.follow(2, "anna");
  files.files[2][1] += " and more";
  output.repeat();
  BOOST_REQUIRE(sent.size() == 2u);
  BOOST_TEST(sent[1].errors);
  BOOST_TEST(sent[1].bytes == "error");
}

BOOST_AUTO_TEST_CASE(a_task_is_done_when_all_was_taken_and_then_its_files_go) {
  files.files[2] = {"out", "err"};
  output.follow(2, "anna");
  BOOST_TEST(!output.all_taken(2));
  output.taken(2, false, 3);
  files.files[2][0] += "!";  // the last words
  BOOST_TEST(!output.all_taken());
  output.taken(2, true, 3);
  BOOST_TEST(!output.all_taken());
  BOOST_TEST(files.removed.empty());
  output.taken(2, false, 4);
  BOOST_TEST(output.all_taken());
  BOOST_TEST(files.removed.count(2) == 1u);
}

BOOST_AUTO_TEST_CASE(a_task_is_not_done_while_nobody_can_say_what_it_wrote) {
  files.ill = true;
  files.files[2][0] = "out";
  output.follow(2, "anna");
  BOOST_TEST(!output.all_taken(2));
  BOOST_TEST(files.removed.empty());
  files.ill = false;
  BOOST_TEST(!output.all_taken(2));
  BOOST_REQUIRE(sent.size() == 1u);
  output.taken(2, false, 3);
  BOOST_TEST(output.all_taken(2));
}

BOOST_AUTO_TEST_CASE(nothing_is_known_of_an_ended_task_before_its_files_were_read) {
  using left = actors::part_output::left;
  files.files[2][0] = "out";
  output.follow(2, "anna");
  output.taken(2, false, 3);
  slow = true;
  BOOST_TEST((output.left_of(2) == left::unknown));
  do_one();
  BOOST_TEST((output.left_of(2) == left::unknown));
  BOOST_TEST(reconciled == 0u);
  do_one();
  BOOST_TEST(reconciled == 1u);
  BOOST_TEST((output.left_of(2) == left::nothing));
  BOOST_TEST(!output.all_taken(2));  // they are not removed yet
  do_all();
  BOOST_TEST(files.removed.count(2) == 1u);
  BOOST_TEST(reconciled == 2u);
  BOOST_TEST(output.all_taken(2));
  output.follow(2, "anna");  // told again
  BOOST_TEST(output.all_taken(2));
  BOOST_TEST(asked.empty());
}

BOOST_AUTO_TEST_CASE(what_is_written_while_the_end_is_read_comes_too) {
  output.follow(2, "anna");
  slow = true;
  output.look(2);
  const auto reading = asked.front()();  // it has found nothing
  files.files[2][0] = "late";
  output.look(2);
  asked.pop_front();
  reading();
  do_all();
  BOOST_REQUIRE(sent.size() == 1u);
  BOOST_TEST(sent[0].bytes == "late");
}

BOOST_AUTO_TEST_CASE(one_whose_files_can_not_be_read_is_not_asked_about_at_once_again) {
  files.ill = true;
  output.follow(2, "anna");
  BOOST_TEST((output.left_of(2) == actors::part_output::left::something));
  const auto once = reconciled;
  BOOST_TEST(!output.all_taken(2));
  BOOST_TEST(reconciled == once);
}

BOOST_AUTO_TEST_CASE(large_output_goes_in_pieces) {
  files.files[2][0] = std::string(limits::output_piece_bytes + 1, 'x');
  output.follow(2, "anna");
  BOOST_TEST(sent.back().bytes.size() == limits::output_piece_bytes);
  output.taken(2, false, limits::output_piece_bytes);
  BOOST_TEST(sent.back().bytes == "x");
}

BOOST_AUTO_TEST_CASE(a_piece_is_whole_lines_where_there_are_any) {
  files.files[2][0] = "one\ntwo\nthr";
  output.follow(2, "anna");
  BOOST_TEST(sent.back().bytes == "one\ntwo\n");
  output.taken(2, false, 8);
  BOOST_TEST(sent.back().bytes == "thr");
}

BOOST_AUTO_TEST_CASE(what_nobody_takes_is_dropped) {
  files.files[2][0] = "out";
  output.follow(2, "anna");
  output.drop();
  BOOST_TEST(output.all_taken());
  BOOST_TEST(files.removed.size() == 1u);

  files.files[3][0] = "late";  // of a task whose start was told only then
  output.follow(3, "anna");
  BOOST_TEST(output.all_taken());
  BOOST_TEST(files.removed.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
