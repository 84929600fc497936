// Jobs, vnodes and what hangs on them, as scripts read and write them.
#include <boost/test/unit_test.hpp>

#include "test/support/hook_runs.hpp"

using namespace annals;
using namespace annals::test;

namespace {
struct fixture {
  hook_runs runs;
  hook_case on(const char* event, const std::string& script) {
    return {.source = "import pbs\ne = pbs.event()\nj = e.job\n" + script, .event = event};
  }
  std::string result(const hook_case& c) { return summary(runs.run(c)); }
};
}  // namespace

BOOST_FIXTURE_TEST_SUITE(objects_of_the_pbs_module, fixture)

BOOST_AUTO_TEST_CASE(attributes_have_the_types_that_pbs_gives_them) {
  auto c = on("execjob_begin", R"py(
assert j.id == "12.head" and str(j) == "12.head" and j.Job_Name == "sim"
assert j.Priority == 5 and type(j.Priority) is int
assert j.Rerunable == True and str(j.Rerunable) == "1" and isinstance(j.Rerunable, pbs.pbs_bool)
assert j.Hold_Types == "u" and isinstance(j.Hold_Types, pbs.hold_types)
assert j.ctime == 1700000000 and j.job_state == pbs.JOB_STATE_RUNNING
assert isinstance(j.schedselect, pbs.select) and isinstance(j.exec_vnode, pbs.exec_vnode) and j.exec_vnode.chunks[0].vnode_name == "n1"
assert isinstance(j.Output_Path, pbs.path) and j.stdout_file() == "/o" and j.eligible_time == "00:01:00"
r = j.Resource_List
assert r["ncpus"] == 4 and r["mem"] == pbs.size("1gb") and r["walltime"] == 3600 and isinstance(r["select"], pbs.select)
assert str(r) == "mem=1gb,ncpus=4,select=1:ncpus=4,walltime=01:00:00" and r["nosuch"] is None and "mem" in r and list(r) == r.keys()
import copy
free = copy.deepcopy(r)
free["ncpus"] = 5
assert isinstance(free, pbs.pbs_resource) and free["ncpus"] == 5 and free["mem"] == "1gb" and r["ncpus"] == 4
assert j.comment is None and j.Account_Name is None
v = j.Variable_List
assert v["A"] == "1" and v["B"] == "x,y" and v.get("C") is None and "A" in v and v.keys() == ["A", "B"]
assert j.select == j.select_requested == "1:ncpus=4"
assert j.queue == "workq" and j.queue.name == "workq" and str(j.queue) == "workq"
)py");
  c.job = {{"Job_Name", "", "sim"},
           {"Priority", "", "5"},
           {"Rerunable", "", "True"},
           {"Hold_Types", "", "u"},
           {"ctime", "", "1700000000"},
           {"job_state", "", "R"},
           {"schedselect", "", "1:ncpus=4"},
           {"exec_vnode", "", "(n1:ncpus=4)"},
           {"Output_Path", "", "head:/o"},
           {"eligible_time", "", "00:01:00"},
           {"Resource_List", "ncpus", "4"},
           {"Resource_List", "mem", "1gb"},
           {"Resource_List", "walltime", "01:00:00"},
           {"Resource_List", "select", "1:ncpus=4"},
           {"Variable_List", "", "A=1,B=x\\,y"},
           {"queue", "", "workq"}};
  BOOST_TEST(result(c) == "accept");
}

BOOST_AUTO_TEST_CASE(a_queuejob_hook_reads_what_qsub_says_of_every_job) {  // golden: hook_fields_recording.txt
  auto plain = on("queuejob",
                  "assert (j.Rerunable, j.Priority, str(j.Join_Path), str(j.Hold_Types), j.queue) == (True, 0, 'n', 'n', '')\n"
                  "assert j.Account_Name is None\n"
                  "j.Rerunable = None\n"
                  "assert j.Rerunable is None\n"
                  "j.Priority = 0\n");
  plain.job = {};
  BOOST_TEST(result(plain) == "accept job.Rerunable True->- job.Priority 0->0");
  auto interactive = on("queuejob", "assert j.Rerunable == False\n");
  interactive.job = {{"interactive", "", "True"}};
  BOOST_TEST(result(interactive) == "accept");
  auto changed = on("modifyjob", "assert j.Rerunable is None and j.queue is None\n");
  changed.job = {};
  BOOST_TEST(result(changed) == "accept");
}

