#include "events/log/log_mark.hpp"

#include <fstream>

#include "events/log/memory_event_store.hpp"
#include "events/values/job_id.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

log_mark some_mark() {
  log_mark m{std::string("0123456789\0bcdef", 16), 5600, {}, 812, 4711};
  m.head[0] = std::byte{0xab};
  m.head[31] = std::byte{1};
  return m;
}

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

struct in_directory {
  test::temporary_directory directory;
  std::string file = directory.path + "/log.mark";
};

}  // namespace

BOOST_AUTO_TEST_SUITE(log_marks)

BOOST_AUTO_TEST_CASE(a_mark_is_read_as_it_was_printed) {
  const auto m = some_mark();
  BOOST_CHECK(parse_log_mark(print(m)) == m);
  BOOST_CHECK(parse_log_mark(print(log_mark{std::string(16, 'x'), 0, {}, 0, 0})).has_value());
}

BOOST_AUTO_TEST_CASE(a_mark_that_is_cut_off_anywhere_is_none) {
  const auto line = print(some_mark());
  for (std::size_t n = 0; n < line.size(); ++n) BOOST_TEST(!parse_log_mark(line.substr(0, n)), n);
  BOOST_TEST(!parse_log_mark(line + "\n"));
}

BOOST_AUTO_TEST_CASE(a_mark_with_any_changed_byte_is_none) {
  const auto line = print(some_mark());
  for (std::size_t n = 0; n < line.size(); ++n) {
    auto changed = line;
    changed[n] = static_cast<char>(changed[n] ^ 1);
    BOOST_TEST(!parse_log_mark(changed), n);
  }
}

BOOST_AUTO_TEST_CASE(a_mark_goes_on_with_the_job_number_that_a_salvage_says) {
  memory_event_store store;
  set_clock clock;
  event_log log(store, clock);
  append a;
  a.events.push_back(model::make_event([](schema::Event::Builder e) { e.initLog().initSalvaged().setNextJobNumber(4711); }));
  BOOST_REQUIRE(std::holds_alternative<staged>(log.stage(std::move(a))));
  std::vector<record_ptr> committed;
  BOOST_REQUIRE(log.commit(committed));
  log_mark m{std::string(16, 'x'), 0, {}, 0, 12};
  advance(m, *committed.front());
  BOOST_TEST(m.next_number == 4711u);
  BOOST_TEST(m.sequence == 1u);
}

BOOST_AUTO_TEST_CASE(a_subjob_uses_up_no_job_number) {
  memory_event_store store;
  set_clock clock;
  event_log log(store, clock);
  const auto queued = [](std::uint64_t number) {
    return model::make_event([&](schema::Event::Builder e) { e.initJob().initQueued().setNumber(number); });
  };
  append a;
  a.events.push_back(queued(12));
  a.born.push_back(queued(values::subjob_number(12, 3)));
  BOOST_REQUIRE(std::holds_alternative<staged>(log.stage(std::move(a))));
  std::vector<record_ptr> committed;
  BOOST_REQUIRE(log.commit(committed));
  log_mark m{std::string(16, 'x'), 0, {}, 0, 0};
  for (const auto& r : committed) advance(m, *r);
  BOOST_TEST(m.next_number == 13u);
  BOOST_TEST(m.last_stream == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_file_is_replaced_as_a_whole_and_read_back, in_directory) {
  put(file, "something older and longer than a mark");
  replace_file(file, print(some_mark()));
  const auto read = read_mark_file(file);
  BOOST_REQUIRE(std::holds_alternative<log_mark>(read));
  BOOST_CHECK(std::get<log_mark>(read) == some_mark());
  BOOST_TEST(!std::filesystem::exists(file + ".new"));
}

BOOST_FIXTURE_TEST_CASE(a_mark_knows_its_own_file_from_a_copy_of_it, in_directory) {
  namespace fs = std::filesystem;
  BOOST_TEST(!is_copied_mark_file(file));  // there is none
  for (int i = 0; i < 3; ++i) {
    keep_mark_file(file, some_mark(), false);
    BOOST_TEST(!is_copied_mark_file(file));
    BOOST_CHECK(std::get<log_mark>(read_mark_file(file)) == some_mark());
  }
  const auto backup = directory.path + "/backup";
  fs::copy_file(file, backup);
  fs::permissions(file, fs::perms::owner_read);  // and what else may be done to it where it is
  fs::rename(file, file + ".moved");
  fs::rename(file + ".moved", file);
  BOOST_TEST(!is_copied_mark_file(file));
  BOOST_TEST(is_copied_mark_file(backup));
  BOOST_CHECK(std::get<log_mark>(read_mark_file(backup)) == some_mark());
  auto newer = some_mark();
  newer.sequence += 1;
  keep_mark_file(file, newer, false);
  std::ofstream(file, std::ios::binary) << std::ifstream(backup, std::ios::binary).rdbuf();  // into the file that is there
  BOOST_TEST(is_copied_mark_file(file));
  fs::remove(file);
  fs::rename(backup, file);
  BOOST_TEST(is_copied_mark_file(file));
  keep_mark_file(file, some_mark(), false);
  BOOST_TEST(!is_copied_mark_file(file));
}

BOOST_FIXTURE_TEST_CASE(a_doubted_mark_and_one_of_an_older_release, in_directory) {
  keep_mark_file(file, some_mark(), true);
  BOOST_TEST(is_copied_mark_file(file));
  BOOST_CHECK(std::get<log_mark>(read_mark_file(file)) == some_mark());
  replace_file(file, print(some_mark()));  // it said nothing of its file
  BOOST_TEST(!is_copied_mark_file(file));
}

BOOST_FIXTURE_TEST_CASE(a_file_that_can_not_be_replaced_stays_as_it_was, in_directory) {
  replace_file(file, print(some_mark()));
  std::filesystem::create_directory(file + ".new");  // the temporary file can't be made
  BOOST_CHECK_THROW(replace_file(file, "another"), std::runtime_error);
  BOOST_CHECK(std::holds_alternative<log_mark>(read_mark_file(file)));
}

BOOST_FIXTURE_TEST_CASE(no_file_a_torn_one_and_a_foreign_one_are_told_apart_from_a_mark, in_directory) {
  BOOST_CHECK(std::holds_alternative<no_mark>(read_mark_file(file)));
  for (const auto& text : {std::string(), print(some_mark()).substr(0, 60), std::string("annals-log 2 x\n"), std::string(100'000, 'a')}) {
    put(file, text);
    const auto read = read_mark_file(file);
    BOOST_REQUIRE(std::holds_alternative<bad_mark>(read));
    BOOST_TEST(std::get<bad_mark>(read).why.find(file) == 0u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
