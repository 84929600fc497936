// The program itself, on logs on disk: exit statuses, and --follow beside a writer.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "events/log/rocksdb_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;

namespace {

const std::string program = annals::test::stage_dir() + "/sbin/pbs_audit";

struct log_on_disk {
  const test::temporary_directory own;
  const std::string home = own.path, path = home + "/server_priv/log";
  std::unique_ptr<ports::event_store> store;

  log_on_disk() {
    std::filesystem::create_directory(home + "/server_priv");
    open();
  }
  void open() {
    auto opened = log::open_event_store(path);
    BOOST_REQUIRE(opened.index() == 0);
    store = std::get<0>(std::move(opened));
  }
  test::ran audit(std::vector<std::string> words) {
    words.insert(words.begin(), program);
    return test::run(
        words, {.input = {}, .environment = {{"PBS_HOME", home}, {"PBS_CONF_FILE", home + "/none"}}, .directory = {}, .meanwhile = {}});
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_sound_log_is_read_beside_its_writer) {
  log_on_disk log;
  test::made_history history(*log.store, 1);
  history.begin();
  for (int i = 0; i < 50; ++i) history.step();
  const auto verified = log.audit({"verify"});
  BOOST_TEST(verified.status == 0);
  BOOST_TEST(verified.out.find("sound: " + std::to_string(log.store->last_sequence()) + " records") != std::string::npos,
             verified.out + verified.err);
  const auto job = log.audit({"job", "1"});
  BOOST_TEST(job.status == 0);
  BOOST_TEST(job.out.find("JobQueued") != std::string::npos);
  const auto listed = log.audit({"log", "-n", "5", "--until", "20"});
  BOOST_TEST(listed.status == 0);
  BOOST_TEST(std::count(listed.out.begin(), listed.out.end(), '\n') == 5);
  BOOST_TEST(listed.out.find("#20 ") != std::string::npos);
  const auto replayed = log.audit({"replay", "--until", "20"});
  BOOST_TEST(replayed.status == 0);
  BOOST_TEST(replayed.out.find("at #20, ") == 0u);
  const auto startup = log.audit({"startup", "1.borg"});
  BOOST_TEST(startup.status == 0);
  BOOST_TEST(startup.out.find("job 1.borg\n") == 0u, startup.out);
  const auto hosts = log.audit({"hosts", "--since", "2", "--until", "20", "--all"});
  BOOST_TEST(hosts.status == 0);
  BOOST_TEST(!hosts.out.empty());
}

BOOST_AUTO_TEST_CASE(exit_statuses_tell_usage_unknown_jobs_and_missing_logs_apart) {
  log_on_disk log;
  test::made_history history(*log.store, 1);
  history.begin();
  BOOST_TEST(log.audit({}).status == 2);
  BOOST_TEST(log.audit({"explain"}).status == 2);
  const auto no_kind = log.audit({"log", "--kind", "Nothing"});
  BOOST_TEST(no_kind.status == 2);
  BOOST_TEST(no_kind.err.find("; there are: server queue host job scheduler run part hook log reservation ") != std::string::npos,
             no_kind.err);
  BOOST_TEST(log.audit({"log", "--since", "last week"}).status == 2);
  BOOST_TEST(log.audit({"job", "a.b.c"}).status == 2);
  BOOST_TEST(log.audit({"startup"}).status == 2);
  BOOST_TEST(log.audit({"startup", "a.b.c"}).status == 2);
  BOOST_TEST(log.audit({"hosts", "--until", "tomorrow"}).status == 2);
  for (const char* wrong : {"x", "0", "-1", "1.5", "99999999999999999999"}) {
    const auto ran = log.audit({"hook", "--rerun", wrong});
    BOOST_TEST(ran.status == 2, wrong);
    BOOST_TEST(ran.err.find(std::string("must be a whole number from 1 on, not ") + wrong) != std::string::npos, ran.err);
  }
  const auto unknown = log.audit({"job", "77"});
  BOOST_TEST(unknown.status == 1);
  BOOST_TEST(unknown.err == "pbs_audit: the log knows no job 77\n");
  const auto not_started = log.audit({"startup", "77"});
  BOOST_TEST(not_started.status == 1);
  BOOST_TEST(not_started.err == "pbs_audit: the log knows no job 77\n");
  const auto missing = log.audit({"--log", log.home, "verify"});
  BOOST_TEST(missing.status == 3);
  BOOST_TEST(missing.err.find("there is no event log here: name the directory of a log with --log") != std::string::npos, missing.err);
  BOOST_TEST(log.audit({"--version"}).status == 0);
}

BOOST_AUTO_TEST_CASE(usage_and_efficiency_are_printed_in_one_form_each) {
  log_on_disk log;
  test::made_history history(*log.store, 1);
  history.begin();
  for (int i = 0; i < 200; ++i) history.step();
  BOOST_TEST(log.audit({"usage", "1"}).out.find("job 1.borg\n") == 0u);
  BOOST_TEST(log.audit({"usage", "1", "--by", "host"}).out.find("job 1.borg\n") == 0u);
  BOOST_TEST(log.audit({"usage", "1", "--json"}).out.find("{\"job\":\"1.borg\",") == 0u);
  BOOST_TEST(log.audit({"usage", "1", "--csv", "--since", "1", "--until", "1"}).err == "pbs_audit: the log knows no job 1\n");
  BOOST_TEST(log.audit({"usage", "1", "--csv"}).out.find("job,run,host,time") == 0u);
  BOOST_TEST(log.audit({"usage", "1", "--plot"}).out.find("job 1.borg\n") == 0u);
  BOOST_TEST(log.audit({"usage", "--resource", "volts,watts", "--csv", "1"}).err == "pbs_audit: job 1 has no value of volts\n");
  BOOST_TEST(log.audit({"efficiency"}).out.find("job") == 0u);
  BOOST_TEST(log.audit({"efficiency", "--json", "1", "2.borg"}).out.find("{\"runs\":[") == 0u);
  BOOST_TEST(
      log.audit({"efficiency", "--csv", "--user", "user1", "--queue", "workq", "--since", "2", "--until", "100"}).out.find("job,run,") ==
      0u);
  BOOST_TEST(log.audit({"efficiency", "--user", "nobody"}).out == "no run\n");
  for (const auto& wrong : std::vector<std::vector<std::string>>{{"usage"},
                                                                 {"usage", "1", "--by", "queue"},
                                                                 {"usage", "1", "--json", "--csv"},
                                                                 {"usage", "1", "--csv", "--plot"},
                                                                 {"usage", "1", "--resource", "cput"},
                                                                 {"usage", "1", "--json", "--resource", "cput"},
                                                                 {"usage", "1", "--since", "last week"},
                                                                 {"efficiency", "a.b.c"},
                                                                 {"efficiency", "--plot"},
                                                                 {"efficiency", "--json", "--csv"},
                                                                 {"efficiency", "--until", "tomorrow"}}) {
    const auto ran = log.audit(wrong);
    BOOST_TEST(ran.status == 2, ran.out);
    BOOST_TEST(ran.out.empty(), ran.out);
  }
  const auto unknown = log.audit({"efficiency", "1", "77"});
  BOOST_TEST(unknown.status == 1);
  BOOST_TEST(unknown.out.empty());
  BOOST_TEST(unknown.err == "pbs_audit: the log knows no job 77\n");
}

BOOST_AUTO_TEST_CASE(accounting_files_are_compared_with_the_log_and_written_anew) {
  log_on_disk log;
  test::made_history history(*log.store, 1);
  history.begin();
  for (int i = 0; i < 50; ++i) history.step();
  namespace fs = std::filesystem;
  const auto files = fs::path(log.home) / "server_priv/accounting", fresh = fs::path(log.home) / "fresh";
  BOOST_TEST(log.audit({"accounting"}).status == 2);
  BOOST_TEST(log.audit({"accounting", "--check", "--rebuild", fresh}).status == 2);
  BOOST_TEST(log.audit({"accounting", "--check", "yesterday"}).status == 2);
  BOOST_TEST(log.audit({"accounting", "--check"}).status == 1);  // no directory
  const auto rebuilt = log.audit({"accounting", "--rebuild", fresh});
  BOOST_TEST(rebuilt.status == 0, rebuilt.err);
  BOOST_TEST(log.audit({"accounting", "--rebuild", fresh}).err.find("it exists") != std::string::npos);
  fs::copy(fresh, files);
  const auto same = log.audit({"accounting", "--check"});
  BOOST_TEST(same.status == 0, same.out);
  BOOST_TEST(same.out.find("accounting: as the log says: ") == 0u);

  const auto day = fs::directory_iterator(files)->path();
  const auto differs = [&](const std::string& how) {
    const auto ran = log.audit({"accounting", "--check"});
    BOOST_TEST(ran.status == 1);
    BOOST_TEST(ran.out.find(day.filename().string() + ": " + how) != std::string::npos, ran.out);
    fs::remove(day);
    fs::copy(fresh / day.filename(), day);
  };
  std::fstream(day) << "X";  // as long as before
  differs("line 1 is not that of the log");
  fs::resize_file(day, fs::file_size(day) - 1);
  differs("ends before line ");
  std::ofstream(day, std::ios::app) << "mine\n";
  differs("5 bytes behind line ");
  fs::remove(day);
  differs("the file is missing");
  std::ofstream(files / "19990101") << "old\n";
  const auto unknown = log.audit({"accounting", "--check"});
  BOOST_TEST(unknown.out.find("19990101: the log has no line of this day") == 0u, unknown.out);
  BOOST_TEST(log.audit({"accounting", "--check", day.filename()}).status == 0);
  const auto none = log.audit({"accounting", "--check", "20101010"});
  BOOST_TEST(none.status == 1);
  BOOST_TEST(none.out == "");
  BOOST_TEST(none.err == "pbs_audit: neither the log nor the directory knows the day 20101010\n");
  BOOST_TEST(log.audit({"accounting", "--rebuild", log.home + "/other", "19990101"}).status == 1);
}

BOOST_AUTO_TEST_CASE(a_damaged_log_ends_with_1_and_names_the_record) {
  log_on_disk log, bad;
  test::made_history history(*log.store, 1);
  history.begin();
  BOOST_REQUIRE(log.store->read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    const auto r = std::get<log::record_ptr>(decoded)->get();
    ports::write_batch batch;
    batch.records.push_back({sequence, r.getStream(), r.getStreamVersion(), {bytes.begin(), bytes.end()}});
    if (sequence == 4) batch.records[0].bytes[60] ^= std::byte{1};
    return static_cast<bool>(bad.store->append(batch));
  }));
  const auto as_csv = bad.audit({"efficiency", "--csv"});  // a table has no line for it
  BOOST_TEST(as_csv.status == 1);
  BOOST_TEST(as_csv.out.find("job,run,") == 0u, as_csv.out);
  BOOST_TEST(as_csv.err.find("#4 ") == 0u, as_csv.err);
  for (const char* what : {"verify", "log", "replay", "hosts", "efficiency"}) {
    const auto ran = bad.audit({what});
    BOOST_TEST(ran.status == 1, what);
    BOOST_TEST(((ran.out + ran.err).find("record 4") != std::string::npos || ran.out.find("#4 ") != std::string::npos), ran.out + ran.err);
  }
}