BOOST_AUTO_TEST_CASE(arrays_and_subjobs_are_read) {
  auto array = on("queuejob",
                  "assert isinstance(j.array_indices_submitted, pbs.range) and j.array_indices_submitted == '1-8:2'\n"
                  "assert j.max_run_subjobs == 2 and j.array_index is None and j.array_id is None\n"
                  "j.array_indices_submitted = pbs.range('1-4')\n");
  array.job = {{"array_indices_submitted", "", "1-8:2"}, {"max_run_subjobs", "", "2"}};
  BOOST_TEST(result(array).starts_with("accept"));
  auto subjob = on("runjob", "assert j.array_id == '12[].head' and j.array_index == 3 and j.array is None\n");
  subjob.job = {{"array_id", "", "12[].head"}, {"array_index", "", "3"}};
  BOOST_TEST(result(subjob) == "accept");
  auto ended = on("jobobit",
                  "assert j.array == True and j.array_indices_remaining == '1-3,7' and isinstance(j.array_indices_remaining, pbs.range)\n"
                  "assert isinstance(j.array_state_count, pbs.state_count)\n");
  ended.job = {{"array", "", "True"},
               {"array_indices_remaining", "", "1-3,7"},
               {"array_state_count", "", "Queued:4 Running:0 Exiting:0 Expired:0"}};
  BOOST_TEST(result(ended) == "accept");
}

BOOST_AUTO_TEST_CASE(the_selection_asked_for_is_read_by_both_names) {  // RS-33, RS-128
  auto c = on("queuejob",
              "assert j.select_requested == j.Resource_List['select_requested'] == '2:ncpus=1' and "
              "isinstance(j.select_requested, pbs.select)\n");
  c.job = {{"Resource_List", "select_requested", "2:ncpus=1"}};
  BOOST_TEST(result(c) == "accept");
  c.job = {{"Resource_List", "select", "2"}, {"schedselect", "", "2:ncpus=1"}};  // without spare chunks (RS-32)
  BOOST_TEST(result(c) == "accept");
  c.job = {{"schedselect", "", "1:ncpus=1"}, {"schedselect_orig", "", "2:ncpus=1"}};
  BOOST_TEST(result(c) == "accept");
}

BOOST_AUTO_TEST_CASE(spare_chunks_are_selects_in_both_directions) {  // RS-18, RS-19, RS-20
  auto c = on("queuejob",
              "for name in 'select_reliable_startup', 'rjselect':\n"
              "    assert isinstance(j.Resource_List[name], pbs.select)\n"
              "j.Resource_List['select_reliable_startup'] = j.select.increment_chunks({0: 0, 1: 1})\n"
              "j.Resource_List['rjselect'] = pbs.select('3:ncpus=1')\n");
  c.job = {{"Resource_List", "select", "ncpus=3+ncpus=2"},
           {"Resource_List", "select_reliable_startup", "4:ncpus=1"},
           {"Resource_List", "rjselect", "2:ncpus=1"}};
  BOOST_TEST(
      result(c) ==
      "accept job.Resource_List.select_reliable_startup 4:ncpus=1->1:ncpus=3+2:ncpus=2 job.Resource_List.rjselect 2:ncpus=1->3:ncpus=1");
}

