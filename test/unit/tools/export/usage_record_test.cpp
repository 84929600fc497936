// Records of Usage Record 2.0: what of a run is in which element. Their structure as a whole is checked by
// test/system/accounting_readers_test.py.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tools/export/usage_record.hpp"

using namespace annals;

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t submitted = 1'796'012'800 * second;  // 2026-11-30T04:26:40Z

exports::row_builder begun_run() {
  exports::row_builder run(exports::table_id::runs, submitted + 100 * second);
  run.integer("job", 7).integer("run", 2).text("job_id", "12.borg").text("job_name", "a<b&c>d");
  run.text("user_name", "anna").text("group_name", "physics").text("queue", "workq").at("created_at", submitted);
  return run;
}

bool has(const std::string& record, const std::string& part) { return record.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(usage_records)

BOOST_AUTO_TEST_CASE(a_run_is_told_with_its_hosts_and_its_usage) {
  auto run = begun_run();
  run.at("queued_at", submitted + second).at("eligible_at", submitted + 2 * second);
  run.at("started_at", submitted + 3 * second + 999'999'999)
      .at("ended_at", submitted + 90 * second)
      .at("closed_at", submitted + 100 * second);
  run.text("outcome", "ended").integer("exit_status", 1).integer("session", 4242).integer("hosts", 2).text("exec_host", "n1/0*2+n2/0*2");
  run.integer("asked_ncpus", 4).integer("asked_mem_bytes", 2048).integer("used_cput_s", 61).integer("used_mem_bytes", 1024);
  run.integer("used_vmem_bytes", 4096).integer("used_ncpus", 4).integer("used_walltime_s", 86);
  BOOST_TEST(
      exporting::usage_record(run.done(true)) ==
      "<ur:UsageRecord><ur:RecordIdentityBlock><ur:RecordId>12.borg/2026-11-30T04:26:40Z/2</ur:RecordId>"
      "<ur:CreateTime>2026-11-30T04:28:20Z</ur:CreateTime></ur:RecordIdentityBlock>"
      "<ur:SubjectIdentityBlock><ur:LocalUserId>anna</ur:LocalUserId><ur:LocalGroupId>physics</ur:LocalGroupId></ur:SubjectIdentityBlock>"
      "<ur:ComputeUsageBlock><ur:CpuDuration>PT61S</ur:CpuDuration><ur:WallDuration>PT86S</ur:WallDuration>"
      "<ur:StartTime>2026-11-30T04:26:43Z</ur:StartTime><ur:EndTime>2026-11-30T04:28:10Z</ur:EndTime>"
      "<ur:ExecutionHost><ur:Hostname ur:primary=\"true\">n1</ur:Hostname><ur:ProcessId>4242</ur:ProcessId></ur:ExecutionHost>"
      "<ur:ExecutionHost><ur:Hostname>n2</ur:Hostname></ur:ExecutionHost>"
      "<ur:Processors>4</ur:Processors><ur:NodeCount>2</ur:NodeCount><ur:ExitStatus>1</ur:ExitStatus></ur:ComputeUsageBlock>"
      "<ur:JobUsageBlock><ur:GlobalJobId>12.borg/2026-11-30T04:26:40Z</ur:GlobalJobId><ur:LocalJobId>12.borg</ur:LocalJobId>"
      "<ur:JobName>a&lt;b&amp;c&gt;d</ur:JobName><ur:MachineName>borg</ur:MachineName>"
      "<ur:Queue ur:description=\"execution\">workq</ur:Queue>"
      "<ur:TimeInstant ur:type=\"Ctime\">2026-11-30T04:26:40Z</ur:TimeInstant>"
      "<ur:TimeInstant ur:type=\"Qtime\">2026-11-30T04:26:41Z</ur:TimeInstant>"
      "<ur:TimeInstant ur:type=\"Etime\">2026-11-30T04:26:42Z</ur:TimeInstant><ur:Status>completed</ur:Status></ur:JobUsageBlock>"
      "<ur:MemoryUsageBlock><ur:MemoryClass>RAM</ur:MemoryClass><ur:MemoryResourceCapacityUsed>1024</ur:MemoryResourceCapacityUsed>"
      "<ur:MemoryResourceCapacityRequested>2048</ur:MemoryResourceCapacityRequested><ur:StartTime>2026-11-30T04:26:43Z</ur:StartTime>"
      "<ur:EndTime>2026-11-30T04:28:10Z</ur:EndTime></ur:MemoryUsageBlock>"
      "<ur:MemoryUsageBlock><ur:MemoryClass>virtual</ur:MemoryClass><ur:MemoryResourceCapacityUsed>4096</ur:MemoryResourceCapacityUsed>"
      "<ur:StartTime>2026-11-30T04:26:43Z</ur:StartTime><ur:EndTime>2026-11-30T04:28:10Z</ur:EndTime></ur:MemoryUsageBlock>"
      "</ur:UsageRecord>\n");
}

BOOST_AUTO_TEST_CASE(a_run_that_never_began_has_no_usage) {
  auto run = begun_run();
  run.text("outcome", "start_failed");
  const auto record = exporting::usage_record(run.done(true));
  BOOST_TEST(!has(record, "ComputeUsageBlock"));
  BOOST_TEST(!has(record, "MemoryUsageBlock"));
  BOOST_TEST(has(record, "<ur:Status>failed</ur:Status>"));
}

BOOST_AUTO_TEST_CASE(usage_that_no_host_told_of_is_none) {
  auto run = begun_run();
  run.at("started_at", submitted).at("ended_at", submitted + second).text("outcome", "requeued");
  const auto record = exporting::usage_record(run.done(true));
  BOOST_TEST(has(record, "<ur:CpuDuration>PT0S</ur:CpuDuration><ur:WallDuration>PT0S</ur:WallDuration>"));
  BOOST_TEST(!has(record, "MemoryUsageBlock"));
  BOOST_TEST(!has(record, "ExecutionHost"));
  BOOST_TEST(has(record, "<ur:Status>queued</ur:Status>"));
}

BOOST_AUTO_TEST_CASE(the_status_follows_from_how_the_program_ended) {
  for (const auto& [exit, status] : std::initializer_list<std::pair<int, const char*>>{
           {0, "completed"}, {255, "completed"}, {256 + 11, "failed"}, {256 + 15, "aborted"}, {256 + 9, "aborted"}, {-29, "failed"}}) {
    auto run = begun_run();
    run.text("outcome", "ended").integer("exit_status", exit);
    BOOST_TEST(has(exporting::usage_record(run.done(true)), "<ur:Status>" + std::string(status) + "</ur:Status>"), exit);
  }
}

BOOST_AUTO_TEST_CASE(a_character_that_xml_can_t_have_is_replaced) {
  exports::row_builder run(exports::table_id::runs, submitted);
  run.text("job_id", "12.borg").text("job_name",
                                     "a\x01\x1b\tb\r\n\xEF\xBF\xBF"
                                     "\xC3\xA4]]>");
  BOOST_TEST(has(exporting::usage_record(run.done(true)),
                 "<ur:JobName>a\xEF\xBF\xBD\xEF\xBF\xBD\tb&#13;\n\xEF\xBF\xBD\xC3\xA4]]&gt;</ur:JobName>"));
}

BOOST_AUTO_TEST_SUITE_END()
