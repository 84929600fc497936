// Files come before a job and go after it, as its user, by cp or a program in the place of scp that keeps other hosts'
// files in directories.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "actors/mom/host/child_process.hpp"
#include "host_fixture.hpp"

using namespace annals;
using test::host_fixture;
using test::read_whole;
using test::write_whole;

namespace {

bool exists(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0;
}

struct staging_fixture : host_fixture {
  const values::run_key key = test::run_of("3.b.1");
  std::string far(const std::string& path) const { return work() + "/far" + path; }

  staging_fixture() {
    mkdir((work() + "/far").c_str(), 0755);
    options.scp = {work() + "/scp", "-Brvp"};
    options.delivery_pauses_s = {0, 0};
    // The words behind the first; "user@far:/x" is /x below the directory far. A file "refuse" makes it fail.
    write_whole(work() + "/scp",
                "#!/bin/sh\nshift\necho \"$*\" >> " + work() + "/words\n[ -e " + work() +
                    "/refuse ] && { echo refused; exit 1; }\nn=$#\nwhile [ $n -gt 0 ]; do w=$1; shift; n=$((n-1))\n"
                    "case $w in *@far:*) w=" +
                    work() + "/far${w#*@far:};; esac; set -- \"$@\" \"$w\"; done\nexec cp -rp \"$@\"\n",
                0755);
    restart_mom();
  }
  ports::delivery_result stage_in(std::vector<ports::staged_file> files, bool private_jobdir = false) {
    const auto before = so_far(key).staged_in.size();
    host->stage_in(key, {"3.b", test::own_user(), private_jobdir ? "pbs.3.b.x8z" : "", work(), std::move(files)});
    return wait(key, [&](const test::told& t) { return t.staged_in.size() > before; }).staged_in.back();
  }
  ports::delivery_result deliver(const ports::delivery_order& what) {
    const auto before = so_far(key).delivered.size();
    host->deliver(key, what);
    return wait(key, [&](const test::told& t) { return t.delivered.size() > before; }).delivered.back();
  }
  ports::delivery_result stage_out(std::vector<ports::staged_file> out, std::vector<ports::staged_file> used = {}) {
    return deliver({test::own_user(), {}, std::move(out), std::move(used)});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(staging, staging_fixture)

BOOST_AUTO_TEST_CASE(files_and_directories_come_from_here_and_from_elsewhere) {
  write_whole(work() + "/store.txt", "near");
  write_whole(far("/a.txt"), "far away");
  mkdir(far("/dir").c_str(), 0755);
  write_whole(far("/dir/b"), "b");
  const auto result = stage_in({{work() + "/in1", "here", work() + "/store.txt", true},
                                {work() + "/in2", "far", "/a.txt", false},
                                {work() + "/ind", "far", "/dir", false}});
  BOOST_TEST(result.ok);
  BOOST_TEST(result.delivered == 3u);
  BOOST_TEST(read_whole(work() + "/in1") == "near");
  BOOST_TEST(read_whole(work() + "/in2") == "far away");
  BOOST_TEST(read_whole(work() + "/ind/b") == "b");
}

BOOST_AUTO_TEST_CASE(a_file_that_does_not_come_is_tried_again_and_told) {
  const auto result = stage_in({{work() + "/in", "here", "/no/such", true}});
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.delivered == 0u);
  BOOST_TEST(result.text.starts_with("Unable to copy file " + work() + "/in from /no/such\n>>> error from copy\n"));
  BOOST_TEST(result.text.ends_with("\n>>> end error output\n"));
  BOOST_REQUIRE(result.tries.size() == 2u);
  BOOST_TEST(result.tries[1] == "command: /bin/cp -rp /no/such " + work() + "/in status=1, try=2");
}

BOOST_AUTO_TEST_CASE(a_private_directory_is_made_for_them_and_goes_with_the_refused_run) {
  write_whole(far("/a.txt"), "x");
  BOOST_TEST(stage_in({{"in", "far", "/a.txt", false}}, true).ok);
  const std::string jobdir = work() + "/pbs.3.b.x8z";
  BOOST_TEST(read_whole(jobdir + "/in") == "x");
  host->unstage(key, {"3.b", test::own_user(), "pbs.3.b.x8z", work(), {{"in", "far", "/a.txt", false}}});
  test::wait_until([&] { return !exists(jobdir); }, "the directory is gone");
}

BOOST_AUTO_TEST_CASE(no_word_of_a_user_is_an_option_a_host_or_a_shells) {
  write_whole(far("/$(touch x);a b"), "odd");
  const std::string odd = work() + "/-t:$(touch y) 'b";
  BOOST_TEST(stage_in({{odd, "far", "/$(touch x);a b", false}}).ok);
  BOOST_TEST(read_whole(odd) == "odd");
  BOOST_TEST(read_whole(work() + "/words") == test::own_user() + "@far:/$(touch x);a b " + odd + "\n");
  BOOST_TEST(!exists(work() + "/x"));
}

BOOST_AUTO_TEST_CASE(results_go_and_are_removed_and_so_is_what_came) {
  write_whole(work() + "/res", "r");
  write_whole(work() + "/in", "i");
  mkdir(far("/back").c_str(), 0755);
  const auto result = stage_out({{work() + "/res", "far", "/back/result", false}}, {{work() + "/in", "far", "/somewhere", false}});
  BOOST_TEST(result.ok);
  BOOST_TEST(result.asked == 1u);
  BOOST_TEST(read_whole(far("/back/result")) == "r");
  BOOST_TEST(!exists(work() + "/res"));
  BOOST_TEST(!exists(work() + "/in"));
}

BOOST_AUTO_TEST_CASE(a_wildcard_names_many_files_and_one_that_is_there_itself) {
  for (const char* name : {"x.dat", "y.dat", "z.txt", "[q].dat"}) write_whole(work() + "/" + name, name);
  mkdir(far("/back").c_str(), 0755);
  BOOST_TEST(stage_out({{work() + "/[q].dat", "far", "/back", false}}).delivered == 1u);
  BOOST_TEST(read_whole(far("/back/[q].dat")) == "[q].dat");
  forget_and_wait(key);
  const auto result = stage_out({{work() + "/*.dat", "far", "/back", false}});
  BOOST_TEST(result.ok);
  BOOST_TEST(result.delivered == 1u);
  BOOST_TEST(read_whole(far("/back/x.dat")) == "x.dat");
  BOOST_TEST(read_whole(far("/back/y.dat")) == "y.dat");
  BOOST_TEST(!exists(work() + "/y.dat"));
  BOOST_TEST(exists(work() + "/z.txt"));
}

BOOST_AUTO_TEST_CASE(several_files_never_become_one) {
  write_whole(work() + "/x.dat", "x");
  write_whole(work() + "/y.dat", "y");
  BOOST_TEST(!stage_out({{work() + "/*.dat", "here", work() + "/nodir", true}}).ok);
  BOOST_TEST(read_whole(work() + "/x.dat") == "x");
  BOOST_TEST(read_whole(work() + "/y.dat") == "y");
}

BOOST_AUTO_TEST_CASE(a_result_that_is_missing_is_told_at_once_and_the_others_go) {
  write_whole(work() + "/res", "r");
  write_whole(work() + "/in", "i");
  const auto result =
      stage_out({{"nofile", "here", "/x", true}, {work() + "/res", "far", "/res", false}}, {{work() + "/in", "far", "/in", false}});
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.delivered == 1u);
  BOOST_TEST(result.asked == 2u);
  BOOST_TEST(result.text.starts_with("Unable to copy file nofile to here:/x\n"));
  BOOST_TEST(result.tries.empty());
  BOOST_TEST(read_whole(far("/res")) == "r");
  BOOST_TEST(exists(work() + "/in"));
}

BOOST_AUTO_TEST_CASE(directories_that_were_staged_stay) {
  mkdir((work() + "/d").c_str(), 0755);
  write_whole(work() + "/d/a", "a");
  BOOST_TEST(stage_out({{work() + "/d", "far", "/copy", false}}, {{work() + "/d", "far", "/x", false}}).ok);
  BOOST_TEST(read_whole(far("/copy/a")) == "a");
  BOOST_TEST(exists(work() + "/d/a"));
}

BOOST_AUTO_TEST_CASE(what_lies_where_it_belongs_is_neither_copied_nor_removed) {
  write_whole(work() + "/mine", "precious");
  const ports::staged_file same{work() + "/mine", "here", work() + "/mine", true};
  BOOST_TEST(stage_in({same}).ok);
  BOOST_TEST(stage_out({same, {work() + "/min*", "here", work(), true}}, {same}).ok);
  BOOST_TEST(read_whole(work() + "/mine") == "precious");
}

BOOST_AUTO_TEST_CASE(a_repeat_after_a_crash_does_not_miss_what_went) {
  write_whole(work() + "/res", "r");
  const std::vector<ports::staged_file> out{{work() + "/res", "far", "/res", false}};
  BOOST_TEST(stage_out(out).ok);
  restart_mom();
  BOOST_TEST(stage_out(out).ok);
  BOOST_TEST(read_whole(work() + "/words") == work() + "/res " + test::own_user() + "@far:/res\n");
  forget_and_wait(key);
  BOOST_TEST(!stage_out(out).ok);  // another run's
}

BOOST_AUTO_TEST_CASE(a_new_mom_ends_what_an_earlier_one_copies) {
  write_whole(far("/a"), "a");
  write_whole(work() + "/scp", "#!/bin/sh\necho $$ > " + work() + "/pid\nexec sleep 1000\n", 0755);
  const std::vector<ports::staged_file> in{{work() + "/in", "far", "/a", false}};
  host->stage_in(key, {"3.b", test::own_user(), "", "", in});
  test::wait_until([&] { return read_whole(work() + "/pid").ends_with('\n'); }, "it copies");
  const long pid = std::stol(read_whole(work() + "/pid"));
  crash_mom();
  BOOST_TEST(test::alive(pid));
  write_whole(work() + "/scp", "#!/bin/sh\nexec cp " + far("/a") + " " + work() + "/in\n", 0755);
  new_mom();
  BOOST_TEST(stage_in(in).ok);
  test::wait_until([&] { return !test::alive(pid); }, "the earlier copy program to end");
  BOOST_TEST(read_whole(work() + "/in") == "a");
}

BOOST_AUTO_TEST_CASE(a_copy_program_cannot_write_what_root_reads) {
  write_whole(work() + "/scp",
              "#!/bin/sh\nls /proc/$$/fd > " + work() +
                  "/open\nfor n in 3 4 5 6 7 8 9; do (eval \"echo pid 1 >&$n\") 2> /dev/null; done\nexec cp " + work() + "/open " + work() +
                  "/in\n",
              0755);
  BOOST_TEST(stage_in({{work() + "/in", "far", "/a", false}}).ok);
  BOOST_TEST(read_whole(home() + "/mom_priv/jobs/" + print(key) + ".copy").find("pid 1\n") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_copy_program_leaves_running_holds_nobody_up) {
  write_whole(work() + "/scp", "#!/bin/sh\nsetsid sleep 1000 &\necho $! > " + work() + "/pid\necho x > " + work() + "/in\n", 0755);
  BOOST_TEST(stage_in({{work() + "/in", "far", "/a", false}}).ok);
  BOOST_TEST(!test::alive(std::stol(read_whole(work() + "/pid"))));
}

BOOST_AUTO_TEST_CASE(a_copy_that_does_not_end_is_ended) {
  write_whole(work() + "/scp", "#!/bin/sh\necho asking\nsetsid sleep 1000 &\necho $! > " + work() + "/pid\nwait\n", 0755);
  const auto has_come_far = [&] { return read_whole(work() + "/pid").ends_with('\n'); };
  ports::delivery_result result;
  for (unsigned limit = 1; limit <= 64 && !has_come_far(); limit *= 2) {  // a busy machine may not come so far in a second
    options.copying_s_max = limit;
    restart_mom();
    result = stage_in({{work() + "/in", "far", "/a", false}});
    BOOST_TEST(!result.ok);
    BOOST_TEST(result.text.find("it took too long and was ended\n") != std::string::npos, result.text);
    BOOST_TEST(result.tries.size() == 1u);
    forget_and_wait(key);
  }
  BOOST_REQUIRE(has_come_far());
  BOOST_TEST(result.text.find("\nasking\nit took too long and was ended\n") != std::string::npos, result.text);
  BOOST_TEST(!test::alive(std::stol(read_whole(work() + "/pid"))));
}

BOOST_AUTO_TEST_CASE(the_end_of_what_copy_programs_say_is_told_and_so_is_what_came) {
  write_whole(work() + "/scp", "#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' x\necho; echo no route; exit 1\n", 0755);
  write_whole(work() + "/store", "x");
  std::vector<ports::staged_file> files{{work() + "/in", "here", work() + "/store", true}};
  for (int i = 0; i < 30; ++i) files.push_back({work() + "/x", "far", "/a", false});
  const auto result = stage_in(files);
  BOOST_TEST(!result.ok);
  BOOST_TEST(result.delivered == 1u);
  BOOST_TEST(result.text.find("xxx\nno route\n>>> end error output\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lock_that_somebody_keeps_harms_nobody) {
  const std::string lock = home() + "/mom_priv/jobs/" + print(key) + ".copy";
  const auto bystander = mom::spawn_program({"/bin/sleep", "1000"});
  BOOST_REQUIRE(bystander);
  write_whole(lock, "pid " + std::to_string(bystander->pid) + " 1\n");  // of an earlier process with this number
  const int held = open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(flock(held, LOCK_EX) == 0);
  write_whole(work() + "/store", "x");
  BOOST_TEST(stage_in({{work() + "/in", "here", work() + "/store", true}}).ok);
  BOOST_TEST(test::alive(bystander->pid));
  close(held);
  kill(bystander->pid, SIGKILL);
  mom::reap(bystander->pid);
  close(bystander->pidfd);
}

BOOST_AUTO_TEST_CASE(a_run_that_will_not_start_stops_copying) {
  write_whole(work() + "/scp", "#!/bin/sh\necho $$ > " + work() + "/pid\nexec sleep 1000\n", 0755);
  const ports::stage_in_order in{"3.b", test::own_user(), "", "", {{work() + "/in", "far", "/a", false}}};
  host->stage_in(key, in);
  test::wait_until([&] { return read_whole(work() + "/pid").ends_with('\n'); }, "it copies");
  host->unstage(key, in);
  test::wait_until([&] { return !test::alive(std::stol(read_whole(work() + "/pid"))); }, "it has ended");
}

BOOST_AUTO_TEST_CASE(wildcards_are_those_of_the_list_and_not_of_a_subjobs_directory) {
  auto o = script(key, "echo r > result.txt; echo n > notes");
  o.private_jobdir = "pbs.3[1].b.x8z";
  o.jobdir = work();
  o.stdout_file = "3[1].b.OU";
  o.stderr_file = "3[1].b.ER";
  run(o);
  BOOST_TEST(stage_out({{"res*.txt", "here", work() + "/kept.txt", true}}).ok);
  BOOST_TEST(read_whole(work() + "/kept.txt") == "r\n");
}

BOOST_AUTO_TEST_CASE(a_private_directory_with_results_that_could_not_go_is_kept) {
  auto o = script(key, "echo r > res");
  o.private_jobdir = "pbs.3.b.x8z";
  o.jobdir = work();
  o.stdout_file = "3.b.OU";
  o.stderr_file = "3.b.ER";
  run(o);
  write_whole(work() + "/refuse", "");
  const ports::delivery_order all{test::own_user(), {{"3.b.OU", "here", work() + "/out", true}}, {{"res", "far", "/res", false}}};
  BOOST_TEST(!deliver(all).ok);
  host->keep_jobdir(key);
  forget_and_wait(key);
  BOOST_TEST(read_whole(work() + "/pbs.3.b.x8z/res") == "r\n");
}

BOOST_AUTO_TEST_SUITE_END()
