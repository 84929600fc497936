// Rows in files: each once, whole lines, over any end of the exporter.
#include <zlib.h>

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "test/support/run_command.hpp"
#include "test/unit/tools/export/export_fixture.hpp"
#include "tools/export/file_names.hpp"
#include "tools/export/usage_record.hpp"

using namespace annals;
using namespace annals::test;
using namespace annals::exporting;

namespace {

std::string content(const std::filesystem::path& file) {
  gzFile in = gzopen(file.c_str(), "rb");  // also of a file that is not compressed
  std::string all;
  char some[1 << 16];
  for (int n; (n = gzread(in, some, sizeof some)) > 0;) all.append(some, static_cast<std::size_t>(n));
  gzclose(in);
  return all;
}

std::map<std::string, std::string> contents(const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file() && day_of_file(entry.path().filename().string()))
      all[entry.path().lexically_relative(directory).string()] = content(entry.path());
  return all;
}

struct file_log : exported_log {
  using exported_log::exported_log;
  std::unique_ptr<target> open(const file_choice& choice, const std::string& name, target_place place = target_place::proper) const {
    return open_files(files.at(name), choice, place, exports::current_tables());
  }
};

constexpr auto csv = file_form::csv, jsonl = file_form::json_lines, ur2 = file_form::usage_records;
constexpr file_choice every_choice[] = {{csv, false}, {csv, true}, {jsonl, false}, {jsonl, true}, {ur2, false}, {ur2, true}};

}  // namespace

BOOST_AUTO_TEST_SUITE(export_files)

BOOST_AUTO_TEST_CASE(runs_that_are_over_stand_there_once) {
  file_log log(21, 800);
  for (int i = 0; i < 5; ++i) {
    log.history->pass(86400);
    for (int n = 0; n < 100; ++n) log.history->step();
  }
  log.write_all(*log.open({file_form::json_lines, false}, "out"), {.records = 11});
  std::set<std::string> keys, days;
  std::size_t lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(log.files.at("out/runs"))) {
    days.insert(*day_of_file(entry.path().filename().string()));
    std::istringstream in(content(entry.path()));
    for (std::string line; std::getline(in, line);) {
      const auto row = nlohmann::json::parse(line);
      keys.insert(row["job"].dump() + "/" + row["run"].dump());
      BOOST_TEST(row["closed_at"].get<std::string>().substr(0, 10) == entry.path().filename().string().substr(0, 10));
      ++lines;
    }
  }
  std::size_t over = 0;
  const auto expected = log.expected();
  for (const auto& row : expected.at("runs")) over += row[20] ? 1 : 0;  // closed_at
  BOOST_TEST(over > 20u);
  BOOST_TEST(lines == over);
  BOOST_TEST(keys.size() == over);
  BOOST_TEST(days.size() > 3u);
}

BOOST_AUTO_TEST_CASE(an_end_at_any_moment_leaves_no_line_twice_and_none_out) {
  for (const auto& choice : every_choice) {
    file_log log(22, 300);
    log.history->pass(86400);
    for (int n = 0; n < 100; ++n) log.history->step();
    log.write_all(*log.open(choice, "whole"), {.records = 7});
    const auto whole = contents(log.files.at("whole"));
    for (int stop = 0; stop < 12; ++stop) {
      const auto to = log.open(choice, "out");
      exporter some(log.reader, *to, {.records = 7});
      for (int i = 0; i < stop; ++i) (void)some.step();
      // What a crash in the middle of a write leaves: more in files than the position says, and files of later days.
      for (const auto& entry : std::filesystem::recursive_directory_iterator(log.files.at("out")))
        if (const auto day = day_of_file(entry.path().filename().string()); day)
          if (const auto position = read_file_position(slurp(log.files.at("out/position.json"))); position && *day >= position->day)
            std::ofstream(entry.path(), std::ios::app | std::ios::binary) << "half a li";
      std::filesystem::create_directories(log.files.at("out/jobs"));
      std::ofstream(log.files.at("out/jobs/2999-01-01.csv")) << "x";
    }
    log.write_all(*log.open(choice, "out"), {.records = 7});
    BOOST_TEST((contents(log.files.at("out")) == whole));
  }
}

