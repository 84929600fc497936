// Output of subjobs becomes records of one file, or files of their own where that can't be.
#include "events/values/output_index.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "host_fixture.hpp"

using namespace annals;
using test::host_fixture;
using test::read_whole;
using values::output_record;

namespace {

struct indexed_delivery_fixture : host_fixture {
  static std::string job(unsigned n) { return "12[" + std::to_string(n) + "].b"; }
  static values::run_key key(unsigned n) { return {job(n), 1}; }
  std::string file() const { return work() + "/arr.o12.here"; }
  std::string index() const { return file() + ".index"; }
  std::string own(unsigned n, char letter = 'o') const { return work() + "/arr." + letter + "12." + std::to_string(n); }

  ports::delivery output(unsigned n, char letter, const std::string& text) const {
    const std::string from = home() + "/spool/" + job(n) + (letter == 'o' ? ".OU" : ".ER");
    test::write_whole(from, text, 0640);
    return {from, "here", own(n, letter), true, ports::shared_output{work() + "/arr.o12", "12[].b.OU", "here", {12, n, 1, letter}}};
  }
  void deliver(unsigned n, const std::vector<ports::delivery>& files) { host->deliver(key(n), {test::own_user(), files}); }
  ports::delivery_result delivered(unsigned n) {
    return wait(key(n), [](const test::told& t) { return !t.delivered.empty(); }).delivered.back();
  }
  ports::delivery_result bring(unsigned n, const std::string& text) {
    deliver(n, {output(n, 'o', text)});
    return delivered(n);
  }

