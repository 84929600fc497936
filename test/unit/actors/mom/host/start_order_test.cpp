#include "actors/mom/host/stage_order.hpp"
#include "actors/mom/host/start_order.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>

#include "events/schema/message.hpp"

using namespace annals;
using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(start_orders)

namespace {

using attributes = std::map<std::pair<std::string, std::string>, std::string>;

// A job as qsub makes it, with some attributes set otherwise ("" takes one away).
schema::sealed<schema::StartRun> job(const attributes& changes = {}, const char* id = "12.borg") {
  attributes all{{{"Job_Name", ""}, "name"},
                 {{"Output_Path", ""}, "q1:/home/anna/name.o12"},
                 {{"Error_Path", ""}, "q1:/home/anna/name.e12"},
                 {{"Join_Path", ""}, "n"},
                 {{"cookie", ""}, "COOKIE"},
                 {{"Keep_Files", ""}, "n"},
                 {{"schedselect", ""}, "1:ncpus=2:mpiprocs=2"},
                 {{"Variable_List", ""}, "PBS_O_HOME=/home/anna,FOO=bar"},
                 {{"Resource_List", "ncpus"}, "2"},
                 {{"Resource_List", "place"}, "free"},
                 {{"Resource_List", "select"}, "1:ncpus=2"},
                 {{"Resource_List", "nodect"}, "1"},
                 {{"Resource_List", "walltime"}, "00:01:40"}};
  for (const auto& [name, value] : changes) all[name] = value;
  return schema::make<schema::StartRun>([&](schema::StartRun::Builder b) {
    auto ref = b.initRef();
    ref.setJob(id);
    ref.setRun(3);
    b.setEuser("anna");
    b.setEgroup("staff");
    b.setQueue("workq");
    b.setExecVnode("(q1:ncpus=2)");
    b.setExecHost("q1/0*2");
    b.setKillDelaySeconds(10);
    const std::string script = "echo hi\n";
    b.setInlineScript(kj::ArrayPtr<const kj::byte>(reinterpret_cast<const kj::byte*>(script.data()), script.size()));
    b.initScript().setSize(script.size());
    auto list = b.initAttributes(static_cast<unsigned>(all.size()));
    unsigned i = 0;
    for (const auto& [name, value] : all) {
      list[i].setName(name.first);
      list[i].setResource(name.second);
      list[i++].setValue(value);
    }
  });
}

mom_settings settings() {
  mom_settings s;
  s.pbs_home = "/pbs";
  s.host = "q1";
  s.host_aliases = {"q1.site.org", "localhost"};
  s.base_environment = {"PATH=/bin:/usr/bin"};
  return s;
}

ports::run_order ordered(const attributes& changes = {}, const mom_settings& s = settings()) {
  const auto order = job(changes);
  return order_for(*order, model::allocation_of(*order), s);
}
std::vector<ports::delivery> delivered(const attributes& changes, int status = 0, const mom_settings& s = settings()) {
  return deliveries_for(*job(changes), s, status);
}
std::string described(const std::vector<ports::delivery>& files) {
  std::string text;
  for (const auto& f : files)
    text += f.from + " -> " + f.to_host + ':' + f.to_path + (f.local ? " local\n" : " remote\n");
  return text;
}
bool has(const ports::run_order& o, const std::string& entry) {
  return std::find(o.environment.begin(), o.environment.end(), entry) != o.environment.end();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_script_job_is_ordered_with_its_places) {
  const auto o = ordered();
  BOOST_TEST(print(o.key) == "12.borg.3");
  BOOST_TEST(o.job_id == "12.borg");
  BOOST_TEST(o.user == "anna");
  BOOST_TEST(o.group == "staff");
  BOOST_TEST(o.program.empty());
  BOOST_TEST(o.script == "/pbs/mom_priv/jobs/12.borg.SC");
  BOOST_TEST(*o.script_text == "echo hi\n");
  BOOST_TEST(o.node_file == "/pbs/aux/12.borg");
  BOOST_TEST(o.node_file_text == "q1\nq1\n");
  BOOST_TEST(o.stdout_file == "/pbs/spool/12.borg.OU");
  BOOST_TEST(o.stderr_file == "/pbs/spool/12.borg.ER");
  BOOST_TEST(o.umask == 077u);
  BOOST_TEST(o.tmpdir == "/var/tmp/pbs.12.borg");
  BOOST_TEST(o.ncpus == 2u);
  BOOST_TEST(o.resource_list == "ncpus=2,place=free,walltime=00:01:40");
  BOOST_TEST(has(o, "FOO=bar"));
  BOOST_TEST(has(o, "PBS_JOBCOOKIE=COOKIE"));
  BOOST_TEST(has(o, "PBS_NODEFILE=/pbs/aux/12.borg"));
  BOOST_TEST(!o.cpu_seconds_max);
}

BOOST_AUTO_TEST_CASE(a_program_job_has_its_arguments_and_no_script) {
  const auto o =
      ordered({{{"executable", ""}, "<jsdl-hpcpa:Executable>/bin/echo</jsdl-hpcpa:Executable>"},
               {{"argument_list", ""},
                "<jsdl-hpcpa:Argument>a b</jsdl-hpcpa:Argument><jsdl-hpcpa:Argument></jsdl-hpcpa:Argument>"}});
  BOOST_TEST(o.program == (std::vector<std::string>{"/bin/echo", "a b", ""}));
  BOOST_TEST(!o.script_text);
}

BOOST_AUTO_TEST_CASE(an_interactive_job_has_a_terminal_in_place_of_script_and_files) {
  const auto o = ordered({{{"interactive", ""}, "True"}});
  BOOST_TEST(o.interactive);
  BOOST_TEST(!o.script_text.has_value());
  BOOST_TEST(o.stdout_file == "/dev/null");
  BOOST_TEST(o.stderr_file == "/dev/null");
  BOOST_TEST(has(o, "PBS_ENVIRONMENT=PBS_INTERACTIVE"));
  BOOST_TEST(deliveries_for(*job({{{"interactive", ""}, "True"}}), settings(), 0).empty());
}

BOOST_AUTO_TEST_CASE(limits_umask_shell_and_directory_are_taken_over) {
  const auto o = ordered({{{"Resource_List", "pcput"}, "00:00:20"},
                          {{"Resource_List", "cput"}, "10"},
                          {{"Resource_List", "file"}, "1mb"},
                          {{"Resource_List", "pmem"}, "800mb"},
                          {{"Resource_List", "pvmem"}, "900mb"},
                          {{"Resource_List", "nice"}, "5"},
                          {{"umask", ""}, "27"},
                          {{"Shell_Path_List", ""}, "/bin/sh,/bin/zsh@q1,/bin/csh@q2"},
                          {{"sandbox", ""}, "PRIVATE"}});
  BOOST_TEST(*o.cpu_seconds_max == 10u);
  BOOST_TEST(*o.file_bytes_max == 1u << 20);
  BOOST_TEST(*o.resident_bytes_max == 800u << 20);
  BOOST_TEST(*o.address_bytes_max == 900u << 20);
  BOOST_TEST(*o.nice == 5);
  BOOST_TEST(*ordered({{{"Resource_List", "pcput"}, "00:00:20"}}).cpu_seconds_max == 20u);
  auto fast = settings();
  fast.config.factors.cput = 4;  // $cputmult: a second here counts as four
  BOOST_TEST(*ordered({{{"Resource_List", "cput"}, "10"}}, fast).cpu_seconds_max == 3u);
  BOOST_TEST(o.umask == 027u);
  BOOST_TEST(o.shell == "/bin/zsh");
  BOOST_TEST(o.private_jobdir == "pbs.12.borg.x8z");
  BOOST_TEST(o.stdout_file == "12.borg.OU");
}

BOOST_AUTO_TEST_CASE(output_goes_to_its_paths) {
  BOOST_TEST(
      described(delivered({})) ==
      "/pbs/spool/12.borg.OU -> q1:/home/anna/name.o12 local\n/pbs/spool/12.borg.ER -> q1:/home/anna/name.e12 local\n");
  BOOST_TEST(described(delivered({{{"Output_Path", ""}, "q3:/x/y"}, {{"Error_Path", ""}, "Q1.site.org:/z/"}})) ==
             "/pbs/spool/12.borg.OU -> q3:/x/y remote\n/pbs/spool/12.borg.ER -> Q1.site.org:/z/ local\n");
}

BOOST_AUTO_TEST_CASE(a_subjobs_id_is_in_its_names_and_its_environment) {
  const attributes of_array{
      {{"array_id", ""}, "12[].borg"}, {{"array_index", ""}, "3"}, {{"Keep_Files", ""}, "e"}, {{"Output_Path", ""}, "q1:/d/"}};
  const auto subjob = job(of_array, "12[3].borg");
  const auto o = order_for(*subjob, model::allocation_of(*subjob), settings());
  for (const char* entry : {"PBS_JOBID=12[3].borg", "PBS_ARRAY_ID=12[].borg", "PBS_ARRAY_INDEX=3"}) BOOST_TEST(has(o, entry), entry);
  BOOST_TEST(print(o.key) == "12[3].borg.3");
  BOOST_TEST(o.script == "/pbs/mom_priv/jobs/12[3].borg.SC");
  BOOST_TEST(o.node_file == "/pbs/aux/12[3].borg");
  BOOST_TEST(o.tmpdir == "/var/tmp/pbs.12[3].borg");
  BOOST_TEST(described(deliveries_for(*subjob, settings(), 0)) ==
             "/pbs/spool/12[3].borg.OU -> q1:/d/ local\n/pbs/spool/12[3].borg.ER -> q1:name.e12.3 local\n");
}

BOOST_AUTO_TEST_CASE(output_of_subjobs_goes_to_one_file_where_it_was_asked_for) {  // indexed_output
  const auto described_shared = [](attributes asked) {
    asked.insert_or_assign({"array_id", ""}, "12[].borg");
    asked.insert_or_assign({"array_index", ""}, "3");
    const auto subjob = job(asked, "12[3].borg");
    const auto files = deliveries_for(*subjob, settings(), 0);
    std::string text = described(files);
    for (const auto& f : files)
      if (f.shared)
        text += f.shared->path + ' ' + f.shared->inner + ' ' + f.shared->host + ' ' + values::print_output_entry(f.shared->record).value();
    return text;
  };
  attributes asked{{{"indexed_output", ""}, "True"},
                   {{"Output_Path", ""}, "q1:/d/arr.o12.^array_index^"},
                   {{"Error_Path", ""}, "q1:/d/arr.e12.^array_index^"}};
  const std::string own = "/pbs/spool/12[3].borg.OU -> q1:/d/arr.o12.3 local\n/pbs/spool/12[3].borg.ER -> q1:/d/arr.e12.3 local\n";
  BOOST_TEST(described_shared(asked) == own +
                                            "/d/arr.o12 12[].borg.OU q1 000000000012 00000003 0000000003 o 00000000000000 0000000000000\n"
                                            "/d/arr.o12 12[].borg.OU q1 000000000012 00000003 0000000003 e 00000000000000 0000000000000\n");
  // Otherwise the server has put in the index.
  BOOST_TEST(described_shared({{{"indexed_output", ""}, "False"},
                               {{"Output_Path", ""}, "q1:/d/arr.o12.3"},
                               {{"Error_Path", ""}, "q1:/d/arr.e12.3"}}) == own);
  asked.insert_or_assign({"Output_Path", ""}, "far:/d/arr.o12.^array_index^");  // can't be appended to from here
  BOOST_TEST(described_shared(asked) ==
             "/pbs/spool/12[3].borg.OU -> far:/d/arr.o12.3 remote\n/pbs/spool/12[3].borg.ER -> q1:/d/arr.e12.3 local\n");
  asked.insert_or_assign({"Output_Path", ""}, "q1:/dev/null");
  BOOST_TEST(described_shared(asked) ==
             "/pbs/spool/12[3].borg.ER -> q1:/d/arr.e12.3 local\n"
             "/d/arr.e12 12[].borg.ER q1 000000000012 00000003 0000000003 e 00000000000000 0000000000000\n");
}

BOOST_AUTO_TEST_CASE(joined_output_is_one_file) {
  BOOST_TEST(described(delivered({{{"Join_Path", ""}, "oe"}})) ==
             "/pbs/spool/12.borg.OU -> q1:/home/anna/name.o12 local\n");
  BOOST_TEST(described(delivered({{{"Join_Path", ""}, "eo"}})) ==
             "/pbs/spool/12.borg.ER -> q1:/home/anna/name.e12 local\n");
  BOOST_TEST(ordered({{{"Join_Path", ""}, "oe"}}).stderr_file == "/pbs/spool/12.borg.OU");
  BOOST_TEST(ordered({{{"Join_Path", ""}, "eo"}}).stdout_file == "/pbs/spool/12.borg.ER");
}

BOOST_AUTO_TEST_CASE(kept_output_stays_in_the_home_of_this_host) {
  const attributes far{{{"Keep_Files", ""}, "oe"}, {{"Output_Path", ""}, "q9:/a"}, {{"Error_Path", ""}, "q9:/b"}};
  BOOST_TEST(described(delivered(far)) ==
             "/pbs/spool/12.borg.OU -> q1:name.o12 local\n/pbs/spool/12.borg.ER -> q1:name.e12 local\n");
  BOOST_TEST(described(delivered({{{"Keep_Files", ""}, "oe"}, {{"Join_Path", ""}, "oe"}})) ==
             "/pbs/spool/12.borg.OU -> q1:name.o12 local\n");
}

BOOST_AUTO_TEST_CASE(direct_output_is_written_at_its_place_if_that_is_local) {
  const attributes direct{{{"Keep_Files", ""}, "doe"}, {{"Error_Path", ""}, "q9:/home/anna/e"}};
  const auto o = ordered(direct);
  BOOST_TEST(o.stdout_file == "/home/anna/name.o12");
  BOOST_TEST(o.stderr_file == "/pbs/spool/12.borg.ER");
  BOOST_TEST(described(delivered(direct)) == "/pbs/spool/12.borg.ER -> q9:/home/anna/e remote\n");
  BOOST_TEST(ordered({{{"Keep_Files", ""}, "od"}, {{"Output_Path", ""}, "q1:/d/"}}).stdout_file == "/d/12.borg.OU");
}

BOOST_AUTO_TEST_CASE(removed_output_is_wanted_only_when_the_job_failed) {
  BOOST_TEST(described(delivered({{{"Remove_Files", ""}, "o"}})) ==
             "/pbs/spool/12.borg.ER -> q1:/home/anna/name.e12 local\n");
  BOOST_TEST(delivered({{{"Remove_Files", ""}, "oe"}}).empty());
  BOOST_TEST(delivered({{{"Remove_Files", ""}, "oe"}}, 1).size() == 2u);
  BOOST_TEST(delivered({{{"Remove_Files", ""}, "o"}, {{"Join_Path", ""}, "oe"}}).empty());
}

BOOST_AUTO_TEST_CASE(dev_null_is_not_delivered) {
  const attributes nowhere{{{"Output_Path", ""}, "q9:/dev/null"}, {{"Error_Path", ""}, "q1:/dev/null"}};
  BOOST_TEST(delivered(nowhere).empty());
  BOOST_TEST(ordered(nowhere).stdout_file == "/dev/null");
}

BOOST_AUTO_TEST_CASE(usecp_makes_a_foreign_place_local) {
  auto s = settings();
  s.config.usecp = {{"q9", "/home", "/nfs/home"}};
  BOOST_TEST(
      described(delivered({{{"Output_Path", ""}, "q9:/home/anna/x"}, {{"Error_Path", ""}, "q9:/other/y"}}, 0, s)) ==
      "/pbs/spool/12.borg.OU -> q9:/nfs/home/anna/x local\n/pbs/spool/12.borg.ER -> q9:/other/y remote\n");
}

BOOST_AUTO_TEST_CASE(lines_of_the_config_change_what_is_ordered) {
  const auto with = [](const char* lines, const attributes& changes = {}) {
    auto s = settings();
    s.config = parse_mom_config(lines).config;
    return ordered(changes, s);
  };
  const attributes in_private{{{"sandbox", ""}, "PRIVATE"}}, ten_seconds{{{"Resource_List", "cput"}, "10"}};
  BOOST_TEST(with("$tmpdir /scratch").tmpdir == "/scratch/pbs.12.borg");
  BOOST_TEST(has(with("$tmpdir /scratch"), "TMPDIR=/scratch/pbs.12.borg"));
  BOOST_TEST(with("$jobdir_root /jobs", in_private).jobdir == "/jobs");
  BOOST_TEST(with("$jobdir_root /jobs").jobdir == "");  // its home
  BOOST_TEST(with("", in_private).jobdir == "");
  BOOST_TEST(with("").prologue_alarm_s == 30u);
  BOOST_TEST(with("$prologalarm 3").prologue_alarm_s == 3u);
  BOOST_TEST(!with("").not_as_root);
  BOOST_TEST(with("$reject_root_scripts true").not_as_root);
  BOOST_TEST(*with("$cputmult 2", ten_seconds).cpu_seconds_max == 5u);
}

BOOST_AUTO_TEST_CASE(usecp_counts_also_for_files_of_this_host) {
  auto s = settings();
  s.config.usecp = {{"*", "/home", "/nfs/home"}};
  BOOST_TEST(described(delivered({{{"Output_Path", ""}, "q1:/home/anna/x"}, {{"Join_Path", ""}, "oe"}}, 0, s)) ==
             "/pbs/spool/12.borg.OU -> q1:/nfs/home/anna/x local\n");
}

// -- other hosts of a run (docs/design/0020-jobs-across-hosts.md; pbs guide: job environment, node file) ---------------------

BOOST_AUTO_TEST_CASE(a_sisters_place_has_node_file_and_directories) {
  mom_settings settings;
  settings.pbs_home = "/pbs";
  const auto order = job({{{"schedselect", ""}, "1:ncpus=2:mpiprocs=2+1:ncpus=0"}, {{"sandbox", ""}, "PRIVATE"}});
  const auto place = place_for(order.get(), model::allocation_of(order.get()), settings);
  BOOST_TEST(print(place.key) == "12.borg.3");
  BOOST_TEST(place.user == "anna");
  BOOST_TEST(place.node_file == "/pbs/aux/12.borg");
  BOOST_TEST(place.node_file_text == "q1\nq1\n");
  BOOST_TEST(place.tmpdir == "/var/tmp/pbs.12.borg");
  BOOST_TEST(place.private_jobdir_root == "~");
  BOOST_TEST(place.private_jobdir == "pbs.12.borg.x8z");
}

BOOST_AUTO_TEST_CASE(node_file_cpus_and_share_are_those_of_what_the_run_has_whatever_its_order_says) {
  const auto order = job({{{"schedselect", ""}, "1:ncpus=2:mpiprocs=2+2:ncpus=1"}});
  model::allocation has("(q1:ncpus=2)+(q1:ncpus=1)+(q2:ncpus=1)", "q1/0*2+q1/1+q2/0", {"q1", "q2"}, "free");
  auto o = order_for(*order, has, settings());
  BOOST_TEST(o.node_file_text == "q1\nq1\nq1\nq2\n");
  BOOST_TEST(o.ncpus == 4u);
  BOOST_TEST(o.share->ncpus == 3u);
  BOOST_REQUIRE(has.release("(q1:ncpus=1)"));
  BOOST_REQUIRE(has.release("(q2:ncpus=1)"));
  BOOST_TEST(place_for(*order, has, settings()).node_file_text == "q1\nq1\n");
  put_allocation(*order, has, settings(), o);
  BOOST_TEST(o.node_file_text == "q1\nq1\n");
  BOOST_TEST(o.ncpus == 2u);
  BOOST_TEST(o.share->ncpus == 2u);
}

// RS-116
BOOST_AUTO_TEST_CASE(a_run_that_answers_another_select_has_its_lines_and_threads) {
  const auto order = job({{{"schedselect", ""}, "1:ncpus=2:mpiprocs=2+2:ncpus=1"}});
  model::allocation has("(q1:ncpus=2)+(q2:ncpus=1)", "q1/0*2+q2/0", {"q1", "q2"}, "free");
  BOOST_TEST(select_of(*order, has) == "1:ncpus=2:mpiprocs=2+2:ncpus=1");
  has.renumber({0, 1}, "1:ncpus=1:ompthreads=7+1:ncpus=1:mpiprocs=2");
  const auto o = order_for(*order, has, settings());
  BOOST_TEST(o.node_file_text == "q1\nq2\nq2\n");
  BOOST_TEST(std::count(o.environment.begin(), o.environment.end(), "OMP_NUM_THREADS=7") == 1);
}

BOOST_AUTO_TEST_CASE(what_the_mom_adds_to_an_order_makes_the_names_of_directories) {
  mom_settings one, other;
  one.mark = "11111111";
  other.mark = "22222222";
  const auto order = job({{{"sandbox", ""}, "PRIVATE"}, {{"name_end", ""}, "3B33FA69"}});
  const auto o = order_for(order.get(), model::allocation_of(order.get()), one);
  BOOST_TEST(o.tmpdir == "/var/tmp/pbs.12.borg.11111111-3B33FA69");
  BOOST_TEST(std::count(o.environment.begin(), o.environment.end(), "TMPDIR=" + o.tmpdir) == 1);
  BOOST_TEST(place_for(order.get(), model::allocation_of(order.get()), other).tmpdir == "/var/tmp/pbs.12.borg.22222222-3B33FA69");
  // Hosts that share a home, or $jobdir_root, share the job directory.
  BOOST_TEST(o.private_jobdir == "pbs.12.borg.x8z.3B33FA69");
  BOOST_TEST(place_for(order.get(), model::allocation_of(order.get()), other).private_jobdir == o.private_jobdir);
  BOOST_TEST(stage_in_for(order.get(), one).private_jobdir == o.private_jobdir);
}

BOOST_AUTO_TEST_CASE(a_task_has_the_jobs_environment_its_own_numbers_and_no_places_of_its_own) {
  mom_settings settings;
  settings.pbs_home = "/pbs";
  const auto order = job();
  const auto o = task_order_for(order.get(), model::allocation_of(order.get()), settings,
                                {annals::values::task_key{{"12.borg", 3}, 2}, 2, 1, {"/bin/date", "-u"}, {"FOO=task", "NEW=x"}});
  const auto has = [&](const std::string& entry) {
    return std::find(o.environment.begin(), o.environment.end(), entry) != o.environment.end();
  };
  BOOST_TEST(print(o.key) == "12.borg.3-2");
  BOOST_TEST(o.is_task);
  BOOST_TEST(o.program.size() == 2u);
  BOOST_TEST(has("PBS_TASKNUM=2"));
  BOOST_TEST(has("PBS_NODENUM=1"));
  BOOST_TEST(has("PBS_JOBID=12.borg"));
  BOOST_TEST(has("PBS_NODEFILE=/pbs/aux/12.borg"));
  BOOST_TEST(has("TMPDIR=/var/tmp/pbs.12.borg"));
  BOOST_TEST(has("FOO=task"));
  BOOST_TEST(has("NEW=x"));
  BOOST_TEST(has("PBS_JOBCOOKIE=COOKIE"));
  BOOST_TEST((o.node_file.empty() && o.tmpdir.empty() && !o.script_text));
}

BOOST_AUTO_TEST_CASE(the_share_of_the_host_is_in_the_order_unless_cgroups_are_turned_off) {
  BOOST_TEST((ordered().share == ports::host_share{{}, {}, 2, false}));
  auto s = settings();
  s.config.cgroup_cpu_quota = true;
  BOOST_TEST((ordered({}, s).share == ports::host_share{{}, {}, 2, true}));
  s.config.use_cgroups = false;
  BOOST_TEST(!ordered({}, s).share.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