BOOST_AUTO_TEST_CASE(a_queuejob_hook_sets_what_a_user_may) {
  BOOST_TEST(result(on("queuejob", R"py(
j.Resource_List["select"] = pbs.select("ncpus=1+ncpus=2").increment_chunks(1)
j.Resource_List["mem"] = pbs.size("2gb")
j.Hold_Types = pbs.hold_types("u")
j.Execution_Time = 1800000000
j.Rerunable = False
j.queue = pbs.server().queue("long") or "long"
j.Variable_List["X"] = "1"
j.Account_Name = "acme"
j.Priority = None
)py")) == "accept job.Resource_List.select -->1:ncpus=1+2:ncpus=2 job.Resource_List.mem -->2gb job.Hold_Types n->u "
          "job.Execution_Time -->1800000000 job.Rerunable True->False job.queue ->long job.Variable_List -->X=1 "
          "job.Account_Name -->acme job.Priority 5->-");
}

BOOST_AUTO_TEST_CASE(the_last_of_several_values_wins_and_is_read_back) {
  BOOST_TEST(result(on("queuejob",
                       "j.Priority = 6\nassert j.Priority == 6\nj.Priority = 7\nj.Resource_List['ncpus'] = 5\n"
                       "assert j.Resource_List['ncpus'] == 5\ndel j.Resource_List['ncpus']\nassert "
                       "j.Resource_List['ncpus'] is None\n")) ==
             "accept job.Priority 5->7 job.Resource_List.ncpus 4->-");
}

BOOST_AUTO_TEST_CASE(a_resource_is_an_attribute_of_its_map_too) {
  auto c = on("queuejob", R"py(
r = j.Resource_List
assert r.ncpus == 4 and r.walltime is None and hasattr(r, "walltime") and hasattr(r, "mem") and getattr(r, "mem") == pbs.size("1gb")
assert not hasattr(r, "nosuch") and callable(r.keys) and "walltime" in r.attributes
r.walltime = 60
r.ncpus = None
assert r.walltime == r["walltime"] == 60 and r.ncpus is None
try:
    r.keys = 1
    raise AssertionError("a method was replaced")
except AttributeError: pass
free = pbs.pbs_resource("Resource_List")
free.mem = pbs.size("3mb")
assert free.mem == free["mem"] == "3mb"
)py");
  c.job = {{"Resource_List", "ncpus", "4"}, {"Resource_List", "mem", "1gb"}};
  BOOST_TEST(result(c) == "accept job.Resource_List.walltime -->00:01:00 job.Resource_List.ncpus 4->-");
}

BOOST_AUTO_TEST_CASE(variables_keep_their_commas_and_backslashes) {
  auto c = on("queuejob", R"py(
j.Variable_List["C"] = "a,b\\c"
assert j.Variable_List.items() == [("A", "1"), ("B", "x,y"), ("C", "a,b\\c")]
)py");
  c.job = {{"Variable_List", "", "A=1,B=x\\,y"}};
  BOOST_TEST(result(c) == "accept job.Variable_List A=1,B=x\\,y->A=1,B=x\\,y,C=a\\,b\\\\c");
}

BOOST_AUTO_TEST_CASE(variables_that_may_not_be_set_stay_as_they_were) {
  auto c = on("execjob_end", R"py(
def refused(change):
    try:
        change()
    except pbs.BadAttributeValueError:
        return v.items() == [("A", "1"), ("B", "2"), ("C", "3")]
v = j.Variable_List
assert refused(lambda: v.__setitem__("B", "9")) and refused(lambda: v.__setitem__("D", "9"))
assert refused(lambda: v.__delitem__("B")) and refused(lambda: v.__delitem__("A"))
)py");
  c.job = {{"Variable_List", "", "A=1,B=2,C=3"}};
  BOOST_TEST(result(c) == "accept");
}

// The refusal makes an exception, that may set off the collector, and that a __del__ which sets variables too.
BOOST_AUTO_TEST_CASE(variables_may_be_set_while_a_setting_is_refused) {
  auto c = on("execjob_end", R"py(
import gc
v = j.Variable_List
class sets_more_when_it_goes:
    busy = False
    def __init__(self): self.me = self
    def __del__(self):
        if self.busy: return
        sets_more_when_it_goes.busy = True
        for i in range(40):
            try: v["N%d" % i] = "x" * 100
            except pbs.BadAttributeValueError: pass
        sets_more_when_it_goes.busy = False
gc.disable()
try:
    raise ValueError
except ValueError:
    for k in range(50):
        for i in range(5): sets_more_when_it_goes()
        gc.set_threshold(1)
        gc.enable()
        try: v["NEW"] = "y"
        except pbs.BadAttributeValueError: pass
        gc.disable()
        gc.set_threshold(700)
assert v.items() == [("A", "1"), ("B", "2"), ("C", "3")], v.items()
)py");
  c.job = {{"Variable_List", "", "A=1,B=2,C=3"}};
  BOOST_TEST(result(c) == "accept");
}

BOOST_AUTO_TEST_CASE(what_only_the_server_sets_is_readonly) {  // pbs guide: hooks: results
  BOOST_TEST(result(on("queuejob", "j.ctime = 5\n")) ==
             "error 'BadAttributeValueError: job attribute 'ctime' is readonly'");
  BOOST_TEST(result(on("jobobit", "j.Priority = 5\n")) ==
             "error 'BadAttributeValueError: attribute 'Priority' is part of a readonly object'");
  BOOST_TEST(result(on("queuejob", "pbs.server().scheduling = False\n")) ==
             "error 'BadAttributeValueError: attribute 'scheduling' is part of a readonly object'");
}

BOOST_AUTO_TEST_CASE(names_that_are_none_raise) {
  BOOST_TEST(result(on("queuejob", "j.nosuch\n")) == "error 'UnsetAttributeNameError: job attribute 'nosuch' not found'");
  BOOST_TEST(result(on("queuejob", "j.nosuch = 1\n")) ==
             "error 'UnsetAttributeNameError: job attribute 'nosuch' not found'");
  BOOST_TEST(result(on("queuejob", "assert getattr(j, 'nosuch', 3) == 3 and not hasattr(j, 'nosuch')\n")) == "accept");
  BOOST_TEST(result(on("queuejob", "j.Resource_List['nosuch'] = 1\n")).find("UnsetResourceNameError") !=
             std::string::npos);
  BOOST_TEST(result(on("queuejob", "e.resv\n")).find("error 'EventIncompatibleError") == 0u);
}

BOOST_AUTO_TEST_CASE(values_are_checked_when_they_are_written) {
  BOOST_TEST(result(on("queuejob", R"py(
for name, value, error in (("Priority", "x", pbs.BadAttributeValueError), ("Priority", 5000, pbs.BadAttributeValueError),
                           ("Priority", [], pbs.BadAttributeValueTypeError), ("Rerunable", "maybe", pbs.BadAttributeValueError),
                           ("Hold_Types", "q", pbs.BadAttributeValueError), ("Job_Name", 5, pbs.BadAttributeValueTypeError)):
    try: setattr(j, name, value)
    except error: continue
    raise AssertionError((name, value))
for name, value, error in (("ncpus", "x", pbs.BadResourceValueError), ("mem", [], pbs.BadResourceValueTypeError),
                           ("walltime", "x:y", pbs.BadResourceValueError), ("select", "1:", pbs.BadResourceValueError)):
    try: j.Resource_List[name] = value
    except error: continue
    raise AssertionError((name, value))
)py")) == "accept");
}

BOOST_AUTO_TEST_CASE(a_vnode_s_state_is_bits_with_names) {  // RS-67, RS-72
  auto c = on("execjob_launch", R"py(
v = e.vnode_list["n1"]
assert v.name == "n1" and v.state == pbs.ND_FREE and v.extract_state_strs() == ["ND_STATE_FREE"] and v.extract_state_ints() == [0]
v.state = pbs.ND_OFFLINE
assert v.state == pbs.ND_OFFLINE
v.resources_available["ncpus"] = 9
for vn in e.vnode_list_fail: e.vnode_list_fail[vn].state = pbs.ND_OFFLINE
assert list(e.vnode_list_fail.keys()) == ["n2"] and "%s" % (sorted(e.vnode_list.keys()),) == "['n1']"
)py");
  c.vnodes = {"n1"};
  c.failed_vnodes = {"n2"};
  BOOST_TEST(result(c) ==
             "accept vnode_list[n1].state free->offline vnode_list[n1].resources_available.ncpus 8->9 "
             "vnode_list_fail[n2].state free->offline");
}

BOOST_AUTO_TEST_CASE(what_there_is_to_ask_for_stands_in_attributes) {
  auto c = on("execjob_launch", R"py(
assert sorted(e.attributes) == ["_param", "freq", "hook_name", "hook_type", "requestor", "requestor_host", "type"]
assert list(e._param) == ["job", "vnode_list", "vnode_list_fail", "progname", "argv", "env"] and e._param["job"] is j
for a in e.attributes: getattr(e, a)
s = pbs.server()
for o, some in ((j, ("id", "Job_Name", "Resource_List", "array_index")), (e.vnode_list["n1"], ("name", "state", "Mom")),
                (s, ("name", "default_queue")), (s.queue("workq"), ("name", "queue_type")), (s.resv("R1"), ("resvid", "reserve_start"))):
    if o is None: continue
    for a in o.attributes: getattr(o, a)
    for a in some: assert a in o.attributes.keys(), a
assert "mem" in j.Resource_List.attributes and "ncpus" in j.Resource_List.attributes.keys()
)py");
  c.vnodes = {"n1"};
  BOOST_TEST(result(c) == "accept");
}

BOOST_AUTO_TEST_CASE(states_of_several_bits_come_apart) {
  BOOST_TEST(
      result({.source =
                  "import pbs\nv = pbs.server().vnode('n1')\n"
                  "assert v.extract_state_strs() == ['ND_STATE_OFFLINE', 'ND_STATE_DOWN', 'ND_STATE_VNODE_UNAVAILABLE']\n"
                  "assert v.extract_state_ints() == [1, 2, 409903]\n"
                  "assert v.sharing == pbs.ND_DEFAULT_EXCL\n",
              .answer = [](hooks::protocol::Question::Reader, hooks::protocol::Answer::Builder a) {
                auto o = a.initObject();
                o.setKind(hooks::protocol::ObjectKind::VNODE);
                o.setName("n1");
                auto attributes = o.initAttributes(2);
                attributes[0].setName("state");
                attributes[0].setValue("down,offline");
                attributes[1].setName("sharing");
                attributes[1].setValue("default_excl");
              }}) == "accept");
}

BOOST_AUTO_TEST_CASE(of_what_the_server_gives_vnodes_may_be_set_where_vnode_list_may) {  // pbs guide: hooks: runjob, periodic
  const auto asked = [&](const char* event, const std::string& script) {
    hook_case c{.source = "import pbs\ns = pbs.server()\n" + script, .event = event};
    c.answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
      if (q.isNames()) return a.initNames(1).set(0, "n9");
      auto o = a.initObject();
      o.setKind(q.getObject().getKind());
      o.setName(q.getObject().getName());
      auto state = o.initAttributes(1)[0];
      state.setName("state");
      state.setValue("free");
    };
    return result(c);
  };
  const std::string one = "s.vnode('n9').state = pbs.ND_OFFLINE\n", all = "for v in s.vnodes(): v.comment = 'seen'\n";
  BOOST_TEST(asked("runjob", one + "pbs.event().reject('x')\n") == "reject 'x' vnode_list[n9].state free->offline");
  BOOST_TEST(asked("runjob", one) == "accept log:n9: state is not set, it holds only with reject");
  BOOST_TEST(asked("runjob", all) == "error 'BadAttributeValueError: vnode attribute 'comment' is readonly'");
  BOOST_TEST(asked("periodic", one + all) ==
             "accept vnode_list[n9].state free->offline vnode_list[n9].comment -->seen");
  for (const char* event : {"queuejob", "modifyjob", "jobobit", "execjob_begin"})
    BOOST_TEST(asked(event, one) == "error 'BadAttributeValueError: attribute 'state' is part of a readonly object'");
  for (const char* event : {"queuejob", "runjob", "periodic"})
    for (const char* object : {"job('1.head')", "queue('workq')"})
      BOOST_TEST(asked(event, std::string("s.") + object + ".Priority = 5\n") ==
                 "error 'BadAttributeValueError: attribute 'Priority' is part of a readonly object'");
}

BOOST_AUTO_TEST_CASE(what_nobody_can_say_raises_and_is_not_taken_for_what_is_not_there) {
  const auto asked = [&](const std::string& script) {
    hook_case c{.source = "import pbs\ns = pbs.server()\n" + script, .event = "execjob_begin"};
    c.answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
      if (q.isNames() && q.getNames() == hooks::protocol::ObjectKind::VNODE) a.initNames(1).set(0, "n9");
      else a.setUnknown("no server");
    };
    return result(c);
  };
  for (const char* script : {"s.vnode('n9')", "s.job('1.head')", "s.queue('workq')", "s.queues()", "s.jobs()", "s.name", "str(s)",
                             "s.default_queue", "next(s.vnodes()).state", "next(s.vnodes()).resources_available['ncpus']",
                             "next(s.vnodes()).extract_state_strs()", "pbs.get_vnode('n9')"})
    BOOST_TEST(asked(std::string(script) + "\n") == "error 'RuntimeError: no server'", script);
  BOOST_TEST(asked("assert next(s.vnodes()).name == 'n9'\n") == "accept");  // it is known by then
  BOOST_TEST(asked("v = next(s.vnodes())\nfor i in range(2):\n  try: v.state\n  except RuntimeError: continue\n  assert False\n") ==
             "accept");
}

BOOST_AUTO_TEST_CASE(a_command_line_is_shown_as_pbs_shows_it_and_kept_as_it_is) {  // hook_fields_recording.txt
  auto c = on("queuejob", R"py(
assert j.executable == '/bin/sleep' and type(j.executable) is str and j.argument_list == '<jsdl-hpcpa:Argument>5</jsdl-hpcpa:Argument>'
words = ('-h', '-N', 'ev1', '--', '/bin/sleep', '5')
assert j.Submit_arguments == ''.join('<jsdl-hpcpa:Argument>%s</jsdl-hpcpa:Argument>' % w for w in words)
j.Submit_arguments = j.Submit_arguments
j.executable = '/bin/true'
assert j.executable == '/bin/true'
)py");
  c.job = {{"executable", "", "<jsdl-hpcpa:Executable>/bin/sleep</jsdl-hpcpa:Executable>"},
           {"argument_list", "", "<jsdl-hpcpa:Argument>5</jsdl-hpcpa:Argument>"},
           {"Submit_arguments", "", "-h -N ev1 -- /bin/sleep 5"}};
  BOOST_TEST(result(c) ==
             "accept job.Submit_arguments -h -N ev1 -- /bin/sleep 5->-h -N ev1 -- /bin/sleep 5 job.executable "
             "<jsdl-hpcpa:Executable>/bin/sleep</jsdl-hpcpa:Executable>-><jsdl-hpcpa:Executable>/bin/true</jsdl-hpcpa:Executable>");
}

BOOST_AUTO_TEST_CASE(hosts_that_failed_and_joined_are_lists) {  // hook_fields_recording.txt
  auto c = on("execjob_prologue", "assert j.failed_mom_list == ['n2'] and j.succeeded_mom_list == []\n");
  c.job = {{"failed_mom_list", "", "n2"}, {"succeeded_mom_list", "", ""}};
  BOOST_TEST(result(c) == "accept");
  BOOST_TEST(result(on("execjob_begin", "assert j.failed_mom_list is None\n")) == "accept");
  for (const char* event : {"queuejob", "execjob_prologue"})
    BOOST_TEST(result(on(event, "j.failed_mom_list = ['n2']\n")) ==
               "error 'BadAttributeValueError: job attribute 'failed_mom_list' is readonly'");
}

BOOST_AUTO_TEST_CASE(a_host_out_of_reach_knows_the_name_of_its_server) {
  hooks::pool_settings settings;
  settings.pbs_conf = {{"PBS_SERVER", "head"}};
  hook_runs on_host(settings);
  hook_case c{.source = "import pbs\ns = pbs.server()\nassert s.name == str(s) == 'head'\ns.default_queue\n", .event = "exechost_startup"};
  c.answer = [](hooks::protocol::Question::Reader, hooks::protocol::Answer::Builder a) { a.setUnknown("no server"); };
  BOOST_TEST(summary(on_host.run(c)) == "error 'RuntimeError: no server'");
}

BOOST_AUTO_TEST_CASE(the_server_gives_its_reservations) {
  hook_case c{.source = R"py(
import pbs
s = pbs.server()
assert [r.resvid for r in s.resvs()] == ["R7.vm"] and s.resv("R999.vm") is None
r = s.resv("R7.vm")
assert str(r) == r.resvid == "R7.vm" and r.Reserve_Name == "rv" and r.queue.name == "R7" and r.server.name == "vm"
assert r.reserve_state == pbs.RESV_STATE_CONFIRMED == 2 and r.reserve_substate == 2
assert r.reserve_start == 1795359047 and isinstance(r.reserve_duration, pbs.duration) and r.reserve_duration == 10
assert r.Authorized_Users == "pbsuser@vm" and isinstance(r.Authorized_Users, pbs.acl) and str(r.resv_nodes) == "(vm:ncpus=1)"
assert r.Resource_List["ncpus"] == 1 and r.Variable_List["PBS_O_HOST"] == "vm"
assert r.Priority is None and r.User_List is None and r.delete_idle_time is None
)py",
              .event = "periodic"};
  c.answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
    if (q.isNames()) return a.initNames(1).set(0, "R7.vm");
    if (schema::text(q.getObject().getName()) == "R999.vm") return a.setNone();
    constexpr const char* values[][3] = {{"Reserve_Name", "", "rv"},
                                         {"reserve_state", "", "RESV_CONFIRMED"},
                                         {"reserve_substate", "", "2"},
                                         {"reserve_start", "", "1795359047"},
                                         {"reserve_duration", "", "10"},
                                         {"queue", "", "R7"},
                                         {"server", "", "vm"},
                                         {"Authorized_Users", "", "pbsuser@vm"},
                                         {"resv_nodes", "", "(vm:ncpus=1)"},
                                         {"Resource_List", "ncpus", "1"},
                                         {"Variable_List", "", "PBS_O_LOGNAME=pbsuser,PBS_O_HOST=vm"}};
    auto o = a.initObject();
    o.setKind(hooks::protocol::ObjectKind::RESERVATION);
    o.setName("R7.vm");
    auto list = o.initAttributes(std::size(values));
    for (unsigned i = 0; i < std::size(values); ++i) {
      list[i].setName(values[i][0]);
      list[i].setResource(values[i][1]);
      list[i].setValue(values[i][2]);
    }
  };
  BOOST_TEST(result(c) == "accept");
}

