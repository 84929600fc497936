// What qsub accepts, refuses and sends; the cases are those of the recorded behaviour of PBS's qsub.
#include <boost/test/unit_test.hpp>

#include "tools/client/submission.hpp"

namespace annals::client {
static std::ostream& operator<<(std::ostream& out, const complaint& c) {
  return out << c.line << " [" << c.status << (c.with_usage ? " usage]" : "]");
}
}  // namespace annals::client

using namespace annals::client;

namespace {

constexpr std::int64_t now = 1795220955;  // Sat Nov 21 2026, whatever the time zone

const path_facts paths{"q1", "/home/u", [](const std::string&) { return false; },
                       [](const std::string& h) { return h == "q2"; }};

std::optional<std::string> from_environment(const std::string& name) {
  if (name == "A") return "1";
  return std::nullopt;
}

const judge check = [](const given& g) { return judge_job_option(asker::qsub, g, now, paths); };

command_line read(std::vector<std::string> words) { return parse_options(qsub_command, words, check); }

// The mistakes of a command line, joined.
std::string problems(std::vector<std::string> words) {
  std::string out;
  for (const std::string& p : read(std::move(words)).problems) out += (out.empty() ? "" : "|") + p;
  return out;
}

job_options options_of(std::vector<std::string> words) {
  job_options out;
  out.put_over(read(std::move(words)));
  return out;
}

std::optional<complaint> complaint_about(std::vector<std::string> words,
                                         submit_facts facts = {false, false, from_environment}) {
  return check_submission(options_of(std::move(words)), facts);
}

submission made(std::vector<std::string> words, program_source source = {}) {
  const submit_context context{{{{"HOME", "/home/u"}}, "/home/u", "Linux"}, paths, from_environment, now, "args"};
  auto out = make_submission(options_of(std::move(words)), source, context);
  if (auto* c = std::get_if<complaint>(&out)) BOOST_FAIL(c->line);
  return std::get<submission>(out);
}

// "" if the job does not have it.
std::string value(const submission& s, std::string_view name, std::string_view resource = {}) {
  for (const job_attribute& a : s.attributes)
    if (a.name == name && a.resource == resource) return a.value;
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(submission_of)

BOOST_AUTO_TEST_CASE(bad_option_values_are_illegal) {  // RS-11, RD-71
  const std::pair<const char*, std::vector<const char*>> bad[] = {
      {"-a", {"9999", "123", "abc", "202613012359"}},
      {"-c", {"u", "c=abc", "x", ""}},
      {"-e", {"", "nohost:/tmp/x"}},
      {"-o", {""}},
      {"-j", {"o", "x"}},
      {"-J", {"5-1", "1-1", "1", "a-b", "1-", "-5", "1-5:0", "1-10:-1", "1-3,5", "1-5 ", "%2", "1-5 %2", "1-2-3", "+1-3", " 1-3", ""}},
      {"-k", {"d", "x", "z", ""}},
      {"-l", {"=3", "ncpus=1,"}},
      {"-m", {"na", "x", "z", ""}},
      {"-M", {"", "a b", "a@,b", "@x", "a,,b"}},
      {"-N", {"ok name", "a@b", "a/b", "a[1]", ""}},
      {"-p", {"1024", "-1025", "x", "1.5", ""}},
      {"-r", {"x", "yes", "Y", ""}},
      {"-R", {"n", "x", ""}},
      {"-S", {"/bin/bash,/bin/sh", "bash", ""}},
      {"-u", {"pbsuser,pbsuser1", ""}},
      {"-W",
       {"block=x", "run_count=-1", "stagein=a", "stageout=x@y", "depend=foo", "depend=afterok", "depend=bogus:1",
        "depend=after:abc", "foo", "release_nodes_on_stageout=x", "release_nodes_on_stageout=yes", "sandbox=xx",
        "umask=022 ", "umask=022,", "tolerate_node_failures=x", "interactive=1",
        "depend=afterok:12[3]"}},
  };
  for (const auto& [option, values] : bad) {
    for (const char* v : values) {
      BOOST_TEST(problems({option, v}) == std::string("qsub: illegal ") + option + " value", option << " " << v);
    }
  }
}

BOOST_AUTO_TEST_CASE(good_option_values_pass) {  // RS-01, RS-06
  const std::pair<const char*, std::vector<const char*>> good[] = {
      {"-a", {"2359", "12312359", "2712312359.30", "202712312359.30", "202001010000"}},
      {"-c", {"n", "s", "c", "c=10", "w", "w=5", "c=0"}},
      {"-e", {"x", ":x", "q2:rel"}},
      {"-j", {"oe", "eo", "n"}},
      {"-J", {"1-5", "1-5:2", "0-10:3%2", "3-5:10", "1-5%0", "1-5%x"}},
      {"-k", {"o", "e", "oe", "eo", "n", "od", "oed", "doe", "do"}},
      {"-l", {"", "ncpus", "select="}},
      {"-m", {"a", "b", "e", "abe", "n", "j", "aj", "beb"}},
      {"-M", {"a@b,c", " a@b", "a, b@c"}},
      {"-N", {"ok_n-a+m.e", "1abc", "-abc", "_abc", ".abc"}},
      {"-p", {"0", "5", "-1024", "1023"}},
      {"-R", {"o", "e", "oe", "eo"}},
      {"-S", {"/bin/bash", "/bin/bash@q1,/bin/sh"}},
      {"-u", {"pbsuser", "pbsuser@q1,pbsuser"}},
      {"-W",
       {"block=true", "block = false", "umask=022", "umask=999", "run_count=3", "sandbox=private", "sandbox=O_WORKDIR", "sandbox=Home",
        "release_nodes_on_stageout=True", "group_list=g@q1", "stagein=a@q1:/b",
        "stageout=a@q1:/b,c@q1:/d", "depend=afterok:99999", "depend=on:2", "depend=on:1,after:3:4", "foo=", "pwd=x",
        "tolerate_node_failures=job_start", "umask=022,run_count=2", "Rerunable=n", "Hold_Types=o", "create_resv_from_job=true"}},
  };
  for (const auto& [option, values] : good) {
    for (const char* v : values) BOOST_TEST(problems({option, v}).empty(), option << " " << v);
  }
}

BOOST_AUTO_TEST_CASE(an_attribute_of_an_option_is_judged_as_the_option) {
  BOOST_TEST(problems({"-W", "Keep_Files=zz"}) == "qsub: illegal -k value");
}

BOOST_AUTO_TEST_CASE(the_program_is_a_script_standard_input_or_behind_two_dashes) {
  using kind = program_source::kind;
  BOOST_TEST((std::get<program_source>(source_of(read({}))).from == kind::standard_input));
  BOOST_TEST((std::get<program_source>(source_of(read({"-"}))).from == kind::standard_input));
  BOOST_TEST(std::get<program_source>(source_of(read({"-h", "a.sh"}))).file == "a.sh");
  BOOST_TEST(std::get<program_source>(source_of(read({"--", "/bin/true", "-N", "x"}))).executable.size() == 3u);
  for (const auto& words : {std::vector<std::string>{"--"}, {"a.sh", "extra"}, {"a.sh", "-N", "after"}}) {
    BOOST_TEST(std::get<complaint>(source_of(read(words))) == (complaint{"", 2, true}));
  }
}

BOOST_AUTO_TEST_CASE(directives_are_options) {
  const auto line =
      std::get<command_line>(read_directives("#PBS -h -N a\n#PBS -l ncpus=2 -l mem=1gb\ntrue\n", "#PBS", check));
  BOOST_TEST(line.has('h'));
  BOOST_TEST(*line.find('N') == "a");
}

BOOST_AUTO_TEST_CASE(words_in_directives_and_bad_values_end_qsub) {
  const auto fails = [](const char* script) { return std::get<complaint>(read_directives(script, "#PBS", check)); };
  BOOST_TEST(fails("#PBS -N a b c\n#PBS -Q x\n") == (complaint{"qsub: directive error: -N a b c ", 1, false}));
  BOOST_TEST(fails("#PBS -h # comment here\n") == (complaint{"qsub: directive error: -h # comment here ", 1, false}));
  BOOST_TEST(fails("#PBS -p 5000\n") == (complaint{"qsub: illegal -p value", 2, true}));
  BOOST_TEST(fails("#PBS -h -N \"q n\"\n") == (complaint{"qsub: illegal -N value", 2, true}));
  BOOST_TEST(fails("#PBS -N four \\\n#PBS -p 8\n") == (complaint{"qsub: directive error: -N four -p 8 #PBS ", 1, false}));
  BOOST_TEST(fails("#PBS x -N x y x\n") == (complaint{"qsub: directive error: -N x x y x ", 1, false}));
  BOOST_TEST(fails("#PBS -- /bin/true\n") == (complaint{"qsub: directive error: -- /bin/true ", 1, false}));
  BOOST_TEST(fails("#PBS -N con\\\n#PBS -p 5\n") == (complaint{"qsub: illegal -N value", 2, true}));
  BOOST_TEST(fails("#PBS -A \"a b\n") == (complaint{"qsub: unmatched ", 1, false}));
  BOOST_TEST(fails("#PBS -Y x\n") == (complaint{"qsub: invalid option -- 'Y'\nqsub: directive error: -Y x ", 1, false}));
  BOOST_TEST(fails("#PBS -W block = false\n") ==
             (complaint{"qsub: illegal -W value\nqsub: directive error: -W block = false ", 1, false}));
  BOOST_TEST(fails("#PBS -l walltime=1:00, ncpus=2\n") ==
             (complaint{"qsub: illegal -l value\nqsub: directive error: -l walltime=1:00, ncpus=2 ", 1, false}));
  BOOST_TEST(fails("#PBS -h\r\ntrue\r\n") == (complaint{"qsub: script contains cr, lf", 1, false}));
}

BOOST_AUTO_TEST_CASE(the_prefix_comes_from_the_option_then_the_environment) {
  BOOST_TEST(directive_prefix(read({}), nullptr) == "#PBS");
  BOOST_TEST(directive_prefix(read({}), "#XX") == "#XX");
  BOOST_TEST(directive_prefix(read({"-C", ""}), "#XX") == "");
}

BOOST_AUTO_TEST_CASE(the_command_line_wins_over_directives_and_resources_merge) {
  job_options all;
  all.put_over(read({"-N", "dirname", "-l", "ncpus=2,walltime=10", "-p", "5"}));
  all.put_over(read({"-N", "cmd", "-l", "walltime=20"}));
  BOOST_TEST(*all.find('N') == "cmd");
  BOOST_TEST(*all.find('p') == "5");
  BOOST_REQUIRE(all.resources.size() == 2u);
  BOOST_TEST(all.resources[0].value == "2");
  BOOST_TEST(all.resources[1].value == "20");
}

BOOST_AUTO_TEST_CASE(what_only_qsub_can_know_is_refused) {
  BOOST_TEST(!complaint_about({"-h", "-m", "abe", "-q", "workq@q1", "-W", "umask=22,sandbox=x"}).has_value());
  BOOST_TEST(!complaint_about({"-W", "stagein=a@q1:/b,stageout=c@q1:/d"}).has_value());
  BOOST_TEST(*complaint_about({"-m", "aj"}) ==
             (complaint{"qsub: mail option 'j' can not be used without array job", 1, false}));
  BOOST_TEST(*complaint_about({"-N", std::string(231, 'n')}) == (complaint{"qsub: Job name is too long ", 2, false}));
  BOOST_TEST(!complaint_about({"-N", std::string(230, 'n')}).has_value());
  BOOST_TEST(*complaint_about({"-q", "@"}) == (complaint{"qsub: illegally formed destination: @", 2, false}));
  BOOST_TEST(*complaint_about({"-c", "c=0"}) == (complaint{"qsub: Illegal attribute or resource value", 166, false}));
  BOOST_TEST(*complaint_about({"-v", "A,D"}) == (complaint{"qsub: cannot send environment with the job", 1, false}));
  BOOST_TEST(*complaint_about({"-W", "nosuch=1"}) == (complaint{"qsub: Error (15002) submitting job", 154, false}));
  BOOST_TEST(*complaint_about({"-W", "topjob_ineligible=maybe"}) == (complaint{"qsub: Error (15014) submitting job", 166, false}));
  BOOST_TEST(*complaint_about({"-W", "Resource_List.ncpus=3"}) ==
             (complaint{"qsub: Undefined attribute ", 154, false}));
  BOOST_TEST(*complaint_about({"-W", "max_run_subjobs=2"}) ==
             (complaint{"qsub: Attribute has to be set on an array job", 127, false}));
}

BOOST_AUTO_TEST_CASE(interactive_jobs_need_a_terminal_before_anything_else) {
  const std::string text = "qsub:\tstandard input and output must be a terminal for\n\tinteractive job submission";
  BOOST_TEST(*complaint_about({"-I", "-J", "1-2"}) == (complaint{text, 1, false}));
  BOOST_TEST(*complaint_about({"-I", "-J", "1-2"}, {true, false, from_environment}) ==
             (complaint{"qsub: interactive and array job submission cannot be used together", 2, true}));
  BOOST_TEST(*complaint_about({"-X"}) == (complaint{"qsub: DISPLAY not set", 2, true}));
}

BOOST_AUTO_TEST_CASE(what_this_release_does_not_serve_is_refused_after_its_syntax_was_checked) {
  const auto c = complaint_about({"-W", "array=1"});
  BOOST_REQUIRE(c);
  BOOST_TEST(c->line.starts_with("qsub: No support for requested service"));
  BOOST_TEST(c->status == 181);
  BOOST_TEST(!complaint_about({"-W", "create_resv_from_job=true"}));
}

BOOST_AUTO_TEST_CASE(x_is_forwarded_for_an_interactive_job_whose_display_is_not_chosen_besides) {
  const submit_facts facts{true, true, from_environment};
  BOOST_TEST(!complaint_about({"-I", "-X"}, facts));
  BOOST_TEST(!complaint_about({"-W", "interactive=true", "-X", "-v", "A=b"}, facts));
  BOOST_TEST(*complaint_about({"-X"}, facts) == (complaint{"qsub: -X is for interactive jobs only", 2, true}));
  for (const char* list : {"DISPLAY=:1", "A=b,DISPLAY=:0"})
    BOOST_TEST(*complaint_about({"-I", "-X", "-v", list}, facts) == (complaint{"qsub: -X cannot be used with -v DISPLAY", 2, true}));
  BOOST_TEST(made({"-I", "-X"}).forwards_x);
  BOOST_TEST(!made({"-I"}).forwards_x);
}

BOOST_AUTO_TEST_CASE(an_interactive_job_says_so_and_is_not_waited_for) {
  const auto line = [](std::vector<std::string> words) {
    const auto s = made(std::move(words));
    return value(s, "interactive") + '|' + value(s, "block") + '|' + (s.interactive ? "sits" : "") + (s.block ? "waits" : "");
  };
  BOOST_TEST(line({"-I"}) == "True||sits");
  BOOST_TEST(line({"-I", "-W", "block=true"}) == "True||sits");
  BOOST_TEST(line({"-W", "interactive=true"}) == "True||sits");
  BOOST_TEST(line({"-I", "-W", "interactive=false"}) == "True||sits");
  BOOST_TEST(line({"-W", "interactive=false"}) == "false||");
  BOOST_TEST(line({"-W", "block=true"}) == "|True|waits");
}

BOOST_AUTO_TEST_CASE(what_an_interactive_job_takes_otherwise_is_said) {  // RD-17
  const auto warnings = [](std::vector<std::string> words) {
    job_options options;
    options.put_over(parse_options(qsub_command, words));
    return interactive_warnings(options);
  };
  BOOST_TEST(warnings({"-I"}) == "");
  BOOST_TEST(warnings({"-I", "-r", "n", "-W", "block=false"}) == "");
  BOOST_TEST(warnings({"-I", "-r", "y"}) == "qsub (Warning): Interactive jobs will be treated as not rerunnable\n");
  BOOST_TEST(warnings({"-I", "-W", "block=true"}) ==
             "qsub (Warning) : setting \"block\" attribute as \"true\" for an interactive job will not return job's exit status\n");
}

BOOST_AUTO_TEST_CASE(an_array_has_a_range_and_perhaps_a_number_that_runs_at_once) {
  const auto range = [](std::vector<std::string> words) {
    const auto s = made(std::move(words));
    return value(s, "array_indices_submitted") + '|' + value(s, "max_run_subjobs");
  };
  BOOST_TEST(range({"-J", "1-8:2"}) == "1-8:2|");
  BOOST_TEST(range({"-J", "00-03%2"}) == "00-03|2");
  BOOST_TEST(range({"-J", "1-3", "-J", "2-5%0"}) == "2-5|0");
  BOOST_TEST(range({"-J", "1-3", "-W", "max_run_subjobs=2"}) == "1-3|2");
  BOOST_TEST(range({}) == "|");
  for (const char* text : {"1-3", "0-10:3%2", "1-10%0"}) BOOST_TEST(!complaint_about({"-J", text}), text);
  BOOST_TEST(!complaint_about({"-J", "1-3", "-m", "aj"}));
}

BOOST_AUTO_TEST_CASE(what_no_array_can_have_is_refused) {
  BOOST_TEST(*complaint_about({"-J", "1-3", "-r", "n"}) ==
             (complaint{"qsub:  cannot submit non-rerunable Array Job", 2, true}));
  for (const char* text : {"1-5%x", "1-5%-1", "1-5%", "1-5%2%3", "1-5%2:2"})
    BOOST_TEST(*complaint_about({"-J", text}) == (complaint{"qsub: Error (15014) submitting job", 166, false}));
  BOOST_TEST(*complaint_about({"-J", "1-3%1", "-W", "max_run_subjobs=2"}) ==
             (complaint{"qsub: multiple max_run_subjobs values found", 2, true}));
}

BOOST_AUTO_TEST_CASE(options_become_attributes) {
  const auto s = made(
      {"-h", "-N", "n", "-o", "out", "-r", "n", "-p", "7", "-l", "ncpus=2,mem=", "-W", "umask=022,block=true", "-z"});
  BOOST_TEST(value(s, "Hold_Types") == "u");
  BOOST_TEST(value(s, "Job_Name") == "n");
  BOOST_TEST(value(s, "Output_Path") == "q1:/home/u/out");
  BOOST_TEST(value(s, "Rerunable") == "False");
  BOOST_TEST(value(s, "Priority") == "7");
  BOOST_TEST(value(s, "Resource_List", "ncpus") == "2");
  BOOST_TEST(value(s, "umask") == "22");
  BOOST_TEST(value(s, "block") == "True");
  BOOST_TEST(value(s, "Submit_arguments") == "args");
  BOOST_TEST(s.block);
  BOOST_TEST(s.quiet);
}

BOOST_AUTO_TEST_CASE(empty_texts_are_left_out_and_times_are_seconds) {
  const auto s = made({"-A", "", "-P", "", "-a", "203001010000.30"});
  for (const char* name : {"Account_Name", "project"}) BOOST_TEST(value(s, name).empty(), name);
  BOOST_TEST(std::stoll(value(s, "Execution_Time")) % 60 == 30);
}

BOOST_AUTO_TEST_CASE(attributes_that_options_set_later_are_overwritten) {
  const auto s = made(
      {"-W", "Priority=5,Job_Name=zz,Rerunable=n,Checkpoint=n,Shell_Path_List=/bin/sh", "-h", "-W", "Hold_Types=o"});
  BOOST_TEST(value(s, "Job_Name") == "STDIN");
  for (const char* name : {"Priority", "Rerunable", "Checkpoint"}) BOOST_TEST(value(s, name).empty(), name);
  BOOST_TEST(value(s, "Shell_Path_List") == "/bin/sh");
  BOOST_TEST(value(s, "Hold_Types") == "o");
}

BOOST_AUTO_TEST_CASE(a_job_without_a_name_is_called_after_its_script) {
  using kind = program_source::kind;
  BOOST_TEST(value(made({}, {kind::file, "dir/1num.sh", {}}), "Job_Name") == "1num.sh");
  BOOST_TEST(value(made({}), "Job_Name") == "STDIN");
  const submit_context context{{}, paths, from_environment, now, ""};
  BOOST_TEST(std::get<complaint>(make_submission({}, {kind::file, "sp ace.sh", {}}, context)) ==
             (complaint{"qsub: illegal -N value", 2, true}));
}

BOOST_AUTO_TEST_CASE(a_program_travels_as_a_job_description) {
  const auto s = made({}, {program_source::kind::executable, "", {"/bin/true", "a", "b c"}});
  BOOST_TEST(value(s, "executable") == "<jsdl-hpcpa:Executable>/bin/true</jsdl-hpcpa:Executable>");
  BOOST_TEST(value(s, "argument_list") ==
             "<jsdl-hpcpa:Argument>a</jsdl-hpcpa:Argument><jsdl-hpcpa:Argument>b c</jsdl-hpcpa:Argument>");
  BOOST_TEST(value(s, "Job_Name") == "STDIN");
}

BOOST_AUTO_TEST_CASE(a_waiting_qsub_ends_as_the_job_did) {
  BOOST_TEST(blocked_exit_status(5) == 5);
  BOOST_TEST(blocked_exit_status(137) == 137);
  BOOST_TEST(blocked_exit_status(265) == 137);
  BOOST_TEST(blocked_exit_status(-29) == 227);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(alteration_of)

BOOST_AUTO_TEST_CASE(empty_values_unset) {
  job_options all;
  const std::vector<std::string> words{"-A", "", "-l", "walltime=,ncpus=2", "-h", "n"};
  all.put_over(parse_options(qsub_command, words));  // no judge: qsub's -h has no value, so -h n is given below
  all.values['h'] = "n";
  const auto list = attributes_of(asker::qalter, all, now, paths);
  const auto has = [&](const job_attribute& a) { return std::find(list.begin(), list.end(), a) != list.end(); };
  BOOST_TEST(has({"Account_Name", "", "", annals::schema::AttributeOp::UNSET}));
  BOOST_TEST(has({"Resource_List", "walltime", "", annals::schema::AttributeOp::UNSET}));
  BOOST_TEST(has({"Resource_List", "ncpus", "2", annals::schema::AttributeOp::SET}));
  BOOST_TEST(has({"Hold_Types", "", "n", annals::schema::AttributeOp::SET}));
}

BOOST_AUTO_TEST_CASE(bad_values_are_illegal) {
  const auto bad = [](char letter, const char* v) { return judge_job_option(asker::qalter, {letter, v}, now, paths); };
  BOOST_TEST((bad('h', "x") == std::string()));
  BOOST_TEST((bad('h', "") == std::string()));
  BOOST_TEST((bad('j', "y") == std::string()));
  for (const char* v : {"sandbox=", "depend=", "Variable_List=A=1"})
    BOOST_TEST(*bad('W', v) == "qalter: illegal -W value", v);
  BOOST_TEST(*bad('W', "Keep_Files=zz") == "qalter: illegal -k value");
  for (const char* v : {"Variable_List=A", "max_run_subjobs=", "block=true", "interactive=True", "Submit_arguments=zz"})
    BOOST_TEST(!bad('W', v).has_value(), v);
}

BOOST_AUTO_TEST_CASE(paths_given_by_name_are_completed) {
  job_options all;
  all.others = {{"Output_Path", "zz"}};
  BOOST_TEST(attributes_of(asker::qalter, all, now, paths).at(0).value == "q1:/home/u/zz");
}

BOOST_AUTO_TEST_SUITE_END()
