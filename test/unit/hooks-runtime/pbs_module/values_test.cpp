// Value types, constants and exceptions of the pbs module, tried by scripts (pbs guide, "hooks: the pbs module").
#include <boost/test/unit_test.hpp>

#include "test/support/hook_runs.hpp"

using namespace annals::test;

namespace {
struct fixture {
  hook_runs runs;
  // Runs assertions; "accept" when all hold.
  std::string check(const std::string& script) { return summary(runs.run({.source = "import pbs\n" + script})); }
};
}  // namespace

BOOST_FIXTURE_TEST_SUITE(values_of_the_pbs_module, fixture)

BOOST_AUTO_TEST_CASE(sizes_add_compare_and_print) {
  BOOST_TEST(check(R"py(
s = pbs.size("2gb")
assert str(s) == "2gb" and repr(s) == "2gb"
assert str(s + "512mb") == "2560mb"
assert str(s - "1gb") == "1gb"
assert s > "1gb" and s == "2048mb" and s == pbs.size("2097152kb") and s != "1gb" and s < pbs.size("3gb")
assert int(pbs.size("1kb")) == 1024 and pbs.size(1024) == "1kb"
assert str(pbs.size("1gb") * 3) == "3gb"
assert hash(pbs.size("1gb")) == hash(pbs.size("1024mb"))
assert not pbs.size("0kb")
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(a_bad_size_is_refused_in_pbs_s_words) {
  BOOST_TEST(check(R"py(
for bad, words in (("x", "x: bad value for _size"), ("-1gb", "-1gb: bad value for _size"), ("1.5gb", "1.5gb: bad value for _size"),
                   (None, "Bad _size value"), (1.5, "Bad _size value"), (-5, "_size instance cannot be negative")):
    try: pbs.size(bad)
    except TypeError as e: assert str(e) == words, e; continue
    raise AssertionError(bad)
try: pbs.size("1gb") - "2gb"
except ArithmeticError as e: assert str(e) == "expression evaluates to negative _size value"
else: raise AssertionError()
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(durations_are_seconds_and_print_as_hours) {
  BOOST_TEST(check(R"py(
d = pbs.duration("01:00:00")
assert str(d) == "01:00:00" and int(d) == 3600 and d == 3600 and d == "60:00"
assert pbs.duration(1.5) == 2 and pbs.duration("1.5") == 2 and pbs.duration(1.4) == 1 and pbs.duration("00:00:01.4") == 1
assert str(d + 60) == "01:01:00" and str(d - "00:30:00") == "00:30:00" and str(pbs.duration(90)) == "00:01:30"
assert d > pbs.duration("00:59:59") and d < "02:00:00" and isinstance(d, int)
assert "%s" % d == "01:00:00" and "%d" % d == "3600"
assert repr([d, pbs.duration(5) - 60]) == "[3600, -55]"
for bad in ("a:b", "-5", -5, None):
    try: pbs.duration(bad)
    except pbs.BadResourceValueError as e: assert str(e) == "input value %s not of the right format for 'walltime'" % bad, e
    else: raise AssertionError(bad)
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(texts_with_rules_are_strings_that_were_checked) {
  BOOST_TEST(check(R"py(
for kind, good, bad in (("select", "2:ncpus=1+mem=1gb", "2:ncpus=1+"), ("place", "scatter:excl", "nowhere"), ("hold_types", "so", "x"),
                        ("exec_vnode", "(a:ncpus=1)+(b:ncpus=2)", "((a"), ("exec_host", "a/0*2+b/1", "//"),
                        ("join_path", "oe", "xx"), ("mail_points", "abe", "q"), ("keep_files", "oed", "z"), ("checkpoint", "c=5", "c=x"),
                        ("range", "1-10:2", "5-1"), ("range", "1-5", "1,3,5"), ("range", "0-2", "")):
    cls = getattr(pbs, kind)
    v = cls(good)
    assert isinstance(v, str) and isinstance(v, cls) and v == good, kind
    try: cls(bad)
    except pbs.BadResourceValueError: assert kind in ("select", "place"); continue
    except pbs.BadAttributeValueError: continue
    raise AssertionError("%s took %s" % (kind, bad))
assert repr(pbs.select("1:ncpus=2")) == "1:ncpus=2" and repr([pbs.path("h:/x"), pbs.pbs_str("s")]) == "[h:/x, 's']"
h = pbs.hold_types("uo")
assert h + "s" == "uos" == h + pbs.hold_types("us") and h - "u" == "o" and h - "uo" == "n" and pbs.hold_types("n") + "u" == "u"
assert isinstance(h + "s", pbs.hold_types) and isinstance(h - "u", pbs.hold_types) and h + " held" == "uo held" and "is " + h == "is uo"
for bad in (1024, "-1025"):
    try: pbs.priority(bad)
    except pbs.BadAttributeValueError as e: assert str(e) == "input value %s not of the right format for 'Priority'" % bad
    else: raise AssertionError(bad)
assert pbs.acl("a,b") == "a,b" and pbs.user_list("a@b") == "a@b" and pbs.path("h:/x") == "h:/x"
assert str(type(pbs.select("1:ncpus=1"))) == "<class 'pbs.v1._base_types.select'>"
try: pbs.range("a")
except pbs.BadAttributeValueError as e: assert str(e) == "input value a not of the right format for 'array_indices_submitted'", e
else: raise AssertionError()
try: pbs.select(True)
except pbs.BadAttributeValueTypeError: pass
else: raise AssertionError()
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(increment_chunks_takes_every_documented_form) {  // RS-75 to RS-83
  BOOST_TEST(check(R"py(
s = pbs.select("ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb")
two = "1:ncpus=3:mem=1gb+3:ncpus=2:mem=2gb+4:ncpus=1:mem=3gb"
assert s.increment_chunks(2) == two and isinstance(s.increment_chunks(2), pbs.select)
assert s.increment_chunks("2") == two and s.increment_chunks(increment_spec=2) == two and s.increment_chunks(increment=2) == two
one = "1:ncpus=3:mem=1gb+2:ncpus=2:mem=2gb+3:ncpus=1:mem=3gb"
assert s.increment_chunks("23.5%") == one == s.increment_chunks("50 %") == s.increment_chunks(True)
assert s.increment_chunks({0: 0, 1: 4, 2: "50%"}) == "1:ncpus=3:mem=1gb+5:ncpus=2:mem=2gb+3:ncpus=1:mem=3gb"
assert s.increment_chunks({1: "2"}) == "1:ncpus=3:mem=1gb+3:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb"
assert s.increment_chunks(0) == "1:ncpus=3:mem=1gb+1:ncpus=2:mem=2gb+2:ncpus=1:mem=3gb" == s.increment_chunks({})
assert pbs.select("ncpus=2+ncpus=2").increment_chunks(2, first_chunk=True) == "3:ncpus=2+3:ncpus=2"
for bad in (-1, "-2", "x", 1.5, "1.5", None, [1], {5: 1}, {"0": 1}, {0: None}, {1: -1}):
    try: s.increment_chunks(bad)
    except ValueError as e: assert str(e) == "bad increment specs", e
    else: raise AssertionError(bad)
try: s.increment_chunks()
except TypeError as e: assert str(e) == "select.increment_chunks() missing 1 required positional argument: 'increment_spec'"
else: raise AssertionError()
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(an_exec_vnode_has_chunks_with_resources) {
  BOOST_TEST(check(R"py(
v = pbs.exec_vnode("(a:ncpus=2:mem=1048576kb)+(b:ncpus=1+c[0]:ncpus=3)")
assert [c.vnode_name for c in v.chunks] == ["a", "b", "c[0]"]
r = v.chunks[0].chunk_resources
assert r["ncpus"] == 2 and r["mem"] == "1gb" and sorted(r.keys()) == ["mem", "ncpus"] and r["vmem"] is None
assert "ncpus" in r and "vmem" not in r and len(r) == 2
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(a_chunk_is_made_of_its_text_and_copied) {  // golden: hook_module.txt V1
  BOOST_TEST(check(R"py(
import copy, pickle
c = pbs.vchunk("a:ncpus=2:mem=1gb")
for again in (c, copy.copy(c), copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
    assert isinstance(again, pbs.vchunk) and again.vnode_name == "a" and str(again.chunk_resources) == "mem=1gb,ncpus=2"
again = copy.deepcopy(c)
again.chunk_resources["ncpus"] = 3
assert c.chunk_resources["ncpus"] == 2 and again.chunk_resources["ncpus"] == 3
assert pbs.vchunk("").vnode_name == "" and len(pbs.vchunk("").chunk_resources) == 0
for bad in ("(a:ncpus=2", "a:ncpus=1+b:ncpus=1"):
    try: pbs.vchunk(bad); assert False, bad
    except ValueError: pass
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(constants_have_the_numbers_that_sites_see_elsewhere) {
  BOOST_TEST(check(R"py(
assert pbs.QUEUEJOB == pbs.HOOK_EVENT_QUEUEJOB == 1 and pbs.EXECJOB_LAUNCH == 0x800 and pbs.EXECHOST_STARTUP == 0x2000
assert pbs.event().type == pbs.QUEUEJOB and not pbs.MOM_EVENTS & pbs.QUEUEJOB and pbs.MOM_EVENTS & pbs.EXECJOB_END
assert pbs.LOG_DEBUG == 5 and pbs.LOG_WARNING == 6 and pbs.LOG_ERROR == 7 and pbs.EVENT_DEBUG3 == 0x400 and pbs.EVENT_FORCE == 0x8000
assert pbs.ND_OFFLINE == pbs.ND_STATE_OFFLINE == 1 and pbs.ND_DOWN == 2 and pbs.ND_FREE == 0 and pbs.ND_JOBBUSY == 0x10
assert pbs.RESV_STATE_RUNNING == 5 and pbs.JOB_SUBSTATE_RUNNING == 42
for name in ("JOB_STATE_RUNNING", "JOB_STATE_SUSPEND", "SV_STATE_ACTIVE", "QTYPE_EXECUTION", "QTYPE_ROUTE",
             "MGR_CMD_CREATE", "MGR_OBJ_QUEUE",
             "BATCH_OP_INCR", "BRP_CHOICE_Text", "ATR_VFLAG_SET", "ND_DEFAULT_SHARED", "ND_DEFAULT_EXCL", "ND_FORCE_EXCL",
             "ND_IGNORE_EXCL", "ND_FORCE_EXCLHOST", "ND_DEFAULT_EXCLHOST", "ND_PBS"):
    assert isinstance(getattr(pbs, name), int), name
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(numbers_have_their_names_in_tables) {
  BOOST_TEST(check(R"py(
assert pbs.REVERSE_HOOK_EVENT[pbs.event().type] == "HOOK_EVENT_QUEUEJOB" and len(pbs.REVERSE_HOOK_EVENT) == 29
assert pbs.REVERSE_HOOK_EVENT[pbs.MOM_EVENTS] == "HOOK_EVENT_MOM_EVENTS" and pbs.MOM_EVENTS == 1998784
assert pbs.REVERSE_JOB_STATE[4] == "JOB_STATE_RUNNING" and pbs.REVERSE_JOB_STATE[400] == "JOB_STATE_SUSPEND"
assert pbs.REVERSE_JOB_SUBSTATE[153] == "JOB_SUBSTATE_DELJOB" and len(pbs.REVERSE_JOB_SUBSTATE) == 42
assert pbs.REVERSE_NODE_STATE[0x400] == "ND_STATE_INIT" and len(pbs.REVERSE_NODE_STATE) == 22
assert pbs.REVERSE_MGR_OBJS[8] == "MGR_OBJ_HOOK" and pbs.REVERSE_MGR_CMDS[9] == "MGR_CMD_LAST"
assert pbs.REVERSE_RESV_STATE[5] == "RESV_STATE_RUNNING" and pbs.REVERSE_BATCH_OPS[10] == "BATCH_OP_DFLT"
assert pbs.REVERSE_BRP_CHOICES[7] == "BRP_CHOICE_Text" and pbs.REVERSE_ATR_VFLAGS[64] == "ATR_VFLAG_HOOK"
assert pbs.ND_STATE_VNODE_UNAVAILABLE == 409903 and pbs.ND_STATE_OFFLINE_BY_MOM == 0x4000
assert (pbs.ND_DEFAULT_SHARED, pbs.ND_DEFAULT_EXCL, pbs.ND_FORCE_EXCLHOST) == (1, 2, 6)
assert (pbs.SV_STATE_SHUTDEL, pbs.SV_STATE_SHUTIMM) == (4, 5)
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(a_state_of_a_vnode_is_a_set_of_bits) {
  BOOST_TEST(check(R"py(
s = pbs.vnode_state(pbs.ND_OFFLINE)
assert s + pbs.ND_OFFLINE == 1 and s + pbs.ND_DOWN == 3 and s + pbs.ND_DOWN - pbs.ND_OFFLINE == 2 and s - pbs.ND_BUSY == 1
assert isinstance(s + 2, pbs.vnode_state) and isinstance(s, int) and s & pbs.ND_OFFLINE and pbs.ND_STALE + s == 0x21
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(types_are_found_by_their_words_and_where_pbs_keeps_them) {
  BOOST_TEST(check(R"py(
import pbs.v1._base_types, pickle
from pbs.v1._svr_types import vnode
t = pbs.EXPORTED_TYPES_DICT
assert t["Output_Path"] is pbs.path and t["vnode"] is vnode and t["generic_acl"] is pbs.v1._base_types.acl and t["size"] is pbs.size
assert pickle.loads(pickle.dumps(pbs.select("1:ncpus=2"))) == "1:ncpus=2" and issubclass(pbs.svr_types.BackendError, Exception)
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(sums_of_sizes_have_kilobytes_at_least) {
  BOOST_TEST(check(R"py(
import copy, pickle
s = pbs.size
for sum, text in ((s("1gb") + 5, "1048577kb"), (s("1gb") - 5, "1048575kb"), (s("1000b") + s("24b"), "2kb"), (s("1gb") + "1mb", "1025mb"),
                  (s("1kb") + s("1w"), "2kb"), (s("1tb") + s("1b"), "1073741825kb"), (s("1gb") - s("1mb"), "1023mb")):
    assert str(sum) == text, (sum, text)
for again in (copy.copy(s("3mb")), copy.deepcopy({"mem": s("3mb")})["mem"], pickle.loads(pickle.dumps(s("3mb")))):
    assert str(again) == "3mb" and type(again) is s
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(helpers_say_where_a_script_runs_and_convert) {
  BOOST_TEST(check(R"py(
assert pbs.get_local_host_name() == pbs.get_local_nodename() == "n1" and pbs.in_site_hook()
assert pbs.get_python_daemon_name() == "Server@" + pbs.get_pbs_server_name()
assert pbs.duration_to_secs("1:00") == 60 and pbs.size_to_kbytes("1mb") == 1024 and pbs.size_to_kbytes(1) == 1
assert pbs.get_job("1") is None and pbs.get_vnode("n7") is None and pbs.get_queue("q") is None and pbs.get_resv("R1") is None
)py") == "accept");
  BOOST_TEST(summary(runs.run({.source = "import pbs\nassert pbs.get_python_daemon_name() == 'pbs_python'\n", .event = "execjob_begin"})) ==
             "accept");
}

BOOST_AUTO_TEST_CASE(every_documented_type_is_there) {
  BOOST_TEST(check(R"py(
for name in ("acl args checkpoint depend duration email_list exec_host exec_vnode vchunk group_list hold_types job_sort_formula "
             "join_path keep_files license_count mail_points name node_group_key path path_list place priority project range "
             "route_destinations sandbox select size software staging_list state_count user_list version pbs_env pbs_int pbs_str "
             "pbs_float pbs_bool pbs_resource").split():
    assert isinstance(getattr(pbs, name), type), name
assert pbs.pbs_int("0x10") == 16 and pbs.pbs_float("1.5") == 1.5 and pbs.pbs_bool("t") == True and str(pbs.pbs_bool("false")) == "0"
assert dict(pbs.pbs_env({"A": "1"}).items()) == {"A": "1"}
import copy
v = pbs.pbs_env("A=b,C=d")
assert v == {"A": "b", "C": "d"} == v.copy() == copy.deepcopy(v) and str(v) == "A=b,C=d" and repr(v) == "{'A': 'b', 'C': 'd'}"
v.update({"A": "x"}, E="f")
assert v.pop("C") == "d" and v.pop("Z", None) is None and v.setdefault("G", "h") == "h" and str(v) == "A=x,E=f,G=h" and v != {}
)py") == "accept");
}

BOOST_AUTO_TEST_SUITE_END()