BOOST_AUTO_TEST_CASE(usage_records_are_a_whole_document_of_each_day_after_each_write) {
  for (const bool compressed : {false, true}) {
    file_log log(25, 200);
    log.history->pass(86400);
    for (int n = 0; n < 200; ++n) log.history->step();
    const auto to = log.open({file_form::usage_records, compressed}, "out");
    exporter all(log.reader, *to, {.records = 13});
    while (all.step())
      for (const auto& [name, text] : contents(log.files.at("out"))) {
        BOOST_TEST(name.starts_with("runs/"), name);
        BOOST_TEST(text.starts_with(usage_records_begin));
        BOOST_TEST(text.ends_with(std::string("</ur:UsageRecord>\n") + usage_records_end));
        BOOST_TEST(text.find("</ur:UsageRecords>") == text.size() - std::string(usage_records_end).size());
      }
    std::size_t records = 0, over = 0;
    for (const auto& [name, text] : contents(log.files.at("out")))
      for (auto at = text.find("<ur:UsageRecord>"); at != std::string::npos; at = text.find("<ur:UsageRecord>", at + 1)) ++records;
    const auto expected = log.expected();
    for (const auto& row : expected.at("runs")) over += row[20] ? 1 : 0;  // closed_at
    BOOST_TEST(over > 10u);
    BOOST_TEST(records == over);
  }
}

BOOST_AUTO_TEST_CASE(a_first_start_that_was_killed_is_repeated_and_files_of_others_are_left_alone) {
  file_log log(24, 50);
  const file_choice choice{file_form::csv, false};
  std::filesystem::create_directory(log.files.at("out"));
  std::ofstream(log.files.at("out/position.json.new")) << "{\n \"schema";
  log.write_all(*log.open(choice, "out"), {.records = 7});
  BOOST_TEST(!contents(log.files.at("out")).empty());
  std::filesystem::create_directory(log.files.at("other"));
  std::ofstream(log.files.at("other/thesis.txt")) << "all of it";
  BOOST_CHECK_THROW((void)log.open(choice, "other"), target_trouble);
  BOOST_TEST(slurp(log.files.at("other/thesis.txt")) == "all of it");
}

BOOST_AUTO_TEST_CASE(a_rebuild_takes_the_place_of_the_directory) {
  file_log log(23, 300);
  const file_choice choice{file_form::csv, true};
  const auto running = log.open(choice, "out");
  exporter first(log.reader, *running, {.records = 50});
  BOOST_TEST(first.step());
  const auto beside = log.open(choice, "out", target_place::beside);
  log.write_all(*beside);
  beside->exchange();
  BOOST_CHECK_EXCEPTION(first.step(), target_trouble, [](const target_trouble& e) { return e.which() == target_trouble::kind::moved; });
  BOOST_TEST(!std::filesystem::exists(log.files.at("out.rebuild")));
  log.write_all(*log.open(choice, "whole"));
  BOOST_TEST((contents(log.files.at("out")) == contents(log.files.at("whole"))));
}

BOOST_AUTO_TEST_CASE(a_directory_of_others_is_refused) {
  file_log log;
  std::filesystem::create_directory(log.files.at("out"));
  std::ofstream(log.files.at("out/letter")) << "dear";
  BOOST_CHECK_THROW(log.open({file_form::csv, false}, "out"), target_trouble);
  (void)log.open({file_form::csv, false}, "fine");
  BOOST_CHECK_THROW(log.open({file_form::json_lines, false}, "fine"), target_trouble);
}

BOOST_AUTO_TEST_CASE(csv_has_quotes_where_they_are_needed) {
  file_log log;
  log.history->write(0, [](auto e) {
    auto r = e.initHook().initRan().initRun();
    r.setHook("a,b \"c\"\r\nd");
    r.setEvent("queuejob");
  });
  log.write_all(*log.open({file_form::csv, false}, "out"));
  std::string all;
  for (const auto& [name, text] : contents(log.files.at("out")))
    if (name.starts_with("hook_runs/")) all = text;
  BOOST_TEST(all.starts_with("sequence,entry,at,hook,event,verdict,"));
  BOOST_TEST(all.find(",\"a,b \"\"c\"\"\r\nd\",queuejob,accepted,,0,,,,\r\n") != std::string::npos, all);
}

BOOST_AUTO_TEST_CASE(a_position_is_read_as_it_was_printed_or_refused) {
  const file_position p{1, {file_form::csv, true}, {812, "ab", "streams\nrecords\n"}, "2026-11-30", {{"jobs", 12}}};
  const auto read = read_file_position(print_file_position(p));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(print_file_position(*read) == print_file_position(p));
  for (const auto& choice : every_choice) {
    auto of_form = p;
    of_form.choice = choice;
    BOOST_TEST(print_file_position(read_file_position(print_file_position(of_form)).value()) == print_file_position(of_form));
    BOOST_TEST(day_of_file(file_of_day("2026-11-30", choice)).value_or("none") == "2026-11-30");
  }
  for (const char* wrong : {"", "[]", "{}", "{\"schema_version\":1}", "x"}) BOOST_TEST(!read_file_position(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_SUITE_END()
