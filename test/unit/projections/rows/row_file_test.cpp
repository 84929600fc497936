// Rows are what was put, wherever they are and whoever reads them; room on the disk is given back, and a disk that is full loses none.
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "projections/rows/row_file.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using projections::row_file;

namespace {

// Files of this process may not grow above this size.
class small_files {
 public:
  explicit small_files(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit small{bytes, before_.rlim_max};
    BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  }
  ~small_files() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_in_a_file)

BOOST_AUTO_TEST_CASE(rows_are_what_was_put_in_memory_and_on_disk) {
  for (const bool on_disk : {false, true}) {
    test::temporary_directory dir;
    row_file rows;
    if (on_disk) BOOST_REQUIRE(rows.use_directory(dir.path) == "");
    std::map<std::uint64_t, std::string> expected;
    std::mt19937 random(3);
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t key = random() % 200;
      if (random() % 3 == 0) {
        rows.take(key);
        expected.erase(key);
      } else {
        std::string row(random() % 20'000, static_cast<char>('a' + random() % 26));
        rows.put(key, row);
        expected[key] = row;
      }
      BOOST_REQUIRE(rows.size() == expected.size());
    }
    for (std::uint64_t key = 0; key < 200; ++key) {
      BOOST_TEST(rows.contains(key) == expected.contains(key));
      const auto row = rows.get(key);
      BOOST_REQUIRE(row.has_value() == expected.contains(key));
      if (row) BOOST_REQUIRE(*row == expected.at(key));
    }
    auto at = rows.begin();
    for (const auto& [key, row] : expected) {
      BOOST_REQUIRE(at);
      BOOST_REQUIRE(at.key() == key);
      at.next();
    }
    BOOST_TEST(!at);
    std::map<std::uint64_t, std::string> visited;
    rows.each([&](std::uint64_t key, std::string row) {
      BOOST_TEST(visited.emplace(key, std::move(row)).second);
    });
    BOOST_TEST((visited == expected));
    BOOST_TEST(std::filesystem::is_empty(dir.path));  // no name is left behind
  }
}

BOOST_AUTO_TEST_CASE(room_of_rows_that_are_gone_is_given_back) {
  test::temporary_directory dir;
  row_file rows;
  BOOST_REQUIRE(rows.use_directory(dir.path) == "");
  const std::string row(10'000, 'r');
  for (std::uint64_t key = 0; key < 3000; ++key) {
    rows.put(key, row);
    if (key >= 100) BOOST_REQUIRE(rows.take(key - 100) == row);
  }
  BOOST_TEST(rows.size() == 100u);
  BOOST_TEST(rows.bytes_on_disk() < 4u << 20);  // of 30 MB that were written
  for (std::uint64_t key = 2900; key < 3000; ++key) BOOST_REQUIRE(rows.get(key) == row);
}

BOOST_AUTO_TEST_CASE(rows_that_can_not_be_written_stay_in_memory) {
  test::temporary_directory dir;
  row_file rows;
  BOOST_REQUIRE(rows.use_directory(dir.path) == "");
  const std::string row(1000, 'r');
  {
    const small_files limit(10'500);  // the eleventh is cut in the middle
    for (std::uint64_t key = 0; key < 30; ++key) rows.put(key, row + std::to_string(key));
  }
  for (std::uint64_t key = 30; key < 60; ++key) rows.put(key, row + std::to_string(key));
  for (std::uint64_t key = 0; key < 60; ++key) BOOST_TEST(*rows.get(key) == row + std::to_string(key));
  for (std::uint64_t key = 0; key < 60; ++key) BOOST_TEST(*rows.take(key) == row + std::to_string(key));
  BOOST_TEST(rows.size() == 0u);
}

BOOST_AUTO_TEST_CASE(without_a_directory_it_says_why_and_goes_on_in_memory) {
  test::temporary_directory dir;
  row_file rows;
  const auto why = rows.use_directory(dir.path + "/none");
  BOOST_TEST(why.starts_with("a temporary file in " + dir.path + "/none: "));
  rows.put(1, "row");
  BOOST_TEST(*rows.get(1) == "row");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

std::string bytes_of(const row_file& rows) {
  stored::writer to;
  to(rows);
  return to.take();
}

std::string row_of(std::uint64_t key) { return std::string(100 + key * 37 % 9000, static_cast<char>('a' + key % 26)); }

// The maker of checkpoints, round after round, each a process of its own.
struct maker {
  test::temporary_directory dir;
  std::string path = dir.at("rows");
  std::vector<std::string> checkpoints;

  // Goes on from a checkpoint, or begins if it is the first one.
  row_file begin_round() const { return checkpoints.empty() ? first_round() : round_from(checkpoints.back()); }
  row_file first_round() const {
    row_file rows;
    BOOST_REQUIRE(rows.keep_in(path) == "");
    return rows;
  }
  row_file round_from(const std::string& checkpoint) const {
    row_file rows;
    stored::restore_whole(checkpoint, rows);
    rows.go_on_in(path);
    return rows;
  }
  void end_round(const row_file& rows) {
    BOOST_REQUIRE(rows.sync() == "");
    checkpoints.push_back(bytes_of(rows));
  }
  void round(std::uint64_t first, std::uint64_t last, std::uint64_t forgotten = 0) {
    auto rows = begin_round();
    for (auto key = first; key <= last; ++key) rows.put(key, row_of(key));
    while (rows.begin() && rows.begin().key() <= forgotten) {
      const auto key = rows.begin().key();
      BOOST_REQUIRE(rows.take(key) == row_of(key));
    }
    end_round(rows);
  }
  // A server that begins with a checkpoint.
  row_file server(const std::string& checkpoint) const {
    row_file rows;
    stored::restore_whole(checkpoint, rows);
    rows.read_from(path);
    BOOST_REQUIRE(rows.use_directory(dir.path) == "");
    return rows;
  }
  std::string unusable(const std::string& checkpoint) const {
    row_file rows;
    stored::restore_whole(checkpoint, rows);
    const auto refused = [&](auto open) {
      try {
        open();
        return std::string();
      } catch (const stored::state_unreadable& e) {
        return std::string(e.what());
      }
    };
    const auto why = refused([&] { rows.read_from(path); });
    BOOST_TEST(refused([&] { rows.go_on_in(path); }) == why);
    return why;
  }
  void overwrite(std::uint64_t at, const std::string& bytes) const {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
    BOOST_REQUIRE(file.flush());
  }
};

void check_rows(const row_file& rows, std::uint64_t first, std::uint64_t last) {
  BOOST_TEST(rows.size() == last + 1 - first);
  for (auto key = first; key <= last; ++key) BOOST_REQUIRE(rows.get(key) == row_of(key));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_that_are_kept)

BOOST_AUTO_TEST_CASE(a_next_round_has_the_rows_of_the_last_and_adds_to_them) {
  maker m;
  m.round(1, 500);
  m.round(501, 800, 100);
  m.round(801, 900, 200);
  check_rows(m.begin_round(), 201, 900);
  maker at_once;  // but for what the file is called by, the checkpoint is the one of a maker that did it all in one round
  auto rows = at_once.first_round();
  for (std::uint64_t key = 1; key <= 900; ++key) rows.put(key, row_of(key));
  for (std::uint64_t key = 1; key <= 200; ++key) rows.take(key);
  constexpr std::size_t of_its_own = 1 + 16;
  BOOST_TEST(bytes_of(rows).substr(of_its_own) == m.checkpoints.back().substr(of_its_own));
}

BOOST_AUTO_TEST_CASE(a_server_reads_them_and_puts_its_own_elsewhere) {
  maker m;
  m.round(1, 300);
  const auto before = std::filesystem::file_size(m.path);
  auto server = m.server(m.checkpoints.back());
  for (std::uint64_t key = 301; key <= 600; ++key) server.put(key, row_of(key));
  check_rows(server, 1, 600);
  for (std::uint64_t key = 1; key <= 250; ++key) BOOST_REQUIRE(server.take(key) == row_of(key));
  server.put(1, row_of(1));  // it came back, and has ended again
  BOOST_REQUIRE(server.take(1) == row_of(1));
  for (std::uint64_t key = 301; key <= 400; ++key) BOOST_REQUIRE(server.take(key) == row_of(key));
  BOOST_TEST(server.size() == 250u);
  BOOST_TEST(std::filesystem::file_size(m.path) == before);
  BOOST_TEST(bytes_of(m.begin_round()) == m.checkpoints.back());
  m.round(301, 900, 250);  // the maker goes on beside it
  for (std::uint64_t key = 251; key <= 300; ++key) BOOST_REQUIRE(server.get(key) == row_of(key));
  for (std::uint64_t key = 401; key <= 600; ++key) BOOST_REQUIRE(server.get(key) == row_of(key));
}

BOOST_AUTO_TEST_CASE(a_server_that_can_not_have_a_file_of_its_own_goes_on_in_memory) {
  maker m;
  m.round(1, 10);
  row_file rows;
  stored::restore_whole(m.checkpoints.back(), rows);
  rows.read_from(m.path);
  BOOST_TEST(rows.use_directory(m.dir.at("none")) != "");
  rows.put(11, row_of(11));
  check_rows(rows, 1, 11);
}

BOOST_AUTO_TEST_CASE(a_round_that_died_leaves_nothing_that_counts) {
  maker m;
  m.round(1, 500);
  {
    auto died = m.begin_round();
    for (std::uint64_t key = 501; key <= 1500; ++key) died.put(key, row_of(key));
    for (std::uint64_t key = 1; key <= 1400; ++key) died.take(key);
  }
  check_rows(m.begin_round(), 1, 500);
  m.round(501, 600);
  check_rows(m.begin_round(), 1, 600);
  maker other;
  other.round(1, 500);
  other.round(501, 600);
  constexpr std::size_t of_its_own = 1 + 16;
  BOOST_TEST(m.checkpoints.back().substr(of_its_own) == other.checkpoints.back().substr(of_its_own));
}

BOOST_AUTO_TEST_CASE(a_round_that_begins_with_an_older_checkpoint_disturbs_no_server_that_began_with_a_later_one) {
  maker m;
  m.round(1, 100);
  m.round(101, 700);
  const auto server = m.server(m.checkpoints.back());
  m.checkpoints.pop_back();  // it was damaged
  auto again = m.begin_round();
  check_rows(server, 1, 700);
  for (std::uint64_t key = 101; key <= 700; ++key) {
    again.put(key, row_of(key));
    BOOST_REQUIRE(server.get(700) == row_of(700));
  }
  check_rows(server, 1, 700);
}

BOOST_AUTO_TEST_CASE(a_file_that_does_not_fit_its_checkpoint_is_refused) {
  maker m, other;
  m.round(1, 100);
  other.round(1, 100);
  const auto& last = m.checkpoints.back();
  BOOST_TEST(m.unusable(other.checkpoints.back()) == "rows of jobs: " + m.path + ": it is not the file of the checkpoint");
  std::filesystem::resize_file(m.path, std::filesystem::file_size(m.path) - 1);
  BOOST_TEST(m.unusable(last) == "rows of jobs: " + m.path + ": it is shorter than the checkpoint says");
  std::filesystem::remove(m.path);
  BOOST_TEST(m.unusable(last) == "rows of jobs: " + m.path + ": No such file or directory");
  row_file in_memory;
  in_memory.put(1, "row");
  BOOST_TEST(m.unusable(bytes_of(in_memory)) == "rows of jobs: " + m.path + ": the checkpoint has no rows in a file");
}

BOOST_AUTO_TEST_CASE(a_file_begun_anew_is_another_one_and_who_reads_the_old_one_goes_on) {
  maker m;
  m.round(1, 100);
  const auto before = m.checkpoints.back();
  const auto server = m.server(before);
  const auto anew = m.first_round();
  check_rows(server, 1, 100);
  BOOST_TEST(m.unusable(before) == "rows of jobs: " + m.path + ": it is shorter than the checkpoint says");
}

BOOST_AUTO_TEST_CASE(a_row_that_is_damaged_is_told_and_the_others_are_read) {
  maker m;
  m.round(1, 3);
  const std::uint64_t second_row = 24 + 16 + row_of(1).size();
  const auto why = [&] {
    const auto rows = m.server(m.checkpoints.back());
    BOOST_TEST(*rows.get(1) == row_of(1));
    BOOST_TEST(*rows.get(3) == row_of(3));
    try {
      rows.get(2);
      return std::string();
    } catch (const projections::row_unreadable& e) {
      return std::string(e.what());
    }
  };
  const auto told = m.path + " can't be read: the row at byte " + std::to_string(second_row) + " is damaged";
  std::ifstream file(m.path, std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(file)), {});
  // Of its checksum, its size, its key and itself.
  for (const std::uint64_t byte : {0, 4, 7, 8, 15, 16, 100}) {
    const auto at = second_row + byte;
    m.overwrite(at, std::string(1, static_cast<char>(sound[at] ^ 0x80)));
    BOOST_TEST(why() == told, "byte " << byte);
    m.overwrite(at, sound.substr(at, 1));
  }
  BOOST_TEST(why() == "");
}

BOOST_AUTO_TEST_CASE(a_row_that_the_disk_did_not_take_is_in_the_checkpoint) {
  maker m;
  {
    auto rows = m.begin_round();
    rows.put(1, row_of(1));
    {
      const small_files limit(2000);
      rows.put(100, row_of(100));
    }
    rows.put(2, row_of(2));
    m.end_round(rows);
  }
  for (const auto& rows : {m.begin_round(), m.server(m.checkpoints.back())})
    for (const std::uint64_t key : {1, 2, 100}) BOOST_TEST(*rows.get(key) == row_of(key));
}

BOOST_AUTO_TEST_CASE(without_a_directory_a_file_to_keep_is_refused) {
  test::temporary_directory dir;
  row_file rows;
  BOOST_TEST(rows.keep_in(dir.at("none/rows")) == dir.at("none/rows") + ": No such file or directory");
  rows.put(1, "row");
  BOOST_TEST(*rows.get(1) == "row");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// Rows of 10,000 bytes: 105 of them fill a megabyte.
const std::string large_row(10'000 - 16, 'r');

struct large_rows : maker {
  std::uint64_t next = 0, first = 0;
  void round(std::uint64_t more, std::uint64_t forgotten) {
    auto rows = begin_round();
    for (const auto last = next + more; next < last; ++next) rows.put(next, large_row);
    for (const auto last = first + forgotten; first < last; ++first) BOOST_REQUIRE(rows.take(first));
    end_round(rows);
  }
  std::uint64_t megabytes() const {
    struct stat is {};
    BOOST_REQUIRE(::stat(path.c_str(), &is) == 0);
    return static_cast<std::uint64_t>(is.st_blocks) * 512 >> 20;
  }
  bool is_whole(const std::string& checkpoint) const {
    const auto rows = server(checkpoint);
    try {
      for (auto at = rows.begin(); at; at.next()) (void)rows.get(at.key());
      return true;
    } catch (const projections::row_unreadable&) {
      return false;
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(room_of_rows_that_are_kept)

BOOST_AUTO_TEST_CASE(is_given_back_when_the_last_two_checkpoints_do_without_the_rows) {
  large_rows m;
  m.round(2000, 0);
  BOOST_TEST(m.megabytes() >= 19u);
  m.round(0, 1000);
  BOOST_TEST(m.is_whole(m.checkpoints[0]));
  m.round(0, 0);
  BOOST_TEST(m.is_whole(m.checkpoints[0]));
  BOOST_TEST(m.megabytes() >= 19u);
  m.round(0, 0);
  BOOST_TEST(m.megabytes() < 12u);
  BOOST_TEST(!m.is_whole(m.checkpoints[0]));
  for (const std::size_t c : {1, 2, 3}) BOOST_TEST(m.is_whole(m.checkpoints[c]));
}

BOOST_AUTO_TEST_CASE(is_given_back_at_once_if_no_checkpoint_names_the_rows) {
  large_rows m;
  m.round(500, 0);
  {
    auto rows = m.begin_round();
    for (std::uint64_t key = 500; key < 3000; ++key) {
      rows.put(key, large_row);
      if (key >= 600) rows.take(key - 100);
    }
    m.end_round(rows);
  }
  BOOST_TEST(m.megabytes() < 8u);
  for (const auto& c : m.checkpoints) BOOST_TEST(m.is_whole(c));
}

BOOST_AUTO_TEST_CASE(is_given_back_once_more_by_a_round_that_follows_one_that_died) {
  large_rows m;
  m.round(2000, 0);
  m.round(0, 1000);
  m.round(0, 0);
  const auto died = m.begin_round();
  m.round(0, 0);
  BOOST_TEST(m.megabytes() < 12u);
  BOOST_TEST(m.is_whole(m.checkpoints.back()));
}

BOOST_AUTO_TEST_CASE(does_not_grow_while_as_many_rows_come_as_go) {
  large_rows m;
  m.round(500, 0);
  for (int i = 0; i < 8; ++i) m.round(500, 500);
  BOOST_TEST(m.megabytes() < 22u);  // 5 MB that live, and as much of each of three rounds
  BOOST_TEST(std::filesystem::file_size(m.path) > 40'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()