BOOST_AUTO_TEST_CASE(the_server_gives_its_scheduler_objects) {
  hook_case c{.source =
                  "import pbs\ns = pbs.server()\none = s.scheduler('sc1')\n"
                  "names = [o.name for o in s.schedulers()]\n"
                  "pbs.event().reject(f'{one.name} {one.partition} {one.scheduling} {one.scheduler_iteration} {one.comment} {names}')\n",
              .event = "queuejob"};
  c.answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
    if (q.isNames()) {
      auto names = a.initNames(2);
      names.set(0, "default");
      names.set(1, "sc1");
      return;
    }
    auto o = a.initObject();
    o.setKind(q.getObject().getKind());
    o.setName(q.getObject().getName());
    auto list = o.initAttributes(3);
    list[0].setName("partition");
    list[0].setValue("P1");
    list[1].setName("scheduling");
    list[1].setValue("True");
    list[2].setName("scheduler_iteration");
    list[2].setValue("600");
  };
  BOOST_TEST(result(c) == "reject 'sc1 P1 1 600 None ['default', 'sc1']'");
  c.source = "import pbs\npbs.server().scheduler('sc1').comment = 'x'\n";
  BOOST_TEST(result(c) == "error 'BadAttributeValueError: attribute 'comment' is part of a readonly object'");
}

