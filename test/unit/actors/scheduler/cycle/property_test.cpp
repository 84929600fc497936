// Random clusters and jobs: whatever the requests, a cycle hands out nothing twice and decides the same when repeated.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

using dice = std::mt19937_64;
unsigned roll(dice& d, unsigned n) { return static_cast<unsigned>(d() % n); }

small_cluster random_cluster(dice& d) {
  small_cluster c;
  const unsigned hosts = 1 + roll(d, 4);
  for (unsigned h = 0; h < hosts; ++h) {
    const std::string host = "h" + std::to_string(h);
    const unsigned extra = roll(d, 4);
    for (unsigned n = 0; n <= extra; ++n) {
      const bool natural_of_many = n == 0 && extra > 0;
      auto v =
          simple_vnode(n == 0 ? host : host + "[" + std::to_string(n - 1) + "]", natural_of_many ? 0 : 1 + static_cast<int>(roll(d, 4)));
      v.host = host;
      v.available["host"] = host;
      v.available["mem"] = natural_of_many ? "0b" : std::to_string(1 + roll(d, 8)) + "gb";
      v.available["color"] = roll(d, 2) ? "red" : "blue";
      static const char* sharings[] = {"default_shared", "default_shared", "default_excl", "ignore_excl", "force_excl"};
      v.attributes["sharing"] = sharings[roll(d, 5)];
      if (roll(d, 8) == 0) v.state = "offline";
      c.vnodes.push_back(v);
    }
  }
  c.resources = {{"color", "string", "h"}};
  return c;
}

job_row random_job(dice& d, std::uint64_t serial) {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect.clear();
  for (unsigned chunks = 1 + roll(d, 2); chunks > 0; --chunks) {
    j.schedselect += (j.schedselect.empty() ? "" : "+") + std::to_string(1 + roll(d, 3)) + ":ncpus=" + std::to_string(roll(d, 4));
    if (roll(d, 2)) j.schedselect += ":mem=" + std::to_string(roll(d, 3000)) + "mb";
    if (roll(d, 5) == 0) j.schedselect += roll(d, 2) ? ":color=red" : ":color=blue";
  }
  static const char* places[] = {"free", "free", "pack", "scatter", "vscatter", "excl", "exclhost", "shared", "scatter:excl",
                                 "free:group=color", "pack:group=host"};
  j.place = places[roll(d, 11)];
  return j;
}

using use_by_vnode = std::map<std::string, std::map<std::string, std::int64_t>>;

std::int64_t number(const std::string& name, const std::string& text) {
  return name == "mem" ? static_cast<std::int64_t>(values::parse_size(text)->to_kb()) : *values::parse_integer(text);
}

void check(const small_cluster& c, const result& r) {
  use_by_vnode used;
  std::map<std::string, std::set<std::uint64_t>> jobs_on;
  std::map<std::string, std::set<std::uint64_t>> slots;
  for (const auto& run : r.runs) {
    const auto spec = values::parse_exec_vnode(run.exec_vnode);
    BOOST_REQUIRE(spec);
    for (const auto& chunk : spec->chunks) {
      std::set<std::string> hosts;
      for (const auto& part : chunk.parts) {
        const auto v = std::find_if(c.vnodes.begin(), c.vnodes.end(), [&](const auto& x) { return x.name == part.vnode; });
        BOOST_REQUIRE(v != c.vnodes.end());
        hosts.insert(v->host);
        jobs_on[part.vnode].insert(run.job);
        for (const auto& resource : part.resources) used[part.vnode][resource.name] += number(resource.name, resource.value);
        if (!part.resources.empty()) BOOST_TEST(v->state == "free");
      }
      BOOST_TEST(hosts.size() == 1u, "a chunk never leaves one host: " << run.exec_vnode);
    }
  }
  for (const auto& v : c.vnodes) {
    for (const auto& [resource, amount] : used[v.name])
      BOOST_TEST(amount <= number(resource, v.available.at(resource)), v.name << " " << resource);
    if (v.attributes.at("sharing") == "force_excl") BOOST_TEST(jobs_on[v.name].size() <= 1u, v.name);
  }
}

bool same(const result& a, const result& b) {
  if (a.runs.size() != b.runs.size() || a.reasons.size() != b.reasons.size() || a.comments != b.comments) return false;
  for (std::size_t i = 0; i < a.runs.size(); ++i)
    if (a.runs[i].exec_vnode != b.runs[i].exec_vnode || a.runs[i].exec_host != b.runs[i].exec_host) return false;
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_vnode_is_over_committed_and_a_cycle_can_be_repeated) {
  const auto p = parse_policy(shipped_sched_config() + "resources: \"color\"\n").value;
  std::size_t runs = 0, reasons = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      dice d(seed);
      auto c = random_cluster(d);
      for (std::uint64_t serial = 1; serial <= 12; ++serial) c.jobs.push_back(random_job(d, serial));
      view first, second;
      BOOST_REQUIRE(first.apply(*c.full_view()));
      BOOST_REQUIRE(second.apply(*c.full_view()));
      const auto r = run_cycle(first, p, some_day);
      check(c, r);
      BOOST_TEST(same(r, run_cycle(second, p, some_day)));
      BOOST_TEST(r.runs.size() + r.reasons.size() == c.jobs.size());
      runs += r.runs.size();
      reasons += r.reasons.size();
      // Giving all proposals back leads to the same decisions again.
      for (const auto& run : r.runs) first.intake().withdraw(run.job);
      BOOST_TEST(same(r, run_cycle(first, p, some_day)));
    }
  }
  BOOST_TEST(runs > 400u);
  BOOST_TEST(reasons > 400u);
}
