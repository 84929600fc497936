#include "actors/mom/host/environment.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(environment)

namespace {

using variables = std::vector<std::string>;

bool has(const variables& env, const std::string& entry) {
  return std::find(env.begin(), env.end(), entry) != env.end();
}

variables sorted(variables env) {
  std::sort(env.begin(), env.end());
  return env;
}

environment_inputs inputs() {
  environment_inputs in;
  in.base = {"PATH=/bin:/usr/bin"};
  in.pbs_exec = "/opt/pbs";
  in.variable_list = "PBS_O_HOME=/home/pbsuser,PBS_O_LOGNAME=pbsuser,PBS_O_QUEUE=workq,PBS_O_HOST=q1";
  in.job_id = "433.q1";
  in.job_name = "e3";
  in.queue = "workq";
  in.schedselect = "1:host=q1:ncpus=1";
  in.node_file = "/var/spool/pbs/aux/433.q1";
  in.tmpdir = "/var/tmp/pbs.433.q1";
  in.cookie = "2E2B903E650093C817D04C0050A1A8A3";
  return in;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_job_has_the_variables_that_pbs_gives_it) {
  auto env = build_environment(inputs());
  account user;
  user.name = "pbsuser";
  user.home = "/home/pbsuser";
  add_account(env, user, "/bin/bash", "/home/pbsuser");
  const variables expected{"ENVIRONMENT=BATCH",
                           "HOME=/home/pbsuser",
                           "LOGNAME=pbsuser",
                           "NCPUS=1",
                           "OMP_NUM_THREADS=1",
                           "PATH=/bin:/usr/bin:/opt/pbs/bin",
                           "PBS_ENVIRONMENT=PBS_BATCH",
                           "PBS_EXEC=/opt/pbs",
                           "PBS_JOBCOOKIE=2E2B903E650093C817D04C0050A1A8A3",
                           "PBS_JOBDIR=/home/pbsuser",
                           "PBS_JOBID=433.q1",
                           "PBS_JOBNAME=e3",
                           "PBS_MOMPORT=15003",
                           "PBS_NODEFILE=/var/spool/pbs/aux/433.q1",
                           "PBS_NODENUM=0",
                           "PBS_O_HOME=/home/pbsuser",
                           "PBS_O_HOST=q1",
                           "PBS_O_LOGNAME=pbsuser",
                           "PBS_O_QUEUE=workq",
                           "PBS_QUEUE=workq",
                           "PBS_TASKNUM=1",
                           "SHELL=/bin/bash",
                           "TMPDIR=/var/tmp/pbs.433.q1",
                           "USER=pbsuser"};
  BOOST_TEST(sorted(env) == sorted(expected), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_submitters_variables_win_over_the_files_and_pbs_wins_over_the_submitters) {
  auto in = inputs();
  in.variable_list = "PATH=/opt/bin,PBS_QUEUE=mine,OMP_NUM_THREADS=9,NCPUS=9,XVAR=v1";
  const auto env = build_environment(in);
  BOOST_TEST(has(env, "PATH=/opt/bin:/opt/pbs/bin"));
  BOOST_TEST(has(env, "PBS_QUEUE=workq"));
  BOOST_TEST(has(env, "OMP_NUM_THREADS=1"));
  BOOST_TEST(has(env, "NCPUS=1"));
  BOOST_TEST(has(env, "XVAR=v1"));
  BOOST_TEST(std::count_if(env.begin(), env.end(), [](const auto& e) { return e.starts_with("PATH="); }) == 1);
}

BOOST_AUTO_TEST_CASE(programs_of_pbs_are_in_the_path_once) {
  auto in = inputs();
  in.base = {"PATH=/opt/pbs/bin:/bin"};
  BOOST_TEST(has(build_environment(in), "PATH=/opt/pbs/bin:/bin"));
  in.base.clear();
  BOOST_TEST(has(build_environment(in), "PATH=/opt/pbs/bin"));
}

BOOST_AUTO_TEST_CASE(values_keep_commas_backslashes_and_blanks) {
  auto in = inputs();
  in.variable_list = "A=one\\,two,B=c:\\\\dir,C= both ends ,D=,NOVALUE,=bad,E=a=b";
  const auto env = build_environment(in);
  BOOST_TEST(has(env, "A=one,two"));
  BOOST_TEST(has(env, "B=c:\\dir"));
  BOOST_TEST(has(env, "C= both ends "));
  BOOST_TEST(has(env, "D="));
  BOOST_TEST(has(env, "E=a=b"));
  BOOST_TEST(!has(env, "NOVALUE"));
  BOOST_TEST(!has(env, "=bad"));
}

BOOST_AUTO_TEST_CASE(threads_come_from_the_first_chunk) {
  auto in = inputs();
  in.schedselect = "1:ncpus=2:mpiprocs=2:ompthreads=3+1:ncpus=1";
  BOOST_TEST(has(build_environment(in), "NCPUS=3"));
  in.schedselect = "2:ncpus=2";
  BOOST_TEST(has(build_environment(in), "OMP_NUM_THREADS=2"));
}

BOOST_AUTO_TEST_CASE(an_account_name_is_set_only_with_A) {
  auto in = inputs();
  const auto without = build_environment(in);
  BOOST_TEST(std::none_of(without.begin(), without.end(), [](const auto& e) { return e.starts_with("PBS_ACCOUNT="); }));
  in.account = "myacc";
  BOOST_TEST(has(build_environment(in), "PBS_ACCOUNT=myacc"));
}

BOOST_AUTO_TEST_CASE(the_node_file_has_a_line_for_each_mpi_process) {
  const auto node_file_text = [](const char* exec_host, const char* schedselect) {
    return annals::mom::node_file_text({"", exec_host, {}, ""}, schedselect);
  };
  BOOST_TEST(node_file_text("q1/0*2+q2/0", "1:ncpus=2:mpiprocs=2:host=q1+1:ncpus=1:host=q2") == "q1\nq1\nq2\n");
  BOOST_TEST(node_file_text("q1/0*2+q2/0*2", "2:ncpus=2") == "q1\nq2\n");
  BOOST_TEST(node_file_text("q1/0*0", "1:ncpus=0") == "");
  BOOST_TEST(node_file_text("q1/0*0", "1:ncpus=0:mpiprocs=2") == "q1\nq1\n");
  BOOST_TEST(node_file_text("q1/0", "1:ncpus=1:mpiprocs=0") == "");
  BOOST_TEST(node_file_text("q1/0+q2/0*0", "1:ncpus=1") == "q1\n");  // the second was added by exclhost
  BOOST_TEST(node_file_text("nonsense", "1:ncpus=1") == "");
}

BOOST_AUTO_TEST_CASE(a_chunk_that_was_released_takes_its_own_lines_out_of_the_node_file) {
  annals::model::allocation has("(q1:ncpus=1)+(q2:ncpus=2)+(q3:ncpus=1)+(q2:ncpus=1)", "q1/0+q2/0*2+q3/0+q2/1", {"q1", "q2", "q3"}, "free");
  const char* const schedselect = "1:ncpus=1+1:ncpus=2:mpiprocs=2+2:ncpus=1:mpiprocs=3";
  BOOST_TEST(node_file_text(has, schedselect) == "q1\nq2\nq2\nq3\nq3\nq3\nq2\nq2\nq2\n");
  BOOST_REQUIRE(has.release("(q2:ncpus=2)"));
  BOOST_TEST(node_file_text(has, schedselect) == "q1\nq3\nq3\nq3\nq2\nq2\nq2\n");
  BOOST_REQUIRE(has.release("(q3:ncpus=1)"));
  BOOST_TEST(node_file_text(has, schedselect) == "q1\nq2\nq2\nq2\n");
}

// RS-116, RS-127
BOOST_AUTO_TEST_CASE(the_node_file_of_a_reduced_run_follows_the_select_it_was_reduced_to) {
  annals::model::allocation has("(q1:ncpus=1)+(q2:ncpus=2)+(q3:ncpus=1)+(q1)", "q1/0+q2/0*2+q3/0+q1/1*0", {"q1", "q2", "q3"}, "exclhost");
  has.renumber({0, 2, 1, annals::model::allocation::no_chunk}, "1:ncpus=1:mpiprocs=2+1:ncpus=1+1:ncpus=2:mpiprocs=3");
  BOOST_TEST(node_file_text(has, has.select()) == "q1\nq1\nq2\nq2\nq2\nq3\n");
  has.renumber({0, 2, 1, annals::model::allocation::no_chunk}, "1:ncpus=1+1:ncpus=0+1:ncpus=0:mpiprocs=1");
  BOOST_TEST(node_file_text(has, has.select()) == "q1\nq2\n");
}

BOOST_AUTO_TEST_CASE(pbs_environment_is_read_without_a_final_newline) {
  BOOST_TEST(parse_pbs_environment("PATH=/bin:/usr/bin") == variables{"PATH=/bin:/usr/bin"});
  BOOST_TEST(parse_pbs_environment("# c\nA=1\n\nnothing\n=x\nB=2 3\n") == (variables{"A=1", "B=2 3"}));
}

BOOST_AUTO_TEST_SUITE_END()