BOOST_AUTO_TEST_CASE(a_startup_hook_makes_custom_resources_with_the_type_of_the_value) {  // RU-06
  hook_case c{.source =
                  "import pbs\ne = pbs.event()\nr = e.vnode_list[pbs.get_local_nodename()].resources_available\n"
                  "r['foo_i'] = 7\nr['foo_f'] = 5.0\nr['foo_str'] = 'seventyseven'\nr['foo_b'] = True\nr['bar_size'] = "
                  "pbs.size('7mb')\n",
              .event = "exechost_startup"};
  c.vnodes = {"n1"};
  const auto r = runs.run(c);
  BOOST_TEST(
      summary(r) ==
      "accept vnode_list[n1].resources_available.foo_i -->7 vnode_list[n1].resources_available.foo_f -->5 "
      "vnode_list[n1].resources_available.foo_str -->seventyseven vnode_list[n1].resources_available.foo_b -->True "
      "vnode_list[n1].resources_available.bar_size -->7mb");
  std::string types;
  for (const auto made : r.get().getCustomResources())
    types += schema::str(made.getName()) + ":" + schema::str(made.getType()) + " ";
  BOOST_TEST(types == "bar_size:size foo_b:boolean foo_f:float foo_i:long foo_str:string ");
}

BOOST_AUTO_TEST_CASE(a_startup_hook_makes_new_vnodes) {  // pbs guide: exechost_startup
  BOOST_TEST(
      result({.source = "import pbs\ne = pbs.event()\nv = pbs.vnode('n1[0]')\nv.resources_available['ncpus'] = 4\n"
                        "e.vnode_list['n1[0]'] = v\nassert v.name == 'n1[0]' and v.resources_available['ncpus'] == 4\n",
              .event = "exechost_startup"}) == "accept vnode_list[n1[0]].resources_available.ncpus -->4");
  BOOST_TEST(result(on("queuejob", "pbs.vnode('n1').state = 1\n")).find("error 'BadAttributeValueError") == 0u);
}

