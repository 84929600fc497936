// What hooks let go of a run: what their calls are answered, and what counts when they have accepted.
#include <boost/test/unit_test.hpp>

#include "actors/mom/runs/release_plan.hpp"

using namespace annals;
using namespace annals::actors;
namespace protocol = hooks::protocol;

namespace {

constexpr const char* given = "(n1:ncpus=2)+(n2:ncpus=1)+(n3:ncpus=1)+(n4:ncpus=1)";
constexpr const char* given_hosts = "n1/0*2+n2/0+n3/0+n4/0";

hooks::hook_object wide_job() {
  hooks::hook_object job{protocol::ObjectKind::JOB, "12.head", {}};
  job.put("exec_vnode", {}, given);
  job.put("exec_host", {}, given_hosts);
  job.put("schedselect", {}, "1:ncpus=2+3:ncpus=1");
  job.put("Resource_List", "select", "ncpus=2+3:ncpus=1");
  job.put("Resource_List", "ncpus", "5");
  job.put("Resource_List", "nodect", "4");
  job.put("Resource_List", "site", "ncpus=2+2:ncpus=1");
  return job;
}

std::vector<hooks::hook_object> vnodes(const std::vector<const char*>& names) {
  std::vector<hooks::hook_object> out;
  for (const auto* name : names) out.push_back({protocol::ObjectKind::VNODE, name, {}});
  return out;
}

std::string shown(const hooks::hook_object& job, const char* name, const char* resource = "") {
  const auto* a = job.find(name, resource);
  return a ? a->value : "";
}

struct story {
  hooks::hook_object begun = wide_job();
  std::vector<std::string> lines{};
  hooks::hook_parameters parameters{
      {"job", begun}, {"vnode_list", vnodes({"n1", "n2", "n3", "n4"})}, {"vnode_list_fail", vnodes({"n2"})}};
  release_plan plan{"execjob_launch",
                    begun,
                    {{given, given_hosts, {"n1", "n2", "n3", "n4"}, "scatter"}, {{}, {"n2"}}, {}},
                    [this](std::uint32_t, const std::string& line) { lines.push_back(line); }};

  template <class Fill>
  static void release(protocol::ReleaseNodes::Builder r, const std::string& job, Fill&& fill) {
    r.setJob(job);
    fill(r);
  }
  // The exec_vnode of the job that the call is answered with; "none".
  template <class Fill>
  std::string ask(Fill&& fill, const std::string& job = "12.head") {
    const auto a = plan.answer(
        schema::make<protocol::Question>([&](protocol::Question::Builder q) { release(q.initReleaseNodes(), job, fill); }));
    if (a.get().isNone()) return "none";
    for (auto attribute : a.get().getObject().getAttributes())
      if (schema::text(attribute.getName()) == "exec_vnode") return schema::str(attribute.getValue());
    return "";
  }
  std::string keep(const std::string& select, const std::string& job = "12.head") {
    return ask([&](auto r) { r.setKeepSelect(select); }, job);
  }
  std::string drop(const std::string& vnode) {
    return ask([&](auto r) { r.initVnodes(1).set(0, vnode); });
  }
  void accepts(const std::vector<std::string>& selects, const std::string& job = "12.head") {
    const auto reply = schema::make<protocol::Reply>([&](protocol::Reply::Builder r) {
      auto actions = r.initActions(static_cast<unsigned>(selects.size()));
      for (unsigned i = 0; i < selects.size(); ++i)
        release(actions[i].initReleaseNodes(), job, [&](auto to) { to.setKeepSelect(selects[i]); });
    });
    plan.accept(reply.get(), parameters);
  }
  // A call for each of these vnodes.
  void accepts_without(const std::vector<std::string>& vnodes) {
    const auto reply = schema::make<protocol::Reply>([&](protocol::Reply::Builder r) {
      auto actions = r.initActions(static_cast<unsigned>(vnodes.size()));
      for (unsigned i = 0; i < vnodes.size(); ++i)
        release(actions[i].initReleaseNodes(), "12.head", [&](auto to) { to.initVnodes(1).set(0, vnodes[i]); });
    });
    plan.accept(reply.get(), parameters);
  }
  const hooks::hook_object& job() const { return *hooks::object_of(parameters, "job"); }
  std::string names(const char* list) {
    std::string text;
    for (const auto& v : std::get<std::vector<hooks::hook_object>>(hooks::find_parameter(parameters, list)->value))
      text += (text.empty() ? "" : " ") + v.name;
    return text;
  }
};

constexpr const char* asked = "ncpus=2+2:ncpus=1";
constexpr const char* left = "(n1:ncpus=2)+(n3:ncpus=1)+(n4:ncpus=1)";

}  // namespace

