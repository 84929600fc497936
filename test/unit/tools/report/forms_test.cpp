// Forms of a report: names are text in each of them, whatever they are.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "test/unit/projections/accounting/accounting_fixture.hpp"
#include "tools/report/limits.hpp"
#include "tools/report/report.hpp"

using namespace annals;
using namespace annals::reporting;
using namespace std::string_literals;

namespace {

counted_run run_of(std::int64_t job, const std::optional<std::string>& account, std::int64_t core_s = 3600) {
  counted_run r;
  r.job = job;
  r.run = 1;
  r.of = {"alice", "users", "thesis", account, "workq", std::nullopt};
  r.closed_ns = 1'795'222'000'000'000'000;
  r.walltime_s = 1800;
  r.cput_s = 2700;
  r.core_s = core_s;
  r.mem_bytes = std::int64_t{3} << 29;
  r.mem_byte_s = exact{r.mem_bytes} * 1800;
  r.wait_s = 60 * job;
  return r;
}

report report_of(const std::vector<std::optional<std::string>>& accounts, const std::string& title = "") {
  use_table table({dimension::account}, {}, nullptr);
  std::int64_t job = 0;
  for (const auto& account : accounts) table.add(run_of(++job, account));
  return make_report({title, {}, {}, nullptr}, table);
}

const std::vector<std::string> hostile = {"<script>alert(1)</script>",
                                          "\"><img src=x onerror=alert(1)>",
                                          "' or ''='",
                                          "a,b",
                                          "a\"b",
                                          "two\nlines\r\n",
                                          "nul\0behind"s,
                                          "\x1b[2Jgone",
                                          "\xe2\x80\xae turned",
                                          "\xff\xfe no text",
                                          "=1+1",
                                          "+1",
                                          "-1",
                                          "@sum",
                                          " blank ",
                                          "&amp;",
                                          "}]]>",
                                          "\xe5\xae\x98\xe8\xa9\xb1",
                                          "",
                                          "null"};

report hostile_report() {
  std::vector<std::optional<std::string>> all(hostile.begin(), hostile.end());
  all.push_back(std::nullopt);
  return report_of(all, hostile[0] + hostile[5] + hostile[6]);
}

// Nothing steers a terminal or an editor.
void check_plain(const std::string& text) {
  for (const char c : text) BOOST_TEST((c == '\n' || static_cast<unsigned char>(c) >= ' '));
  BOOST_TEST(text.find("\xe2\x80\xae") == std::string::npos);
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// As RFC 4180 has it.
std::vector<std::string> fields_of_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[i++];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) fields.emplace_back();
    else fields.back() += line[i];
  }
  BOOST_TEST(!quoted);
  return fields;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(report_forms, test::in_utc)

BOOST_AUTO_TEST_CASE(text_is_a_table) {
  use_table table({dimension::account, dimension::day}, {"gpus", "mem"}, nullptr);
  auto first = run_of(1, "physics"), second = run_of(2, std::nullopt, 0);
  first.held = {{amount_kind::number, exact{2} * amount_scale * 1800}, {amount_kind::size, (exact{4} << 30) * 1800}};
  second.held.resize(2);
  table.add(first);
  table.add(second);
  const auto r = make_report({"November", {1'793'491'200'000'000'000, 1'796'083'200'000'000'000}, {"gpus", "mem"}, nullptr}, table);
  BOOST_TEST(text_form(r) ==
             "November\n"
             "runs that ended: 2026-11-01 00:00:00 to 2026-12-01 00:00:00\n"
             "\n"
             "account  day         jobs  runs  failed  walltime  core time  cpu time  cpu %  suspended  max mem gb"
             "  mem gb*h  wait median  wait p95  held gpus*h  held mem gb*h\n"
             "-        2026-11-21     1     1       0  00:30:00   00:00:00  00:45:00      -"
             "   00:00:00        1.50      0.75     00:02:00  00:02:00         0.00           0.00\n"
             "physics  2026-11-21     1     1       0  00:30:00   01:00:00  00:45:00   75.0"
             "   00:00:00        1.50      0.75     00:01:00  00:01:00         1.00           2.00\n"
             "all                     2     2       0  01:00:00   01:00:00  01:30:00  150.0"
             "   00:00:00        1.50      1.50     00:01:00  00:02:00         1.00           2.00\n");
}

BOOST_AUTO_TEST_CASE(data_has_units_in_its_names_and_every_digit) {
  const auto prices = std::get<rates>(parse_rates("currency EUR 2\nprice ncpus 0.02\n"));
  use_table table({dimension::account}, {"ncpus"}, &prices);
  auto run = run_of(1, "physics");
  run.held = {{amount_kind::number, exact{3600} * amount_scale}};
  table.add(run);
  const auto r = make_report({"", {}, {"ncpus"}, &prices}, table);
  BOOST_TEST(csv_form(r) ==
             "account,jobs,runs,failed_starts,walltime_s,core_s,cput_s,efficiency_percent,suspended_s,mem_max_bytes,mem_byte_s,"
             "wait_median_s,wait_p95_s,price,currency\n"
             "physics,1,1,0,1800,3600,2700,75.0,0,1610612736,2899102924800,60,60,0.02,EUR\n");
  const auto json = nlohmann::json::parse(json_form(r));
  BOOST_TEST(json["currency"] == "EUR");
  BOOST_TEST(json["rows"].size() == 1u);
  BOOST_TEST(json["rows"][0]["account"] == "physics");
  BOOST_TEST(json["rows"][0]["price"] == "0.02");
  BOOST_TEST(json["rows"][0]["core_s"] == 3600);
  BOOST_TEST(json["all"]["mem_byte_s"] == 2899102924800);
  BOOST_TEST(json["from"].is_null());
}