BOOST_AUTO_TEST_CASE(an_object_that_was_kept_from_an_earlier_run_is_empty) {
  const auto c = on(
      "queuejob",
      "import sys\nif hasattr(sys, 'kept'):\n    assert sys.kept.Priority is None and sys.kept_list['ncpus'] is None\n"
      "    try: sys.kept.Priority = 1\n    except pbs.BadAttributeValueError: e.reject('kept')\n"
      "sys.kept = j\nsys.kept_list = j.Resource_List\n");
  BOOST_TEST(result(c) == "accept");
  BOOST_TEST(result(c) == "reject 'kept'");
}

BOOST_AUTO_TEST_CASE(custom_resources_of_the_site_have_their_types) {
  runs.pool().know_resources({{"foo_size", "size"}, {"foo_b", "boolean"}});
  auto c = on("execjob_epilogue",
              "u = j.resources_used\nassert u['foo_size'] == pbs.size('1mb')\nu['foo_size'] = "
              "pbs.size('3mb')\nu['foo_b'] = True\nu['cput'] = 10\n");
  c.job = {{"resources_used", "foo_size", "1mb"}};
  BOOST_TEST(result(c) ==
             "accept job.resources_used.foo_size 1mb->3mb job.resources_used.foo_b -->True job.resources_used.cput "
             "-->00:00:10");
}

