// tracejob's reading of logs.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "tools/client/print/trace.hpp"

using namespace annals::client;

namespace {

const std::string server_log =
    "11/20/2026 23:18:32;0100;Server@vm;Job;48.vm;enqueuing into workq, state Q hop 1\n"
    "11/20/2026 23:18:32;0008;Server@vm;Job;148.vm;enqueuing into workq; state\n"
    "11/20/2026 23:18:33;0400;Server@vm;Job;48.vm;Updated job state to 82; substate 42\n"
    "not a line;48.vm;\n";
const std::string mom_log = "11/20/2026 23:18:32;0008;pbs_mom;Job;48.vm;Started, pid = 18970\n";
const std::string accounting = "11/20/2026 23:18:32;Q;48.vm;user=pbsuser queue=workq \n";

std::string trace(const trace_options& o) {
  std::vector<trace_entry> entries;
  collect_trace(entries, accounting, "48.vm", log_source::accounting, o);
  collect_trace(entries, mom_log, "48.vm", log_source::mom, o);
  collect_trace(entries, server_log, "48.vm", log_source::server, o);
  std::string out;
  put_trace(out, "48.vm", entries, o);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tracing)

BOOST_AUTO_TEST_CASE(the_logs_of_a_job_are_merged_by_time) {
  BOOST_TEST(trace({}) ==
             "\nJob: 48.vm\n\n"
             "11/20/2026 23:18:32  S    enqueuing into workq, state Q hop 1\n"
             "11/20/2026 23:18:32  A    user=pbsuser queue=workq \n"
             "11/20/2026 23:18:32  M    Started, pid = 18970\n"
             "11/20/2026 23:18:33  S    Updated job state to 82; substate 42\n");
}

BOOST_AUTO_TEST_CASE(one_second_is_told_in_the_order_of_a_jobs_life) {
  const std::string at = "11/20/2026 23:18:32;0008;";
  const std::string server = at + "Server@vm;Job;1.vm;enqueuing into workq, state Q hop 1\n" + at +
                             "Server@vm;Job;1.vm;Job Queued\n" + at +
                             "Server@vm;Job;1.vm;Job Run at request of Scheduler@vm\n" + at +
                             "Server@vm;Job;1.vm;Obit received\n" + at + "Server@vm;Job;1.vm;Holds u set\n";
  const std::string sched = at + "pbs_sched;Job;1.vm;Considering job to run\n" + at + "pbs_sched;Job;1.vm;Job run\n";
  const std::string mom = at + "pbs_mom;Job;1.vm;Started, pid = 1\n" + at +
                          "pbs_mom;Job;1.vm;task 00000001 terminated\n" + at + "pbs_mom;Job;1.vm;Terminated\n";
  std::vector<trace_entry> entries;
  collect_trace(entries, mom, "1.vm", log_source::mom, {});
  collect_trace(entries, server, "1.vm", log_source::server, {});
  collect_trace(entries, sched, "1.vm", log_source::scheduler, {});
  std::string out, letters;
  put_trace(out, "1.vm", entries, {});
  for (std::size_t line = out.find("11/"); line != std::string::npos; line = out.find("11/", line + 1))
    letters += out[line + 21];
  BOOST_TEST(letters == "SSLSLMMMSS");
  BOOST_TEST(out.ends_with("Obit received\n11/20/2026 23:18:32  S    Holds u set\n"));
}

BOOST_AUTO_TEST_CASE(microseconds_and_years_decide_the_order) {
  std::vector<trace_entry> entries;
  const std::string log =
      "01/02/2027 00:00:00.000002;0008;Server@vm;Job;1.vm;third\n"
      "01/02/2027 00:00:00;0008;Server@vm;Job;1.vm;second\n"
      "12/31/2026 00:00:00.5;0008;Server@vm;Job;1.vm;first\n";
  collect_trace(entries, log, "1.vm", log_source::server, {});
  std::string out;
  put_trace(out, "1.vm", entries, {});
  BOOST_TEST(out.find("first") < out.find("second"));
  BOOST_TEST(out.find("second") < out.find("third"));
}

BOOST_AUTO_TEST_CASE(filtered_events_are_left_out) {
  const std::string out = trace({.hidden_events = event_bits("debug2") | event_bits("0x400")});
  BOOST_TEST(out.find("enqueuing") == std::string::npos);
  BOOST_TEST(out.find("Updated") == std::string::npos);
  BOOST_TEST(out.find("Started") != std::string::npos);
  BOOST_TEST(event_bits("nonsense") == 0u);
}

BOOST_AUTO_TEST_CASE(repeated_messages_are_shown_once_when_asked_or_too_many) {
  std::string log;
  for (int i = 10; i < 30; ++i) log += "11/20/2026 23:18:" + std::to_string(i) + ";0008;Server@vm;Job;1.vm;again\n";
  const auto shown = [&](const trace_options& o) {
    std::vector<trace_entry> entries;
    collect_trace(entries, log, "1.vm", log_source::server, o);
    std::string out;
    put_trace(out, "1.vm", entries, o);
    return out.substr(out.find("\n\n", 1) + 2);
  };
  BOOST_TEST(shown({}) == "11/20/2026 23:18:29  S    again\n");
  BOOST_TEST(shown({.repeated_max = 0, .no_duplicates = true}) == "11/20/2026 23:18:10  S    again\n");
  const std::string all = shown({.repeated_max = 0});
  BOOST_TEST(std::count(all.begin(), all.end(), '\n') == 20);
}

BOOST_AUTO_TEST_CASE(long_lines_are_broken_at_blanks_when_a_width_is_given) {
  BOOST_TEST(trace({.width = 50}).find("enqueuing into workq,\n                          state Q hop 1\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