BOOST_AUTO_TEST_CASE(follow_shows_what_is_written_from_now_on_and_leaves_nothing_behind) {
  log_on_disk log;
  test::made_history history(*log.store, 1);
  history.begin();
  const auto scratch = log.home + "/scratch";
  std::filesystem::create_directory(scratch);
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::setenv("TMPDIR", scratch.c_str(), 1);
    ::execl(program.c_str(), program.c_str(), "--log", log.path.c_str(), "log", "--follow", "-n", "1", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[1]);
  FILE* from = ::fdopen(ends[0], "r");
  char line[4096];
  BOOST_REQUIRE(std::fgets(line, sizeof line, from));
  BOOST_TEST(std::string(line).find("#" + std::to_string(log.store->last_sequence()) + " ") != std::string::npos);
  history.submit("alice");
  BOOST_REQUIRE(std::fgets(line, sizeof line, from));
  BOOST_TEST(std::string(line).find("by alice@front") != std::string::npos, line);
  ::kill(child, SIGINT);
  int status = 0;
  BOOST_TEST(::waitpid(child, &status, 0) == child);
  BOOST_TEST(WIFEXITED(status));
  BOOST_TEST(WEXITSTATUS(status) == 0);
  std::fclose(from);
  BOOST_TEST(std::filesystem::is_empty(scratch));
}