BOOST_AUTO_TEST_CASE(jobs_of_a_queue_and_of_the_server_are_iterated) {
  auto c = on("queuejob",
              "assert [str(x) for x in pbs.server().jobs()] == ['1.head', '2.head']\n"
              "assert [x.Job_Owner for x in pbs.server().queue('workq').jobs()] == ['u@1.head', 'u@2.head']\n"
              "assert pbs.server().name == 'head' and pbs.server().job('9.head') is None\n");
  c.answer = [](hooks::protocol::Question::Reader q, hooks::protocol::Answer::Builder a) {
    using hooks::protocol::Question;
    if (q.which() == Question::NAMES || q.which() == Question::JOBS_OF) {
      auto names = a.initNames(2);
      names.set(0, "1.head");
      names.set(1, "2.head");
      return;
    }
    const std::string name = schema::str(q.getObject().getName());
    if (name == "9.head") return a.setNone();
    auto o = a.initObject();
    o.setKind(q.getObject().getKind());
    o.setName(name.empty() ? "head" : name);
    auto attributes = o.initAttributes(1);
    attributes[0].setName("Job_Owner");
    attributes[0].setValue("u@" + name);
  };
  BOOST_TEST(result(c) == "accept");
}

BOOST_AUTO_TEST_SUITE_END()