BOOST_AUTO_TEST_SUITE(release_plans)

BOOST_AUTO_TEST_CASE(a_call_is_answered_with_the_job_as_it_would_be) {  // RS-85, RS-88
  story s;
  BOOST_TEST(s.keep(asked) == left);
  BOOST_TEST(s.keep(asked) == left);  // and once more, when that is what it has
  BOOST_TEST(s.keep("1:ncpus=2") == "(n1:ncpus=2)");
  BOOST_TEST(!s.plan.change());
  BOOST_TEST(s.keep(asked) == "none");  // too late in this script
  s.accepts({});
  BOOST_TEST(s.keep(asked) == left);  // it let go nothing
}

BOOST_AUTO_TEST_CASE(what_an_accepting_hook_asked_for_counts_and_the_next_one_sees_it) {  // RS-90, RS-93
  story s;
  s.accepts({asked});
  const auto change = s.plan.change();
  BOOST_REQUIRE(change.has_value());
  BOOST_TEST(change->released == "(n2:ncpus=1)");
  BOOST_TEST(change->exec_vnode == left);
  BOOST_TEST(change->exec_host == "n1/0*2+n3/0+n4/0");
  BOOST_TEST(change->by == "execjob_launch");
  BOOST_TEST(shown(s.job(), "exec_vnode") == left);
  BOOST_TEST(shown(s.job(), "schedselect") == "1:ncpus=2+2:ncpus=1");
  BOOST_TEST(shown(s.job(), "Resource_List", "ncpus") == "4");
  BOOST_TEST(shown(s.job(), "Resource_List", "site") == "ncpus=2+2:ncpus=1");
  BOOST_TEST(s.names("vnode_list") == "n1 n3 n4");
  BOOST_TEST(s.names("vnode_list_fail") == "");
  s.accepts({"ncpus=2+1:ncpus=1"});  // the next hook
  BOOST_REQUIRE(s.plan.change().has_value());
  BOOST_TEST(s.plan.change()->released == "(n2:ncpus=1)+(n4:ncpus=1)");
  BOOST_TEST(shown(s.job(), "exec_vnode") == "(n1:ncpus=2)+(n3:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(what_can_not_be_or_is_another_jobs_is_not_done) {
  story s;
  BOOST_TEST(s.keep(asked, "13.head") == "none");
  BOOST_TEST(s.drop("n1") == "none");  // the first host stays
  BOOST_TEST(s.drop("n9") == "none");
  BOOST_TEST(s.keep("ncpus=many") == "none");
  BOOST_TEST(s.lines.empty());
  BOOST_TEST(s.keep("ncpus=2+3:ncpus=1") == "none");  // n2 has failed
  BOOST_TEST(s.lines.size() == 4u);                   // RS-99 to RS-101
  s.accepts({"ncpus=2+3:ncpus=1", "ncpus=nonsense", ""});
  s.accepts({asked}, "13.head");
  BOOST_TEST(!s.plan.change());
  BOOST_TEST(s.lines.size() == 4u);  // told once
}

BOOST_AUTO_TEST_CASE(a_job_that_asks_for_spare_chunks_as_in_earlier_pbs_is_told_of_as_then) {  // RS-103 to RS-105
  auto job = wide_job();
  job.put("Resource_List", "select_requested", asked);
  story s{.begun = job};
  s.keep("ncpus=3+ncpus=1");
  BOOST_REQUIRE(s.lines.size() == 12u);
  BOOST_TEST(s.lines[4] == "could not satisfy 1st select chunk (ncpus=3) with first available chunk (ncpus=2)");
  BOOST_TEST(s.lines[5] == "job node_list_fail: node n2");
  BOOST_TEST(s.lines[6] == "job node_list: node n1");
  BOOST_TEST(s.lines[7] == "job node_list:_good node n1");
  BOOST_TEST(s.lines[11] == "job node_list:_good node n4");
  s.keep("ncpus=2+ncpus=1+ncpus=2");
  BOOST_TEST(s.lines[16] == "could not satisfy the original select chunk (ncpus=2) with first available chunk ncpus=1");
  s.keep("ncpus=2+3:ncpus=1");
  BOOST_TEST(s.lines[28] == "could not satisfy the original select chunk (ncpus=1) with first available chunk ");
}

BOOST_AUTO_TEST_CASE(several_calls_of_a_script_come_to_one_change) {
  story s;
  s.accepts_without({"n2", "n4"});
  BOOST_REQUIRE(s.plan.change().has_value());
  BOOST_TEST(s.plan.change()->released == "(n2:ncpus=1)+(n4:ncpus=1)");
  BOOST_TEST(s.plan.change()->exec_vnode == "(n1:ncpus=2)+(n3:ncpus=1)");
  BOOST_TEST(shown(s.job(), "Resource_List", "nodect") == "2");
}

// What default_chunk adds stands in schedselect alone, also in what a queuejob hook has kept of select.
BOOST_AUTO_TEST_CASE(a_select_that_was_kept_before_the_server_completed_it_is_completed) {
  auto job = wide_job();
  job.put("schedselect", {}, "1:ncpus=2+3:mpiprocs=1:ncpus=1");
  job.put("Resource_List", "select", "ncpus=2+3:mpiprocs=1");
  story s{.begun = job};
  s.accepts({"ncpus=2+mpiprocs=1"});
  BOOST_REQUIRE(s.plan.change().has_value());
  BOOST_TEST(shown(s.job(), "schedselect") == "1:ncpus=2+1:mpiprocs=1:ncpus=1");
  BOOST_TEST(shown(s.job(), "Resource_List", "ncpus") == "3");
}

BOOST_AUTO_TEST_CASE(vnodes_may_be_named) {  // RS-91
  story s;
  BOOST_TEST(s.drop("n2") == left);
  s.accepts_without({"n2"});
  BOOST_REQUIRE(s.plan.change().has_value());
  BOOST_TEST(s.plan.change()->keep_select == "1:ncpus=2+1:ncpus=1+1:ncpus=1");  // RD-13
  BOOST_TEST((s.plan.change()->satisfies == std::vector<std::uint32_t>{0, 1, 2}));
  BOOST_TEST(shown(s.job(), "Resource_List", "ncpus") == "4");  // RD-14
  BOOST_TEST(shown(s.job(), "Resource_List", "nodect") == "3");
  BOOST_TEST(shown(s.job(), "exec_vnode") == left);
}

// The bare chunk that place=exclhost added is none that was asked for.
BOOST_AUTO_TEST_CASE(vnodes_may_be_named_of_a_job_that_has_its_hosts_for_itself) {
  auto job = wide_job();
  job.put("schedselect", {}, "1:ncpus=2+2:ncpus=1");
  job.put("Resource_List", "select", "ncpus=2+2:ncpus=1");
  story s{.begun = job,
          .plan = {"execjob_launch",
                   job,
                   {{"(n1[0]:ncpus=2)+(n2:ncpus=1)+(n3:ncpus=1)+(n1[1])", "n1/0*2+n2/0+n3/0+n1/1*0", {"n1", "n2", "n3"}, "exclhost"},
                    {},
                    {}},
                   {}}};
  s.accepts_without({"n2"});
  BOOST_REQUIRE(s.plan.change().has_value());
  BOOST_TEST(s.plan.change()->keep_select == "1:ncpus=2+1:ncpus=1");
  BOOST_TEST((s.plan.change()->satisfies == std::vector<std::uint32_t>{0, 1, model::allocation::no_chunk}));
  BOOST_TEST(shown(s.job(), "Resource_List", "nodect") == "2");
  BOOST_TEST(shown(s.job(), "exec_vnode") == "(n1[0]:ncpus=2)+(n3:ncpus=1)+(n1[1])");
}

BOOST_AUTO_TEST_SUITE_END()
