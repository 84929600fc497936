// qstat's tables, blocks, JSON and delimiter forms of jobs against what PBS printed.
#include <boost/test/unit_test.hpp>

#include <sstream>

#include "events/attributes/ids.hpp"
#include "golden.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/job_table.hpp"
#include "tools/client/print/json.hpp"
#include "tools/client/print/object_form.hpp"

using namespace annals::client;
using namespace annals::client::test;
using annals::schema::ObjectKind;
namespace id = annals::attributes::job;

namespace {

const char* const shown_in_full[] = {"1", "4", "5", "6", "7", "8[]", "9"};

// The jobs of the transcripts; 2 and 3 are not shown in full there.
std::vector<stored_object> jobs() {
  std::vector<stored_object> all;
  for (const char* n : shown_in_full) {
    const std::string text = golden("qstat_f_jobs.txt", "qstat -f '" + std::string(n) + ".vm'");
    all.push_back(read_blocks(ObjectKind::JOB, "Job Id: ", text).front());
  }
  for (int n : {2, 3}) {
    stored_object job = all.front();
    job.name = std::to_string(n) + ".vm";
    job.set(id::Job_Name, "", "run" + std::to_string(n));
    job.set(id::session_id, "", n == 2 ? "12110" : "12112");
    job.set(id::exec_host, "", "vm/" + std::to_string(n - 1));
    all.insert(all.begin() + n - 1, job);
  }
  return all;
}

template <class Table>
std::string rows(const Table& table, std::string out, const std::string& states = "") {
  for (const stored_object& job : jobs()) {
    if (states.empty() || states.find(value_of(job.view(), id::job_state)) != std::string::npos)
      table.row(out, job.view());
  }
  return out;
}

std::string plain(job_table_options o) {
  const job_table table(o);
  std::string out;
  table.heading(out);
  return rows(table, out);
}

std::string list(job_list_options o, const std::string& states = "") {
  const job_list table(o, 1795216297);
  std::string out;
  table.heading(out, "vm");
  return rows(table, out, states);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(job_print, utc)

BOOST_AUTO_TEST_CASE(plain_qstat_prints_the_table_of_pbs) {
  BOOST_TEST(plain({}) == golden("qstat_lists.txt", "qstat"));
}
BOOST_AUTO_TEST_CASE(w_widens_the_table) { BOOST_TEST(plain({.wide = true}) == golden("qstat_lists.txt", "qstat -w")); }
BOOST_AUTO_TEST_CASE(p_shows_the_percentage_done) {
  BOOST_TEST(plain({.percent = true}) == golden("qstat_lists.txt", "qstat -p"));
}

// As the transcripts of arrays show it.
BOOST_AUTO_TEST_CASE(p_shows_of_an_array_how_many_of_its_subjobs_have_ended) {
  const auto done = [](const char* state, const char* counts, const char* used = "", const char* asked = "") {
    stored_object job;
    job.name = "18[].vm";
    job.set(id::Job_Name, "", "arr");
    job.set(id::Job_Owner, "", "pbsuser@vm");
    job.set(id::job_state, "", state);
    job.set(id::queue, "", "workq");
    if (*counts) job.set(id::array_state_count, "", counts);
    if (*used) job.set(id::resources_used, "cput", used);
    if (*asked) job.set(id::Resource_List, "cput", asked);
    std::string out;
    job_table({.percent = true}).row(out, job.view());
    return out;
  };
  const std::string before = "18[].vm           arr              pbsuser           ", after = " workq           \n";
  BOOST_TEST(done("B", "Queued:2 Running:1 Exiting:0 Expired:1 ") == before + "     25  B" + after);
  BOOST_TEST(done("H", "Queued:4 Running:0 Exiting:0 Expired:0 ") == before + "      0  H" + after);
  BOOST_TEST(done("Q", "Queued:4 Running:0 Exiting:0 Expired:0 ") == before + "     --  Q" + after);
  BOOST_TEST(done("F", "Queued:0 Running:0 Exiting:0 Expired:0 ") == before + "     --  F" + after);
  BOOST_TEST(done("Q", "") == before + "     --  Q" + after);
  BOOST_TEST(done("X", "", "00:00:04", "00:00:04") == before + "     100 X" + after);
}

BOOST_AUTO_TEST_CASE(a_value_that_is_too_long_ends_with_a_star) {
  stored_object job{"123456[].a_long_server_name.example.com", {}, {}};
  job.set(id::Job_Name, "", "abcdefghijklmnopqrstuvw");
  job.set(id::Job_Owner, "", "someone@host");
  job.set(id::job_state, "", "Q");
  job.set(id::queue, "", "workq");
  std::string out;
  job_table({}).row(out, job.view());
  BOOST_TEST(out == "123456[].a_long_* abcdefghijklmno* someone                  0 Q workq           \n");
}

BOOST_AUTO_TEST_CASE(a_shows_sessions_sizes_and_times) {
  BOOST_TEST(list({}) == golden("qstat_lists.txt", "qstat -a"));
}
BOOST_AUTO_TEST_CASE(aw_widens_the_list) { BOOST_TEST(list({.wide = true}) == golden("qstat_lists.txt", "qstat -aw")); }
BOOST_AUTO_TEST_CASE(s_adds_comments) { BOOST_TEST(list({.comments = true}) == golden("qstat_lists.txt", "qstat -s")); }
BOOST_AUTO_TEST_CASE(sw_adds_comments_to_the_wide_list) {
  BOOST_TEST(list({.wide = true, .comments = true}) == golden("qstat_lists.txt", "qstat -sw"));
}
BOOST_AUTO_TEST_CASE(n_adds_hosts_below) { BOOST_TEST(list({.hosts = true}) == golden("qstat_lists.txt", "qstat -n")); }
BOOST_AUTO_TEST_CASE(n1_adds_hosts_on_the_same_line) {
  BOOST_TEST(list({.hosts = true, .same_line = true}) == golden("qstat_lists.txt", "qstat -n1"));
}
BOOST_AUTO_TEST_CASE(ns1w_adds_hosts_beside_and_comments_below) {
  const job_list_options o{.wide = true, .comments = true, .hosts = true, .same_line = true};
  BOOST_TEST(list(o) == golden("qstat_lists.txt", "qstat -ns1w"));
}
BOOST_AUTO_TEST_CASE(T_shows_the_estimated_start) {
  BOOST_TEST(list({.estimates = true}) == golden("qstat_lists.txt", "qstat -T"));
}

// As the policy transcripts of PBS show it: those that have begun, then by the start, then those without; with -a as without -T.
BOOST_AUTO_TEST_CASE(T_lists_jobs_by_their_start) {
  const auto order = [](bool by_start) {
    const auto form = job_list_form({.estimates = true, .by_start = by_start}, 1795216297, "vm");
    std::string out;
    struct row {
      const char *name, *state, *start;
    };
    constexpr row jobs[] = {
        {"1", "Q", ""}, {"2", "Q", "1795219900"}, {"3", "R", ""}, {"4", "H", "1795219840"}, {"5", "R", ""}, {"6", "Q", ""}};
    for (const row& r : jobs) {
      stored_object job;
      job.name = r.name;
      job.set(id::job_state, "", r.state);
      if (*r.start) job.set(id::estimated, "start_time", r.start);
      form->put(out, job.view());
    }
    form->end(out, false);
    std::string names;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && line[0] >= '1' && line[0] <= '9') names += line[0] + std::string(line.ends_with(" --") ? " " : "* ");
    return names;
  };
  BOOST_TEST(order(true) == "3 5 4* 2* 1 6 ");
  BOOST_TEST(order(false) == "1 2 3 4 5 6 ");
}
BOOST_AUTO_TEST_CASE(i_lists_what_does_not_run) {
  BOOST_TEST(list({}, "EHQTW") == golden("qstat_lists.txt", "qstat -i"));
}
BOOST_AUTO_TEST_CASE(r_lists_what_runs) { BOOST_TEST(list({}, "R") == golden("qstat_lists.txt", "qstat -r")); }

BOOST_AUTO_TEST_CASE(a_long_comment_is_cut_with_three_dots) {
  stored_object job{"5.borg", {}, {}};
  job.set(id::comment, "",
          "Job run at Sat Nov 21 at 00:31 on (borg:ncpus=3:mem=1048576kb)+(federer:ncpus=3:mem=1048576kb)");
  std::string out;
  job_list({.comments = true}, 0).row(out, job.view());
  BOOST_TEST(out.substr(out.find('\n') + 1) ==
             "   Job run at Sat Nov 21 at 00:31 on (borg:ncpus=3:mem=1048576kb)+(federe...\n");
}

BOOST_AUTO_TEST_CASE(many_hosts_are_broken_behind_a_plus) {
  stored_object job{"5.borg", {}, {}};
  std::string hosts = "host000/0*2";
  for (int i = 1; i < 12; ++i) hosts += "+host" + std::to_string(100 + i) + "/0*2";
  job.set(id::exec_host, "", hosts);
  std::string out, again;
  job_list({.hosts = true}, 0).row(out, job.view());
  std::size_t at = out.find('\n') + 1;
  while (at < out.size()) {
    const std::string line = out.substr(at, out.find('\n', at) - at);
    BOOST_TEST(line.size() <= 79u);
    BOOST_TEST(line.substr(0, 3) == "   ");
    again += line.substr(3);
    at += line.size() + 1;
  }
  BOOST_TEST(again == hosts);
}

BOOST_AUTO_TEST_CASE(f_prints_every_attribute_and_wraps_as_pbs_does) {
  full_printer printer(ObjectKind::JOB, "Job Id: ", true);
  for (const char* n : shown_in_full) {
    const std::string expected = golden("qstat_f_jobs.txt", "qstat -f '" + std::string(n) + ".vm'");
    std::string out;
    printer.put(out, read_blocks(ObjectKind::JOB, "Job Id: ", expected).front().view());
    BOOST_TEST(out == expected);
  }
}

BOOST_AUTO_TEST_CASE(fw_does_not_wrap) {
  const std::string expected = golden("qstat_f_jobs.txt", "qstat -fw 4.vm");
  std::string out;
  full_printer(ObjectKind::JOB, "Job Id: ", false)
      .put(out, read_blocks(ObjectKind::JOB, "Job Id: ", expected).front().view());
  BOOST_TEST(out == expected);
}

BOOST_AUTO_TEST_CASE(long_values_break_at_commas_or_else_anywhere) {
  const auto wrapped = [](const std::string& name, const std::string& value) {
    std::string out = "    " + name + " = ";
    put_wrapped(out, value, out.size());
    return out;
  };
  BOOST_TEST(
      wrapped("exec_vnode",
              "(borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+borg[2]:ncpus=1)+(federer:mem=1048576kb:"
              "ncpus=1+federer[0]:mem=1048576kb:ncpus=1+federer[1]:ncpus=1)+(lendl:ncpus=2:mem=2097152kb)") ==
      "    exec_vnode = (borg[0]:mem=1048576kb:ncpus=1+borg[1]:mem=1048576kb:ncpus=1+b\n"
      "\torg[2]:ncpus=1)+(federer:mem=1048576kb:ncpus=1+federer[0]:mem=1048576kb\n"
      "\t:ncpus=1+federer[1]:ncpus=1)+(lendl:ncpus=2:mem=2097152kb)");
  BOOST_TEST(wrapped("Variable_List",
                     "PBS_O_HOME=/home/pbsuser,PBS_O_LANG=C.UTF-8,PBS_O_LOGNAME=pbsuser,"
                     "PBS_O_PATH=/opt/pbs/bin:/opt/pbs/sbin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin,"
                     "PBS_O_SHELL=/bin/bash,PBS_O_INTERACTIVE_AUTH_METHOD=resvport,PBS_O_QUEUE=workq") ==
             "    Variable_List = PBS_O_HOME=/home/pbsuser,PBS_O_LANG=C.UTF-8,\n"
             "\tPBS_O_LOGNAME=pbsuser,\n"
             "\tPBS_O_PATH=/opt/pbs/bin:/opt/pbs/sbin:/usr/local/bin:/usr/bin:/bin:/us\n"
             "\tr/sbin:/sbin,PBS_O_SHELL=/bin/bash,\n"
             "\tPBS_O_INTERACTIVE_AUTH_METHOD=resvport,PBS_O_QUEUE=workq");
}

BOOST_AUTO_TEST_CASE(dsv_and_json_show_the_same_job) {
  const std::string dsv = golden("qstat_json.txt", "qstat -f -F dsv 1.vm");
  stored_object job{"1.vm", {}, {}};
  for (std::size_t at = dsv.find('|') + 1; at != 0;) {
    const std::size_t end = std::min(dsv.find('|', at), dsv.find('\n', at)), equals = dsv.find('=', at);
    set_by_name(job, ObjectKind::JOB, dsv.substr(at, equals - at), dsv.substr(equals + 1, end - equals - 1));
    at = dsv[end] == '|' ? end + 1 : 0;
  }
  std::string again, json;
  dsv_printer(ObjectKind::JOB, "Job Id: ", "|", false).put(again, job.view());
  BOOST_TEST(again == dsv);
  json_printer printer(ObjectKind::JOB, "Jobs");
  printer.begin(json, 1795216309, "23.06.06", "vm");
  printer.put(json, job.view());
  printer.end(json);
  BOOST_TEST(json == golden("qstat_json.txt", "qstat -f -F json 1.vm"));
}

BOOST_AUTO_TEST_CASE(json_of_an_array_has_no_resources_used) {
  std::string json;
  json_printer printer(ObjectKind::JOB, "Jobs");
  printer.begin(json, 1795216309, "23.06.06", "vm");
  printer.put(json, jobs()[7].view());
  printer.end(json);
  BOOST_TEST(json == golden("qstat_json.txt", "qstat -f -F json '8[].vm'"));
}

// An object as a PBS was seen to show it.
BOOST_AUTO_TEST_CASE(json_shows_what_hooks_set_as_data) {  // RU-11, RU-12, RU-15
  const auto printed = [](const char* value) {
    stored_object job{"1.vm", {}, {}};
    job.set(id::resources_used, "foo_str", value);
    std::string json;
    json_printer printer(ObjectKind::JOB, "Jobs");
    printer.begin(json, 1, "23", "vm");
    const auto start = json.size();
    printer.put(json, job.view());
    const auto from = json.find("\"foo_str\"", start);
    return json.substr(from, json.rfind("\n\t\t\t}") - from);
  };
  BOOST_TEST(printed(R"({"seven":7})") == "\"foo_str\":\t{\n\t\t\t\t\t\"seven\":\t7\n\t\t\t\t}");
  BOOST_TEST(printed(R"('{"b": "None", "a": [1, {"c": 2}]}')") ==
             "\"foo_str\":\t{\n\t\t\t\t\t\"b\":\t\"None\",\n\t\t\t\t\t\"a\":\t[1,{\"c\":2}]\n\t\t\t\t}");
  BOOST_TEST(printed(R"({"n1": "x", "n2": None})") == "\"foo_str\":\t{\n\t\t\t\t\t\"n1\":\t\"x\",\n\t\t\t\t\t\"n2\":\tnull\n\t\t\t\t}");
  BOOST_TEST(printed("'a quoted word'") == "\"foo_str\":\t\"'a quoted word'\"");
  for (const char* odd : {"{", "{None}", "'{", "'", "{\"a\": \"\xff\"}"}) BOOST_TEST(printed(odd).starts_with("\"foo_str\":\t\""), odd);
  const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  BOOST_TEST(printed(deep.c_str()).starts_with("\"foo_str\":\t\"{"));
}

BOOST_AUTO_TEST_CASE(json_escapes_and_quotes_what_is_no_number) {
  BOOST_TEST(is_json_number("-12.5"));
  for (const char* text : {"", "007", "1.", ".5", "1e5", "0x10", "12kb", "-", "1 "})
    BOOST_TEST(!is_json_number(text), text);
  std::string out;
  put_json_string(out, "a\"b\\c\n\x01");
  BOOST_TEST(out == "\"a\\\"b\\\\c\\n\\u0001\"");
}

BOOST_AUTO_TEST_CASE(a_delimiter_inside_a_value_is_escaped) {
  stored_object job{"1.vm", {}, {}};
  job.set(id::Job_Name, "", "a|b");
  std::string out;
  dsv_printer(ObjectKind::JOB, "Job Id: ", "|", false).put(out, job.view());
  BOOST_TEST(out == "Job Id: 1.vm|Job_Name=a\\|b\n");
}

BOOST_AUTO_TEST_CASE(what_would_break_a_line_or_move_a_terminal_is_shown) {
  stored_object job{"1.vm", {}, {}};
  job.set(id::Account_Name, "", "a\nb\\c\x01\x1b\x7f\td");
  std::string dsv, full;
  dsv_printer(ObjectKind::JOB, "Job Id: ", "|", false).put(dsv, job.view());
  BOOST_TEST(dsv == "Job Id: 1.vm|Account_Name=a\\nb\\\\c^A^[^?\td\n");
  full_printer(ObjectKind::JOB, "Job Id: ", false).put(full, job.view());
  BOOST_TEST(full == "Job Id: 1.vm\n    Account_Name = a\n\tb\\c^A^[^?\td\n\n");
}

BOOST_AUTO_TEST_CASE(a_word_that_looks_like_a_number_is_a_word_in_json) {
  stored_object job{"1.vm", {}, {}};
  job.set(id::Job_Name, "", "123");
  job.set(id::Priority, "", "5");
  std::string out;
  json_printer(ObjectKind::JOB, "Jobs").put(out, job.view());
  BOOST_TEST(out.find("\"Job_Name\":\t\"123\"") != std::string::npos);
  BOOST_TEST(out.find("\"Priority\":\t5") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_do_not_break_json) {
  const std::pair<const char*, const char*> cases[] = {
      {"a\xff\xfe"
       "b",
       "\"a\ufffd\ufffdb\""},
      {"\xc3\xa9", "\"\xc3\xa9\""},
      {"\xc3", "\"\ufffd\""},
      {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
      {"\xc0\xaf", "\"\ufffd\ufffd\""},
      {"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
      {"\xe2\x82x", "\"\ufffd\ufffdx\""}};
  for (const auto& [text, json] : cases) {
    std::string out;
    put_json_string(out, text);
    BOOST_TEST(out == json);
  }
}

BOOST_AUTO_TEST_CASE(damaged_attributes_print_short_and_read_no_further) {
  std::string packed = jobs().front().packed;
  for (std::size_t size = 0; size < packed.size(); size += 3) {
    const std::string cut = packed.substr(0, size);
    std::string out;
    full_printer(ObjectKind::JOB, "Job Id: ", true).put(out, {"1.vm", cut});
    BOOST_TEST(out.size() > 3u);
  }
}

BOOST_AUTO_TEST_CASE(memory_is_shown_in_six_columns) {
  const auto text = [](const char* size, size_unit unit) {
    std::array<char, 32> buffer;
    return std::string(memory_text(size, unit, buffer));
  };
  BOOST_TEST(text("100mb", size_unit::as_given) == "100mb");
  BOOST_TEST(text("1048576kb", size_unit::as_given) == "1024mb");
  BOOST_TEST(text("100mb", size_unit::gigabytes) == "1gb");
  BOOST_TEST(text("100mb", size_unit::megawords) == "13mw");
  BOOST_TEST(text("nonsense", size_unit::gigabytes) == "nonsense");
}

BOOST_AUTO_TEST_CASE(dates_follow_the_zone_across_its_changes) {
  setenv("TZ", "Europe/Berlin", 1);
  tzset();
  date_text dates;
  BOOST_TEST(dates.of(1792889999) == "Sun Oct 25 02:59:59 2026");
  BOOST_TEST(dates.of(1792890000) == "Sun Oct 25 02:00:00 2026");
  BOOST_TEST(dates.of(std::string_view("soon")) == "soon");
}

BOOST_AUTO_TEST_SUITE_END()
