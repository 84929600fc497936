// The sources of a report: each gives the same report, and each says what is wrong with it.
#include <boost/test/unit_test.hpp>

#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "test/support/skip.hpp"
#include "test/unit/tools/export/postgres_server.hpp"
#include "test/unit/tools/report/random_lives.hpp"
#include "test/unit/tools/report/report_fixture.hpp"
#include "tools/export/postgres_connection.hpp"
#include "tools/report/command_line.hpp"
#include "tools/report/moments.hpp"
#include "tools/report/temporary_tables.hpp"

using namespace annals;
using namespace annals::test;
using namespace annals::reporting;
using exporting::target_trouble;

namespace {

const std::vector<std::string> resources{"naccelerators", "mem"};

std::string json_of(exporting::row_source& source, const period& in = {}) {
  return json_form(make_report({"", in, resources, nullptr}, table_of(source, {dimension::user, dimension::account}, resources, in)));
}

// One file with rows that no cluster has, but a file may.
struct odd_rows {
  temporary_directory files;
  sqlite3* db = nullptr;

  odd_rows() {
    (void)new_tables();
    BOOST_REQUIRE_EQUAL(sqlite3_open(files.at("db").c_str(), &db), SQLITE_OK);
  }
  std::unique_ptr<exporting::target> new_tables() const {
    return exporting::open_sqlite(files.at("db"), exporting::target_place::proper, exports::current_tables(), [](const auto&) {});
  }
  ~odd_rows() { sqlite3_close(db); }
  void add(const std::string& sql) { BOOST_REQUIRE_EQUAL(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK); }
  void add_run(int job, const std::string& walltime_s = "3600") {
    const auto number = std::to_string(job);
    add("insert into runs(job,run,job_id,user_name,outcome,closed_at,used_ncpus,used_walltime_s,used_cput_s) values(" + number + ",1,'" +
        number + "0.borg','alice','ended','2026-11-30T00:00:00.000000Z',2," + walltime_s + ",60)");
  }
  void asks(int job, const std::string& type, const std::string& text) {
    add("insert into run_resources(job,run,list,part,resource,type,text_value) values(" + std::to_string(job) + ",1,'asked',0,'gpus','" +
        type + "','" + text + "')");
  }
  use_table table() const {
    const auto source = exporting::read_sqlite(files.at("db"));
    return table_of(*source, {dimension::user}, {"gpus"});
  }
};

template <class What>
std::string said_by(What&& what) {
  try {
    what();
  } catch (const std::runtime_error& e) { return e.what(); }
  return "";
}

std::variant<asked, int> read_words(std::vector<std::string> words, std::int64_t now_ns = 1'795'222'000'000'000'000) {
  words.insert(words.begin(), "pbs_report");
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  return read_command_line(static_cast<int>(argv.size()), argv.data(), now_ns);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(report_sources, in_utc)

BOOST_AUTO_TEST_CASE(a_log_gives_the_report_of_its_database) {
  const random_lives lives(11, 1500);
  temporary_directory files;
  export_to_file(lives.log.store, files.at("db"));
  const auto source = exporting::read_sqlite(files.at("db"));
  const log::log_reader reader(static_cast<const ports::record_log&>(lives.log.store));
  std::string directory;
  {
    temporary_tables tables;
    BOOST_TEST(tables.fill(reader, [] { return true; }));
    directory = std::filesystem::path(tables.file()).parent_path();
    const auto status = std::filesystem::status(directory);
    BOOST_TEST((status.permissions() == std::filesystem::perms::owner_all));
    const auto of_log = exporting::read_sqlite(tables.file());
    BOOST_TEST(json_of(*of_log) == json_of(*source));
  }
  BOOST_TEST(!std::filesystem::exists(directory));
  temporary_tables stopped;
  BOOST_TEST(!stopped.fill(reader, [] { return false; }));
}

BOOST_AUTO_TEST_CASE(postgresql_gives_the_report_of_sqlite) {
  if (!postgres_server::programs()) return skip("no PostgreSQL server is installed");
  const postgres_server server;
  const random_lives lives(12, 1500);
  temporary_directory files;
  export_to_file(lives.log.store, files.at("db"));
  {
    const auto to = exporting::open_postgres(server.url(), "an\"nals", exporting::target_place::proper, exports::current_tables(),
                                             [](const auto&) {});
    export_to(lives.log.store, *to);
  }
  const auto sqlite = exporting::read_sqlite(files.at("db"));
  const auto postgres = exporting::read_postgres(server.url(), "an\"nals");
  const period second_half{(lives.log.records.front()->get().getWallNs() + lives.log.records.back()->get().getWallNs()) / 2};
  for (const auto& in : {period(), second_half, period{0, second_half.from_ns}}) BOOST_TEST(json_of(*postgres, in) == json_of(*sqlite, in));
  // A caller that wants no more rows is given none, and the source can be used afterwards.
  int runs = 0;
  each_run(*postgres, {}, {}, [&](const counted_run&) { return ++runs < 3; });
  BOOST_TEST(runs == 3);
  BOOST_TEST(json_of(*postgres) == json_of(*sqlite));
  BOOST_TEST(said_by([&] { (void)exporting::read_postgres(server.url(), "other"); }).find("did pbs_export write it?") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_written_meanwhile_is_not_in_it) {
  temporary_directory files;
  const random_lives first(13, 400);
  export_to_file(first.log.store, files.at("db"));
  const auto source = exporting::read_sqlite(files.at("db"));
  const auto before = json_of(*source);
  sqlite3* db = nullptr;
  BOOST_REQUIRE_EQUAL(sqlite3_open(files.at("db").c_str(), &db), SQLITE_OK);
  BOOST_REQUIRE_EQUAL(sqlite3_exec(db, "delete from runs", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  BOOST_TEST(json_of(*source) == before);
  BOOST_TEST(json_of(*exporting::read_sqlite(files.at("db"))) != before);
}

BOOST_AUTO_TEST_CASE(files_that_are_none_are_named) {
  temporary_directory files;
  BOOST_TEST(said_by([&] { (void)exporting::read_sqlite(files.at("no.db")); }).starts_with(files.at("no.db") + ": "));
  BOOST_TEST(!std::filesystem::exists(files.at("no.db")));
  std::ofstream(files.at("letter")) << "dear all, this is no database, however long it may be";
  const auto letter = said_by([&] { (void)exporting::read_sqlite(files.at("letter")); });
  BOOST_TEST(letter.starts_with(files.at("letter") + ": file is not a database"));
  sqlite3* db = nullptr;
  BOOST_REQUIRE_EQUAL(sqlite3_open(files.at("other").c_str(), &db), SQLITE_OK);
  BOOST_REQUIRE_EQUAL(sqlite3_exec(db, "create table t(a)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  BOOST_TEST(said_by([&] { (void)exporting::read_sqlite(files.at("other")); }) ==
             files.at("other") + ": no such table: export_position (did pbs_export write it?)");
}

BOOST_AUTO_TEST_CASE(a_file_that_can_t_have_others_beside_it_is_said_to_need_that) {
  temporary_directory files;
  const random_lives lives(14, 50);
  export_to_file(lives.log.store, files.at("db"));
  std::filesystem::create_directory(files.at("db-wal"));
  BOOST_TEST(said_by([&] { (void)exporting::read_sqlite(files.at("db")); }).find("able to write into its directory") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tables_of_another_version_are_refused) {
  odd_rows rows;
  rows.add("update export_position set schema_version=99");
  BOOST_TEST(said_by([&] { (void)rows.table(); })
                 .starts_with(rows.files.at("db") + ": its tables have version 99, and this program reads version "));
}

BOOST_AUTO_TEST_CASE(a_locked_table_is_told_as_trouble_that_passes) {
  if (!postgres_server::programs()) return skip("no PostgreSQL server is installed");
  const postgres_server server;
  (void)exporting::open_postgres(server.url(), "annals", exporting::target_place::proper, exports::current_tables(), [](const auto&) {});
  exporting::postgres::connection other(server.url(), "other");
  other.run("begin");
  other.run("lock table annals.export_position in access exclusive mode");
  BOOST_TEST(other.read("show lock_timeout")[0][0] == "10s");
  const auto impatient = server.url() + "&options=-c%20lock_timeout%3D50ms";
  BOOST_CHECK_EXCEPTION((void)exporting::read_postgres(impatient, "annals"), target_trouble, [](const target_trouble& e) {
    return e.which() == target_trouble::kind::passing && std::string(e.what()).find("lock timeout") != std::string::npos &&
           std::string(e.what()).find('\n') == std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(floats_count_in_ten_thousandths) {
  odd_rows rows;
  rows.add_run(1);
  rows.asks(1, "float", "0.1");
  rows.add_run(2);
  rows.asks(2, "long", "3");
  rows.add_run(3);
  BOOST_TEST(print(rows.table().all().held[0].amount_s) == std::to_string(3600 * 31'000));
}

BOOST_AUTO_TEST_CASE(what_has_no_amount_is_said) {
  odd_rows rows;
  rows.add_run(1);
  rows.asks(1, "string", "two");
  BOOST_TEST(said_by([&] { (void)rows.table(); }) == "gpus, a string, is no amount: job 10.borg has \"two\"");
  odd_rows mixed;
  mixed.add_run(1);
  mixed.asks(1, "long", "2");
  mixed.add_run(2);
  mixed.asks(2, "size", "2gb");
  BOOST_TEST(said_by([&] { (void)mixed.table(); }).find("as a number and as a size") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(sums_beyond_127_bits_are_said) {
  odd_rows rows;
  for (int job = 1; job <= 5; ++job) rows.add_run(job, "9223372036854775807");
  rows.add("update runs set used_ncpus=9223372036854775807");
  BOOST_TEST(said_by([&] { (void)rows.table(); }) == "a sum is larger than 127 bits");
  odd_rows words;
  words.add_run(1, "'an hour'");
  BOOST_TEST(said_by([&] { (void)words.table(); }).find("job 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(moments_are_read_as_they_are_printed) {
  constexpr std::int64_t late = 4'102'444'799'999'999'000, early = -1'000;
  for (const std::int64_t ns : {std::int64_t{0}, std::int64_t{1'795'222'033'123'456'000}, early, late})
    BOOST_TEST(*parse_moment_text(exports::print_moment({ns})) == ns);
  for (const char* wrong : {"", "2026-11-30", "2026-13-30T00:00:00.000000Z", "2026-02-30T00:00:00.000000Z", "0000-01-01T00:00:00.000000Z",
                            "9999-01-01T00:00:00.000000Z", "2026-11-30T00:00:00.00000xZ"})
    BOOST_TEST(!parse_moment_text(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(command_lines_are_understood_or_refused) {
  const auto read = read_words({"jobs.db", "--by", "project,user", "--by", "month", "--from", "2026-11-01", "--to", "2026-12-01",
                                "--resource", "gpus,mem",
                                "--rates", "r.conf", "--format", "html"});
  const auto& a = std::get<asked>(read);
  BOOST_TEST(a.source == "jobs.db");
  BOOST_TEST((a.by == std::vector{dimension::project, dimension::user, dimension::month}));
  BOOST_TEST(a.in.from_ns == 1'793'491'200'000'000'000);
  BOOST_TEST(a.in.until_ns == 1'796'083'200'000'000'000);
  BOOST_TEST((a.resources == std::vector<std::string>{"gpus", "mem"}));
  BOOST_TEST((a.form == report_form::html));
  const auto none = read_words({});
  BOOST_TEST((std::get<asked>(none).by == std::vector{dimension::user}));
  BOOST_TEST((std::get<asked>(none).form == report_form::text));
  const std::vector<std::vector<std::string>> refused{
      {"--by", "shoe"},
      {"--by", ""},
      {"--from", "tomorrow-ish"},
      {"--from", ""},
      {"--to", ""},
      {"--rates", ""},
      {""},
      {"--from", "2026-02-30"},
      {"--to", "9999999999"},
      {"--from", "#12"},
      {"--to", "2026"},
      {"--from", "2026-12-01", "--to", "2026-11-01"},
      {"--resource", "gpu's"},
      {"--format", "pdf"},
      {"a", "b"},
      {"--colour"},
  };
  for (const auto& wrong : refused) {
    const auto end = read_words(wrong);
    BOOST_REQUIRE(std::holds_alternative<int>(end));
    BOOST_TEST(std::get<int>(end) != 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