BOOST_AUTO_TEST_CASE(a_text_is_one_line_for_each_name) {
  const auto text = text_form(hostile_report());
  check_plain(text);
  BOOST_TEST(lines_of_text(text).size() == 3 + 1 + hostile.size() + 1 + 1);
}

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_their_characters_and_not_as_the_longest_name_of_an_attacker) {
  const auto lines = lines_of_text(text_form(report_of({"m\xc3\xbcller", "mueller", std::string(1 << 20, 'x')})));
  BOOST_REQUIRE(lines.size() == 7u);
  BOOST_TEST(lines[2].find("jobs") == limits::text_width_max + 2);
  BOOST_TEST(lines[4].find(" 1 ") == lines[3].find(" 1 ") + 1);  // the dotted u has one byte more
  BOOST_TEST(lines[3].size() + 1 == lines[4].size());
  BOOST_TEST(lines[6].size() == lines[3].size());
  BOOST_TEST(lines[5].starts_with(std::string(1 << 20, 'x') + "  "));
}

BOOST_AUTO_TEST_CASE(csv_has_a_row_for_each_name) {
  const auto r = hostile_report();
  const auto text = csv_form(r);
  check_plain(text);
  const auto lines = lines_of_text(text);
  BOOST_REQUIRE(lines.size() == 1 + hostile.size() + 1);
  for (const auto& line : lines) BOOST_TEST(fields_of_csv(line).size() == 1 + r.columns.size(), line);
  for (const char* row : {"\"a,b\",", "\"a\"\"b\",", "'=1+1,", "'+1,", "'-1,", "'@sum,", "\" blank \",", "\"\",", ",1,", "null,",
                          "two\\x0alines\\x0d\\x0a,", "nul\\x00behind,"})
    BOOST_TEST(std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.starts_with(row); }), row);
}

BOOST_AUTO_TEST_CASE(json_has_names_as_they_are) {
  const auto r = hostile_report();
  const auto text = json_form(r);
  BOOST_TEST(text.find("\xe2\x80\xae") == std::string::npos);
  const auto json = nlohmann::json::parse(text);
  BOOST_REQUIRE(json["rows"].size() == r.lines.size());
  for (std::size_t i = 0; i < r.lines.size(); ++i) {
    const auto& name = r.lines[i].key[0];
    if (!name) BOOST_TEST(json["rows"][i]["account"].is_null());
    else if (name->starts_with('\xff')) BOOST_TEST(json["rows"][i]["account"] == "\xef\xbf\xbd\xef\xbf\xbd no text");
    else BOOST_TEST(json["rows"][i]["account"] == *name);
  }
}

BOOST_AUTO_TEST_CASE(a_page_has_no_element_but_its_own) {
  const auto page = html_form(hostile_report());
  check_plain(page);
  std::set<std::string> elements;
  const std::regex element("<(/?[a-zA-Z!]*)");
  for (std::sregex_iterator i(page.begin(), page.end(), element), end; i != end; ++i) elements.insert((*i)[1]);
  const std::set<std::string> own{"!DOCTYPE", "html", "/html", "head", "/head", "meta", "title", "/title", "style", "/style",
                                  "body", "/body", "h", "/h", "p", "/p", "div", "/div", "b", "/b", "table",
                                  "/table", "tr", "/tr", "th", "/th", "td", "/td"};
  for (const auto& name : elements) BOOST_TEST(own.contains(name), name);
  // An attribute of an element ends where the page says: quotes of names are none.
  const std::regex tag("<[^<>]*>");
  const std::regex well_formed("</?[a-z1-9]+( [a-z-]+=(\"[^\"]*\"))*>|<!DOCTYPE html>");
  for (std::sregex_iterator i(page.begin(), page.end(), tag), end; i != end; ++i)
    BOOST_TEST(std::regex_match(i->str(), well_formed), i->str());
  BOOST_TEST(page.find("&lt;script&gt;alert(1)&lt;/script&gt;") != std::string::npos);
  for (const char* outside : {"http:", "https:", "//", "url(", "@import", "<script", "<link", "<img"})
    BOOST_TEST(page.find(outside) == std::string::npos, outside);
}

BOOST_AUTO_TEST_CASE(bars_are_as_long_as_what_was_used) {
  use_table table({dimension::account}, {}, nullptr);
  table.add(run_of(1, "half", 1800));
  table.add(run_of(2, "whole", 3600));
  table.add(run_of(3, "none", 0));
  const auto page = html_form(make_report({"", {}, {}, nullptr}, table));
  const auto whole = page.find("width:100.0%"), half = page.find("width:50.0%"), none = page.find("width:0.0%");
  BOOST_TEST(whole < half);
  BOOST_TEST(half < none);
  BOOST_TEST(none != std::string::npos);
  BOOST_TEST(html_form(report_of({})).find("Core time") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
