// What tasks wrote, piece by piece (docs/design/0022-task-manager.md).
#include "actors/mom/parts/part_output.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
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
  actors::part_output output{&files, [](std::uint32_t task) { return values::task_key{{"12.borg", 1}, task}; },
                             [this](const actors::output_piece& p) { sent.push_back(p); }};
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
