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

BOOST_AUTO_TEST_CASE(a_bad_size_is_a_bad_value) {
  BOOST_TEST(check(R"py(
for bad in ("x", "-1gb", "1.5gb", None):
    try: pbs.size(bad)
    except pbs.BadAttributeValueError: continue
    raise AssertionError(bad)
try: pbs.size("1gb") - "2gb"
except pbs.BadAttributeValueError: pass
else: raise AssertionError()
)py") == "accept");
}

BOOST_AUTO_TEST_CASE(durations_are_seconds_and_print_as_hours) {
  BOOST_TEST(check(R"py(
d = pbs.duration("01:00:00")
assert str(d) == "01:00:00" and int(d) == 3600 and d == 3600 and d == "60:00"
assert str(d + 60) == "01:01:00" and str(d - "00:30:00") == "00:30:00" and str(pbs.duration(90)) == "00:01:30"
assert d > pbs.duration("00:59:59") and d < "02:00:00" and isinstance(d, int)
assert "%s" % d == "01:00:00" and "%d" % d == "3600"
try: pbs.duration("a:b")
except pbs.BadAttributeValueError: pass
else: raise AssertionError()
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
    except pbs.BadAttributeValueError: continue
    raise AssertionError("%s took %s" % (kind, bad))
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

BOOST_AUTO_TEST_CASE(every_documented_type_is_there) {
  BOOST_TEST(check(R"py(
for name in ("acl args checkpoint depend duration email_list exec_host exec_vnode vchunk group_list hold_types job_sort_formula "
             "join_path keep_files license_count mail_points name node_group_key path path_list place priority project range "
             "route_destinations sandbox select size software staging_list state_count user_list version pbs_env pbs_int pbs_str "
             "pbs_float pbs_bool pbs_resource").split():
    assert isinstance(getattr(pbs, name), type), name
assert pbs.pbs_int("0x10") == 16 and pbs.pbs_float("1.5") == 1.5 and pbs.pbs_bool("t") == True and str(pbs.pbs_bool("false")) == "False"
assert dict(pbs.pbs_env({"A": "1"}).items()) == {"A": "1"}
)py") == "accept");
}

BOOST_AUTO_TEST_SUITE_END()
