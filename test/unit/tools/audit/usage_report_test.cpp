// `pbs_audit usage` by host, as data, and drawn: RU-01, RU-10.
#include <boost/test/unit_test.hpp>

#include "events/log/rocksdb_event_store.hpp"
#include "events/values/duration.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/tools/audit/usage_story.hpp"
#include "tools/audit/csv.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/resource_types.hpp"
#include "tools/audit/usage_report.hpp"

using namespace annals;
using namespace annals::audit;

namespace {

struct story : test::usage_story {
  usage_told end;

  usage_wanted wanted(usage_form form, std::vector<std::string> resources = {}) const {
    usage_wanted w;
    w.job = *values::parse_job_id("1");
    w.form = form;
    w.by_host = true;
    w.resources = std::move(resources);
    w.to = store.last_sequence();
    return w;
  }
  std::string told(const usage_wanted& w) { return told_from(store, w); }
  std::string told_from(const ports::event_store& from, const usage_wanted& w) {
    std::string text;
    end = tell_usage(
        from, w,
        [&](const std::string& more) {
          text += more;
          return true;
        },
        {[] { return true; }, [](std::uint64_t, const std::string& what) { BOOST_ERROR(what); }});
    return text;
  }
  // On a and b: b has a word and a number that hooks set, a speaks once more when b is silent.
  void a_job_on_two_hosts() {
    make_resource("watts", "float");
    make_resource("rack", "string");
    const auto job = submit();
    assign(job, {"a", "b"});
    later(10'000);
    const test::values_used first{{"cput", "00:00:05"}, {"mem", "1024kb"}, {"ncpus", "4"}, {"walltime", "00:00:10"}};
    const test::values_used second{{"cput", "00:00:08"}, {"mem", "2mb"}, {"rack", "two, words"}, {"watts", "17.5"}};
    report(job, {{"cput", "00:00:13"}, {"walltime", "00:00:10"}, {"ncpus", "4"}}, {{"a", first}, {"b", second}});
    later(10'000);
    exit(job, 0, {{"cput", "00:00:38"}, {"walltime", "00:00:20"}, {"ncpus", "4"}},
         {{"a", {{"cput", "00:00:30"}, {"mem", "1024kb"}, {"ncpus", "4"}, {"walltime", "00:00:20"}}}, {"b", second}});
    ended(job);
    delete_resource("rack");
    delete_resource("watts");
  }
};

std::string csv_of_two_hosts(std::int64_t t) {
  const auto at = csv_time(t), later = csv_time(t + 10 * test::second);
  return "job,run,host,time,walltime,cput,mem,ncpus,rack,watts\n"
         "1.borg,1,a," +
         at +
         ",10,5,1024,4,,\n"
         "1.borg,1,a," +
         later +
         ",20,30,1024,4,,\n"
         "1.borg,1,b," +
         at +
         ",,8,2048,,\"two, words\",17.5\n"
         "1.borg,1,b," +
         later + ",,8,2048,,\"two, words\",17.5\n";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(usage_by_host, story)

BOOST_AUTO_TEST_CASE(a_table_for_each_host_has_every_resource_that_has_a_value_there) {
  a_job_on_two_hosts();
  const auto text = told(wanted(usage_form::text));
  const auto last = time_text(now_ns()), before = time_text(now_ns() - 10'000 * ms);
  BOOST_TEST(text.find("  a: 38 % of 4 cpus used, 1024kb of memory at most\n"
                       "    when                     walltime      cput     mem  ncpus\n"
                       "    " +
                       before + "  00:00:10  00:00:05  1024kb      4\n"
                                "    " +
                       last + "  00:00:20  00:00:30  1024kb      4\n") != std::string::npos,
             text);
  BOOST_TEST(text.find("    when                         cput  mem        rack  watts\n"
                       "    " +
                       before + "  00:00:08  2mb  two, words   17.5\n") != std::string::npos,
             text);
  BOOST_TEST(text.find("  all hosts: 48 % of 4 cpus used") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(data_have_numbers_where_the_resource_is_one_also_when_it_was_deleted) {
  a_job_on_two_hosts();
  BOOST_TEST(told(wanted(usage_form::csv)) == csv_of_two_hosts(now_ns() - 10'000 * ms));
  const auto json = told(wanted(usage_form::json));
  BOOST_TEST(json.find("{\"job\":\"1.borg\",\"runs\":[{\"run\":1,\"assignedNs\":") == 0u, json);
  BOOST_TEST(json.find(",\"used\":{\"walltime\":20,\"cput\":30,\"mem\":1024,\"ncpus\":4}}]},{\"host\":\"b\",\"samples\":[{\"wallNs\":") !=
                 std::string::npos,
             json);
  BOOST_TEST(json.find("\"used\":{\"cput\":8,\"mem\":2048,\"rack\":\"two, words\",\"watts\":17.5}}") != std::string::npos, json);
  BOOST_TEST(json.find("\"total\":[{\"wallNs\":") != std::string::npos, json);
}

BOOST_AUTO_TEST_CASE(without_by_host_json_is_as_it_always_was) {
  a_job_on_two_hosts();
  auto w = wanted(usage_form::json);
  w.by_host = false;
  const auto json = told(w);
  BOOST_TEST(json.find("\"hosts\":[{\"host\":\"a\",\"cpuEfficiencyPercent\":38,\"samples\":[{\"wallNs\":") != std::string::npos, json);
  BOOST_TEST(json.find("\"walltime\":20,\"cput\":30,\"cpupercent\":0,\"memKb\":1024,\"vmemKb\":0,\"ncpus\":4}]}") != std::string::npos,
             json);
  BOOST_TEST(json.find("watts") == std::string::npos, json);
}

BOOST_AUTO_TEST_CASE(of_resources_that_are_named_only_these_are_shown_and_one_without_values_is_told) {
  a_job_on_two_hosts();
  BOOST_TEST(told(wanted(usage_form::csv, {"watts", "cput"})).find("job,run,host,time,watts,cput\n") == 0u);
  BOOST_TEST(told(wanted(usage_form::csv, {"watts", "volts"})).empty());
  BOOST_TEST(end.without_value == "volts");
}

BOOST_AUTO_TEST_CASE(since_leaves_samples_out_and_until_shows_the_job_as_it_was) {
  a_job_on_two_hosts();
  auto w = wanted(usage_form::csv, {"cput"});
  const auto reported = now_ns() - 10'000 * ms;
  w.from = last() - 3;  // the exit, the end, and two resources
  BOOST_TEST(told(w) == "job,run,host,time,cput\n1.borg,1,a," + csv_time(now_ns()) + ",30\n1.borg,1,b," + csv_time(now_ns()) + ",8\n");
  w.from = 1;
  w.to = last() - 4;
  BOOST_TEST(told(w) == "job,run,host,time,cput\n1.borg,1,a," + csv_time(reported) + ",5\n1.borg,1,b," + csv_time(reported) + ",8\n");
  w.form = usage_form::text;
  BOOST_TEST(told(w).find(", goes on\n") != std::string::npos);
  w.from = w.to = last();
  w.resources.clear();
  BOOST_TEST(told(w) == "job 1.borg\nit did not run then\n");
  w.to = 2;
  BOOST_TEST(told(w).empty());
  BOOST_TEST(end.told.jobs == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_read_again_from_the_disk_is_the_same_byte_for_byte) {
  a_job_on_two_hosts();
  const test::temporary_directory own;
  {
    const auto made = log::open_event_store(own.at("log"));
    BOOST_REQUIRE(store.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
      const auto decoded = log::decode(bytes);
      const auto r = std::get<log::record_ptr>(decoded)->get();
      ports::write_batch batch;
      batch.records.push_back({sequence, r.getStream(), r.getStreamVersion(), {bytes.begin(), bytes.end()}});
      return static_cast<bool>(std::get<0>(made)->append(batch));
    }));
  }
  const auto again = log::open_event_store(own.at("log"));
  for (const auto form : {usage_form::text, usage_form::json, usage_form::csv, usage_form::plot}) {
    const auto live = told(wanted(form));
    BOOST_TEST(!live.empty());
    BOOST_TEST(told_from(*std::get<0>(again), wanted(form)) == live);
  }
}

BOOST_AUTO_TEST_CASE(a_drawing_has_a_line_for_each_host_on_one_scale) {
  const auto job = submit();
  assign(job, {"n1", "n2"});
  later(1000);
  for (int i = 0; i <= 8; ++i) {
    const auto cput = values::print_duration(8 * i);
    const test::values_used used{{"cput", cput}, {"walltime", "00:01:00"}};
    if (i < 4) report(job, used, {{"n1", used}});
    else report(job, used, {{"n1", used}, {"n2", {{"cput", "00:00:16"}}}});
    later(1000);
  }
  auto w = wanted(usage_form::plot, {"cput"});
  w.drawn_on = {.columns = 4 + 2 + 1 + 16 + 1 + 8, .blocks = false};
  const auto from = time_text(now_ns() - 9000 * ms), to = time_text(now_ns() - 1000 * ms);
  const auto head = "  drawn from " + from + " to " + to + "\n  cput, 00:00:00 to 00:01:04\n";
  const auto text = told(w);
  BOOST_TEST(text.find(head + "    n1 .::--==++**%%### 00:01:04\n    n2        --------- 00:00:16\n") != std::string::npos, text);
  w.drawn_on.blocks = true;
  const auto blocks = told(w);
  BOOST_TEST(blocks.find("    n1 ▁▂▂▃▃▄▄▅▅▆▆▇▇███ 00:01:04\n") != std::string::npos, blocks);
  w.drawn_on = {.columns = 1, .blocks = false};  // a drawing has 10 columns at least
  const auto narrow = told(w);
  BOOST_TEST(narrow.find("    n1 .:-=++*%## 00:01:04\n") != std::string::npos, narrow);
  w.resources.clear();
  BOOST_TEST(told(w).find("mem") == std::string::npos);  // nothing was told of it
}

BOOST_AUTO_TEST_CASE(words_are_refused_by_name_when_they_are_to_be_drawn) {
  a_job_on_two_hosts();
  BOOST_TEST(told(wanted(usage_form::plot, {"cput", "rack"})).empty());
  BOOST_TEST(end.not_drawn == "rack=two, words");
  BOOST_TEST(told(wanted(usage_form::plot, {"watts"})).find("  watts, 0 to 17.5\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_run_that_told_nothing_and_a_job_that_has_not_run_are_drawn_as_words) {
  const auto job = submit();
  BOOST_TEST(told(wanted(usage_form::plot)) == "job 1.borg\nit has not run\n");
  assign(job, {"n1"});
  BOOST_TEST(told(wanted(usage_form::plot)).find("goes on\n  nothing was reported\n") != std::string::npos);
  BOOST_TEST(told(wanted(usage_form::csv)) == "job,run,host,time\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(fields_with_commas_quotes_or_blanks_at_an_end_are_quoted) {
  BOOST_TEST(csv_line({"plain", "", "two words"}) == "plain,,two words\n");
  BOOST_TEST(csv_line({"a,b", "say \"yes\"", " x", "y "}) == "\"a,b\",\"say \"\"yes\"\"\",\" x\",\"y \"\n");
  BOOST_TEST(csv_line({"a\nb\x1b"}) == "a\\x0ab\\x1b\n");
  BOOST_TEST(csv_time(1'795'222'000'123'456'789) == "2026-11-21T00:46:40.123Z");
}

BOOST_AUTO_TEST_CASE(a_value_is_a_number_by_the_type_of_its_resource) {
  const resource_types types;
  BOOST_TEST(plain_text(types.quantity_of("cput", "01:00:01")) == "3601");
  BOOST_TEST(plain_text(types.quantity_of("mem", "1gb")) == "1048576");
  BOOST_TEST(plain_text(types.quantity_of("mem", "1b")) == "1");
  BOOST_TEST(plain_text(types.quantity_of("ncpus", "-4")) == "-4");
  BOOST_TEST(plain_text(types.quantity_of("ncpus", "many")) == "many");
  BOOST_TEST(plain_text(types.quantity_of("unknown", "12")) == "12");
  BOOST_TEST(!number_of(types.quantity_of("unknown", "12")));
  BOOST_TEST(number_of(types.quantity_of("ncpus", "12")).value_or(0) == 12.0);
}