  // The text of every record that its entry leads to, as it stands in the files.
  struct found {
    output_record record;
    std::string text;
  };
  std::vector<found> records() const {
    std::vector<found> all;
    const std::string entries = read_whole(index()), bytes = read_whole(file());
    BOOST_TEST(entries.size() % values::output_entry_bytes == 0u);
    for (std::size_t at = 0; at + values::output_entry_bytes <= entries.size(); at += values::output_entry_bytes) {
      const auto r = values::parse_output_entry(std::string_view(entries).substr(at, values::output_entry_bytes));
      if (!r || r->offset > bytes.size()) continue;
      const auto line = values::output_headline(*r);
      const auto there = std::string_view(bytes).substr(r->offset);
      if (there.starts_with(line)) all.push_back({*r, std::string(there.substr(line.size(), r->length))});
    }
    return all;
  }
  static std::string text_in(const std::vector<found>& all, unsigned n, char letter = 'o') {
    std::string text = "none";
    for (const auto& f : all)
      if (f.record.index == n && f.record.stream == letter) text = f.text;
    return text;
  }
  std::string text_of(unsigned n, char letter = 'o') const { return text_in(records(), n, letter); }
};

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(indexed_deliveries, indexed_delivery_fixture)

BOOST_AUTO_TEST_CASE(both_streams_of_a_subjob_become_records) {
  deliver(3, {output(3, 'o', "out\n"), output(3, 'e', "")});
  const auto result = delivered(3);
  BOOST_TEST(result.ok, result.text);
  BOOST_TEST(result.delivered == 2u);
  BOOST_TEST(text_of(3) == "out\n");
  BOOST_TEST(text_of(3, 'e') == "");
  BOOST_TEST(read_whole(file()) == "==> 12[3] run 1 o 4 <==\nout\n\n==> 12[3] run 1 e 0 <==\n\n");
  BOOST_TEST(!is_there(home() + "/spool/" + job(3) + ".OU"));
  BOOST_TEST(!is_there(own(3)));
  struct stat st {};
  for (const auto& path : {file(), index()}) {
    BOOST_TEST(stat(path.c_str(), &st) == 0);
    BOOST_TEST((st.st_mode & 07777) == 0640u);
  }
}

BOOST_AUTO_TEST_CASE(many_subjobs_at_once_write_whole_records) {
  constexpr unsigned subjobs = 40;
  const auto text = [](unsigned n) {
    return std::string(n * 10'000, static_cast<char>('a' + n % 26));
  };  // some too large for a shared process
  for (unsigned n = 1; n <= subjobs; ++n) deliver(n, {output(n, 'o', text(n)), output(n, 'e', "error " + std::to_string(n))});
  for (unsigned n = 1; n <= subjobs; ++n) BOOST_TEST(delivered(n).ok);
  const auto all = records();
  BOOST_TEST(all.size() == 2 * subjobs);
  for (unsigned n = 1; n <= subjobs; ++n) {
    BOOST_TEST((text_in(all, n) == text(n)), n);
    BOOST_TEST(text_in(all, n, 'e') == "error " + std::to_string(n));
  }
}

BOOST_AUTO_TEST_CASE(what_a_crash_left_half_harms_nothing_that_comes_behind_it) {
  BOOST_TEST(bring(1, "one").ok);
  const std::string sound = read_whole(file()), entry = read_whole(index());
  test::write_whole(file(), sound + "==> 12[2] run 1 o 100 <==\nhal", 0640);
  test::write_whole(index(), entry + "000000000012 0000", 0640);
  BOOST_TEST(bring(3, "three").ok);
  BOOST_TEST(text_of(1) == "one");
  BOOST_TEST(text_of(2) == "none");
  BOOST_TEST(text_of(3) == "three");
  BOOST_TEST(read_whole(file()).starts_with(sound));
  BOOST_TEST(read_whole(index()).starts_with(entry));
}

BOOST_AUTO_TEST_CASE(a_repeat_of_a_request_that_had_written_appends_once_more) {
  BOOST_TEST(bring(1, "one").ok);
  crash_mom();
  BOOST_TEST(unlink((home() + "/mom_priv/jobs/" + print(key(1)) + ".copy").c_str()) == 0);  // where it says so
  new_mom();
  BOOST_TEST(bring(1, "one").ok);
  BOOST_TEST(records().size() == 2u);
  BOOST_TEST(text_of(1) == "one");
}

BOOST_AUTO_TEST_CASE(a_directory_gets_a_file_named_after_the_array) {
  BOOST_REQUIRE(mkdir((work() + "/d").c_str(), 0755) == 0);
  auto d = output(1, 'o', "one");
  d.shared->path = work() + "/d";
  deliver(1, {d});
  BOOST_TEST(delivered(1).ok);
  BOOST_TEST(read_whole(work() + "/d/12[].b.OU.here").find("one") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(output_that_cant_be_appended_gets_a_file_of_its_own) {
  test::write_whole(work() + "/mine", "mine");
  BOOST_REQUIRE(symlink((work() + "/mine").c_str(), file().c_str()) == 0);
  const auto result = bring(1, "one");
  BOOST_TEST(result.ok, result.text);
  BOOST_TEST(read_whole(own(1)) == "one");
  BOOST_TEST(read_whole(work() + "/mine") == "mine");
  BOOST_REQUIRE(result.tries.size() == 1u);
  BOOST_TEST(result.tries[0].find("append " + home() + "/spool/12[1].b.OU to " + file() + ": ") != std::string::npos, result.tries[0]);
}

BOOST_AUTO_TEST_CASE(no_entry_is_left_of_output_whose_index_cant_be_written) {
  BOOST_REQUIRE(mkdir(index().c_str(), 0755) == 0);
  BOOST_TEST(bring(1, "one").ok);
  BOOST_TEST(read_whole(own(1)) == "one");
  BOOST_TEST(read_whole(file()) == "");
}

BOOST_AUTO_TEST_CASE(who_else_writes_to_the_file_is_waited_for) {
  test::write_whole(file(), "", 0640);
  const int fd = open(file().c_str(), O_RDWR | O_CLOEXEC);
  BOOST_REQUIRE(flock(fd, LOCK_EX) == 0);
  deliver(1, {output(1, 'o', "one")});
  // The first request, which others may share, gives up; the next one holds a copy file with its process in it.
  test::wait_until([&] { return read_whole(home() + "/mom_priv/jobs/" + print(key(1)) + ".copy").find("pid ") != std::string::npos; },
                   "a request that waits");
  BOOST_TEST(so_far(key(1)).delivered.empty());
  close(fd);
  BOOST_TEST(delivered(1).ok);
  BOOST_TEST(text_of(1) == "one");
  BOOST_TEST(!is_there(own(1)));
}

BOOST_AUTO_TEST_CASE(a_mom_that_dies_meanwhile_loses_no_output) {
  constexpr unsigned subjobs = 20;
  std::vector<std::vector<ports::delivery>> orders;
  for (unsigned n = 1; n <= subjobs; ++n) orders.push_back({output(n, 'o', "of " + std::to_string(n))});
  for (unsigned n = 1; n <= subjobs; ++n) deliver(n, orders[n - 1]);
  restart_mom();
  for (unsigned n = 1; n <= subjobs; ++n) deliver(n, orders[n - 1]);
  for (unsigned n = 1; n <= subjobs; ++n) BOOST_TEST(delivered(n).ok);
  for (unsigned n = 1; n <= subjobs; ++n) BOOST_TEST(text_of(n) == "of " + std::to_string(n));
}

BOOST_AUTO_TEST_SUITE_END()
