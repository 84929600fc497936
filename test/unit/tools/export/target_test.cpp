// Databases: what they have of a log, whatever stands in it, and how their tables change.
#include <boost/test/unit_test.hpp>

#include "test/support/skip.hpp"
#include "test/unit/tools/export/export_fixture.hpp"

using namespace annals;
using namespace annals::test;
using exporting::target_place;
using exporting::target_trouble;

namespace {

// Texts that have broken programs, in each place that a user can write to.
void write_hostile(made_history& h) {
  using namespace std::string_literals;
  const std::string hostile[] = {"\"quoted\" 'twice''",
                                 "line\nline\r\n\ttab\\N\\.",
                                 "nul\0behind"s,
                                 "\xFF\xC3( no utf-8",
                                 std::string(1 << 20, 'x'),
                                 "'); drop table jobs; --",
                                 "",
                                 ",;|",
                                 "\\",
                                 "{\"json\":[1]}",
                                 "\xE2\x80\xAE turned",
                                 "NULL"};
  std::uint64_t number = 1'000'000;
  for (const auto& whole : hostile) {
    ++number;
    const auto text = whole.substr(0, 2000);  // an event has a limit: of the longest the name alone is whole
    const auto job = h.write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + ".borg");
      q.setNumber(number);
      for (const auto set : {0, 1, 2, 3})
        if (set == 0) q.setOwner(text);
        else if (set == 1) q.setEuser(text);
        else if (set == 2) q.setEgroup(text);
        else q.setQueue("workq");
      auto a = q.initAttributes(4);
      const char* names[] = {"Job_Name", "Account_Name", "project", "Resource_List"};
      for (unsigned i = 0; i < 4; ++i) {
        a[i].setName(names[i]);
        const auto& value = i == 0 ? whole : text;
        a[i].setValue(capnp::Text::Reader(value.data(), value.size()));
      }
      a[3].setResource(text.empty() ? "r" : text);
    });
    h.write(job, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode("(n1:ncpus=1)");
      a.setExecHost("n1/0");
      a.setScheduler(text);
      a.initHosts(1).set(0, text.empty() ? "n1" : text);
    });
    h.write(job, [&](auto e) {
      auto u = e.initJob().initUsageReported();
      u.setRun(1);
      model::usage_set used = model::measured_usage({.cpu_seconds = 5, .mem_kb = 10, .wall_seconds = 7});
      used.set("word", text);
      model::write_usage(used, u.initUsage());
    });
    h.write(job, [&](auto e) {
      auto f = e.initJob().initStartFailed();
      f.setRun(1);
      f.setText(capnp::Text::Reader(text.data(), text.size()));
    },
            {text, text, schema::Role::MOM});
  }
}

template <class Open, class Read>
void check_like_expected(exported_log& log, Open&& open, Read&& read) {
  for (int i = 0; i < 3; ++i) {
    {
      const auto to = open(target_place::proper);
      log.write_all(*to, {.records = 37});
    }
    BOOST_TEST(texts_differ(log.expected(), read()) == "");
    for (int n = 0; n < 150; ++n) log.history->step();  // it goes on later
  }
}

exports::table_set older(std::vector<exports::table>& tables, std::vector<exports::column>& columns) {
  tables.assign(exports::tables().begin(), exports::tables().end());
  columns.assign(tables[0].columns.begin(), tables[0].columns.end() - 1);
  tables[0].columns = columns;
  tables.pop_back();
  return {exports::schema_version, tables, 1};
}

exports::table_set newer() { return {exports::schema_version + 1, exports::tables(), 1}; }

template <class Open, class Read>
void check_migration(exported_log& log, Open&& open, Read&& read) {
  std::vector<exports::table> tables;
  std::vector<exports::column> columns;
  (void)open(target_place::proper, older(tables, columns));
  {
    const auto to = open(target_place::proper, newer());
    log.write_all(*to);
  }
  BOOST_TEST(texts_differ(log.expected(), read()) == "");
  BOOST_CHECK_EXCEPTION(open(target_place::proper, exports::current_tables()), target_trouble, [](const target_trouble& e) {
    return e.which() == target_trouble::kind::lasting && std::string(e.what()).find("newer") != std::string::npos;
  });
  const exports::table_set too_new{exports::schema_version + 2, exports::tables(), exports::schema_version + 2};
  BOOST_CHECK_EXCEPTION(open(target_place::proper, too_new), target_trouble,
                        [](const target_trouble& e) { return std::string(e.what()).find("--rebuild") != std::string::npos; });
}

// Rows that nobody exported are gone afterwards, and who writes beside it notices.
template <class Open, class Read>
void check_rebuild(exported_log& log, Open&& open, Read&& read) {
  const auto running = open(target_place::proper);
  exporting::exporter first(log.reader, *running, {.records = 50});
  BOOST_TEST(first.step());
  {
    const auto beside = open(target_place::beside);
    log.write_all(*beside);
    BOOST_TEST(first.step());  // the one beside is in nobody's way
    beside->exchange();
  }
  BOOST_TEST(texts_differ(log.expected(), read()) == "");
  BOOST_CHECK_EXCEPTION(first.step(), target_trouble, [](const target_trouble& e) { return e.which() == target_trouble::kind::moved; });
  for (int n = 0; n < 50; ++n) log.history->step();
  log.write_all(*open(target_place::proper));
  BOOST_TEST(texts_differ(log.expected(), read()) == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(export_sqlite)

BOOST_AUTO_TEST_CASE(rows_are_those_of_one_write_whatever_is_written_when) {
  exported_log log(3, 200);
  write_hostile(*log.history);
  check_like_expected(
      log, [&](target_place p) { return log.sqlite(p); }, [&] { return sqlite_texts(log.files.at("db")); });
}

BOOST_AUTO_TEST_CASE(hostile_texts_are_kept_as_they_are) {
  exported_log log;
  write_hostile(*log.history);
  log.write_all(*log.sqlite());
  const auto all = sqlite_texts(log.files.at("db"));
  std::vector<std::string> names;
  for (const auto& row : all.at("jobs")) names.push_back(row[5].value());
  BOOST_TEST(names[0] == "\"quoted\" 'twice''");
  BOOST_TEST(names[1] == "line\nline\r\n\ttab\\N\\.");
  BOOST_TEST(names[2] ==
             "nul\xEF\xBF\xBD"
             "behind");
  BOOST_TEST((names[4] == std::string(1 << 20, 'x')));
  BOOST_TEST(names[6] == "");
}

BOOST_AUTO_TEST_CASE(older_tables_get_what_is_new_and_newer_ones_are_left_alone) {
  exported_log log(4, 300);
  check_migration(
      log, [&](target_place p, const exports::table_set& t) { return log.sqlite(p, t); },
      [&] { return sqlite_texts(log.files.at("db")); });
}

BOOST_AUTO_TEST_CASE(a_rebuild_takes_the_place_of_the_rows_beside_a_running_exporter) {
  exported_log log(5, 300);
  check_rebuild(
      log, [&](target_place p) { return log.sqlite(p); }, [&] { return sqlite_texts(log.files.at("db")); });
  BOOST_TEST(!std::filesystem::exists(log.files.at("db.rebuild")));
}

BOOST_AUTO_TEST_CASE(of_two_exporters_one_notices_the_other) {
  exported_log log(6, 300);
  const auto a = log.sqlite(), b = log.sqlite();
  exporting::exporter first(log.reader, *a, {.records = 10}), second(log.reader, *b, {.records = 10});
  BOOST_TEST(first.step());
  BOOST_CHECK_EXCEPTION(second.step(), target_trouble, [](const target_trouble& e) { return e.which() == target_trouble::kind::moved; });
}

BOOST_AUTO_TEST_CASE(a_target_that_was_put_back_from_a_backup_goes_on_from_its_own_position) {
  exported_log log(7, 200);
  log.write_all(*log.sqlite());
  std::filesystem::copy_file(log.files.at("db"), log.files.at("backup"));
  for (int n = 0; n < 200; ++n) log.history->step();
  log.write_all(*log.sqlite());
  std::filesystem::rename(log.files.at("backup"), log.files.at("db"));
  log.write_all(*log.sqlite());
  BOOST_TEST(texts_differ(log.expected(), sqlite_texts(log.files.at("db"))) == "");
}

BOOST_AUTO_TEST_CASE(rows_of_another_log_are_not_gone_on_with) {
  exported_log log(8, 200);
  log.write_all(*log.sqlite());
  const exported_log other(9, 300), shorter(8, 20);
  const auto rows = log.sqlite();
  for (const auto* wrong : {&other, &shorter})
    BOOST_CHECK_EXCEPTION(exporting::exporter(wrong->reader, *rows), exporting::log_trouble,
                          [](const auto& e) { return std::string(e.what()).find("--rebuild") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_database_is_refused) {
  exported_log log;
  std::ofstream(log.files.at("db")) << std::string(5000, 'x');
  BOOST_CHECK_EXCEPTION(log.sqlite(), target_trouble, [](const target_trouble& e) { return e.which() == target_trouble::kind::lasting; });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(export_postgres)

BOOST_AUTO_TEST_CASE(rows_are_those_of_sqlite_and_change_as_they_do) {
  if (!server_of_tests()) return skip("no PostgreSQL server is installed");
  const auto url = server_of_tests()->url();
  const auto open = [&](const std::string& schema) {
    return [&url, schema](target_place p, const exports::table_set& t = exports::current_tables()) {
      return exporting::open_postgres(url, schema, p, t, exported_log::drop);
    };
  };
  {
    exported_log log(3, 200);
    write_hostile(*log.history);
    check_like_expected(log, open("annals"), [&] { return postgres_texts(url); });
  }
  {
    exported_log log(4, 300);
    check_migration(log, open("older"), [&] { return postgres_texts(url, "older"); });
  }
  {
    exported_log log(5, 300);
    check_rebuild(log, open("rebuilt"), [&] { return postgres_texts(url, "rebuilt"); });
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_is_away_may_come_back) {
  BOOST_CHECK_EXCEPTION(exporting::open_postgres("postgresql://x@/y?host=/nonexistent", "annals", target_place::proper,
                                                 exports::current_tables(), exported_log::drop),
                        target_trouble, [](const target_trouble& e) { return e.which() == target_trouble::kind::passing; });
}

BOOST_AUTO_TEST_SUITE_END()
