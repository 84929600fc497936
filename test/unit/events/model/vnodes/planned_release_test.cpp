// What a run shows, and counts, when a select says what it keeps: chunks of the job as they are.
#include "events/model/vnodes/planned_release.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <random>

#include "events/attributes/select_rules.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

using namespace annals;
using model::first_host;

namespace {

struct job {
  model::release_from from;
  attributes::resource_catalogue site;

  job(const std::string& select, const std::string& exec_vnode, const std::string& exec_host) {
    for (const auto& [name, type, flags] : std::vector<std::array<const char*, 3>>{
             {"fltres", "float", "nh"}, {"model", "string", "h"}, {"bigmem", "boolean", "h"}, {"room", "size", "nh"}})
      BOOST_REQUIRE(!site.create(name, type, flags));
    from.has = {exec_vnode, exec_host, values::hosts_of(*values::parse_exec_host(exec_host)), "scatter"};
    const auto asked = *values::parse_select(select);
    from.shown.schedselect = values::print_with_counts(asked);
    from.shown.resources = attributes::sums_of(asked, site);
    from.shown.resources["select"] = select;
    from.shown.resources["place"] = "scatter";
  }
  auto keeps(const std::string& select, first_host first = first_host::answers_first) const {
    return model::kept_by(*values::parse_select(select), from, first, site, "test");
  }
  // What it shows then.
  std::map<std::string, std::string> shows(const model::allocation_change& change) const {
    std::map<std::string, std::string> out(from.shown.resources.begin(), from.shown.resources.end());
    out["schedselect"] = from.shown.schedselect;
    for (const auto& c : change.changes) {
      const auto name = c.name == "schedselect" ? c.name : c.resource;
      if (c.value) out[name] = *c.value;
      else out.erase(name);
    }
    return out;
  }
};

using shown = std::map<std::string, std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(planned_releases)

// As pbs_python is told of it: an event written by hand has exec_vnode alone.
BOOST_AUTO_TEST_CASE(a_job_of_which_exec_vnode_alone_is_known_is_reduced_too) {
  job bare("ncpus=3", "(a:ncpus=3)+(b:ncpus=2)+(c:ncpus=2)", "a/0+b/0+c/0");
  bare.from.has = {bare.from.has.exec_vnode(), "", {}, ""};
  bare.from.shown = {};
  bare.from.failed.vnodes = {"b"};
  const auto plan = bare.keeps("ncpus=3+ncpus=2");
  BOOST_REQUIRE(plan);
  BOOST_TEST(plan->left.exec_vnode() == "(a:ncpus=3)+(c:ncpus=2)");
  BOOST_TEST(plan->change.keep_select == "1:ncpus=3+1:ncpus=2");
}

// RD-09, RS-88: the keep_select says which chunks stay; what they are, the job has said.
BOOST_AUTO_TEST_CASE(the_job_keeps_its_own_chunks_and_counts_them) {
  const job wide("ncpus=1+ncpus=2:fltres=9.1:bigmem=True:room=9kb+ncpus=3", "(a:ncpus=1)+(b:ncpus=2:fltres=9.1:room=9kb)+(c:ncpus=3)",
                 "a/0+b/0*2+c/0*3");
  for (const char* keep : {"fltres=9.1", "ncpus=1:fltres=2", "bigmem=true", "host=b", "room=1kb"}) {
    const auto plan = wide.keeps(keep, first_host::stays_beside);
    BOOST_REQUIRE_MESSAGE(plan, keep);
    BOOST_TEST(plan->left.exec_vnode() == "(a:ncpus=1)+(b:ncpus=2:fltres=9.1:room=9kb)", keep);
    const std::string select = "1:ncpus=1+1:ncpus=2:fltres=9.1:bigmem=True:room=9kb";
    BOOST_TEST((wide.shows(plan->change) == shown{{"fltres", "9.1"},
                                                  {"ncpus", "3"},
                                                  {"nodect", "2"},
                                                  {"place", "scatter"},
                                                  {"room", "9kb"},
                                                  {"schedselect", select},
                                                  {"select", select}}),
               keep << ": " << plan->change.keep_select);
  }
  const auto one = wide.keeps("ncpus=1");
  BOOST_REQUIRE(one);
  BOOST_TEST(one->change.exec_vnode == "(a:ncpus=1)");
  const job single("ncpus=3+ncpus=1", "(a:ncpus=3)+(b:ncpus=1)", "a/0*3+b/0");
  const auto first = single.keeps("ncpus=1");
  BOOST_REQUIRE(first);
  BOOST_TEST(first->change.exec_vnode == "(a:ncpus=3)");
  BOOST_TEST(single.shows(first->change).at("ncpus") == "3");
  BOOST_TEST(single.shows(first->change).at("select") == "1:ncpus=3");
}

// RS-35, RS-44, RS-115, RS-127
BOOST_AUTO_TEST_CASE(equal_chunks_stand_together_and_processes_are_said_anew) {
  const job padded("1:ncpus=3:mem=1gb:mpiprocs=4+3:ncpus=2:mem=2gb",
                   "(a:ncpus=3:mem=1048576kb)+(b:ncpus=2:mem=2097152kb)+(c:ncpus=2:mem=2097152kb)+(d:ncpus=2:mem=2097152kb)",
                   "a/0*3+b/0*2+c/0*2+d/0*2");
  const auto two = padded.keeps("ncpus=3:mem=1gb+2:ncpus=2:mem=2gb:mpiprocs=2:ompthreads=1");
  BOOST_REQUIRE(two);
  BOOST_TEST(two->change.keep_select == "1:ncpus=3:mem=1gb:mpiprocs=4+2:ncpus=2:mem=2gb:mpiprocs=2:ompthreads=1");
  BOOST_TEST((two->change.satisfies == std::vector<std::uint32_t>{0, 1, 2}));
  BOOST_TEST(two->left.select() == two->change.keep_select);
  BOOST_TEST(padded.shows(two->change).at("mpiprocs") == "8");
  BOOST_TEST(padded.shows(two->change).at("mem") == "5gb");
  BOOST_TEST(padded.shows(two->change).at("nodect") == "3");
  // A second one counts in what the first has left.
  auto again = padded;
  again.from.has = two->left;
  for (const auto& c : two->change.changes)
    if (c.value) (c.name == "schedselect" ? again.from.shown.schedselect : again.from.shown.resources[c.resource]) = *c.value;
  const auto then = again.keeps("ncpus=3+ncpus=2");
  BOOST_REQUIRE(then);
  BOOST_TEST(then->change.keep_select == "1:ncpus=3:mem=1gb:mpiprocs=4+1:ncpus=2:mem=2gb:mpiprocs=2:ompthreads=1");
}

BOOST_AUTO_TEST_CASE(vnodes_of_an_exclusive_host_are_no_chunks) {
  const job alone("2:ncpus=1", "(a[0]:ncpus=1)+(b[0]:ncpus=1)+(a[1])+(b[1])", "a/0+b/0+a/1*0+b/1*0");
  const auto one = alone.keeps("ncpus=1");
  BOOST_REQUIRE(one);
  BOOST_TEST(one->change.exec_vnode == "(a[0]:ncpus=1)+(a[1])");
  BOOST_TEST(one->change.keep_select == "1:ncpus=1");
  BOOST_TEST((one->change.satisfies == std::vector<std::uint32_t>{0, model::allocation::no_chunk}));
}

namespace {

struct dice {
  std::mt19937 random;
  int operator()(int from, int to) { return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1)); }
};

constexpr const char* models[] = {"abc", "def"};

// A job of chunks on hosts of several vnodes, and a select that asks some of what these are.
struct random_release {
  std::vector<std::string> chunks;         // as they stand in the exec_vnode
  std::vector<std::string> items;          // as the job asked them
  std::vector<std::pair<int, int>> has;    // ncpus, gpus
  std::vector<std::pair<int, int>> asked;  // of each item of keep
  std::vector<std::string> host_of, model_of, asked_model;
  std::string select, exec_vnode, exec_host, keep;

  explicit random_release(dice& d) {
    for (int c = 0, n = d(2, 6); c < n; ++c) {
      const auto host = "h" + std::to_string(d(0, 3) == 0 ? 0 : c);
      const int vnodes = d(1, 3), each = d(1, 2), gpus = d(0, 2);
      std::string text;
      for (int v = 0; v < vnodes; ++v)
        text += (v ? "+" : "(") + host + "[" + std::to_string(10 * c + v) + "]:ncpus=" + std::to_string(each) +
                (gpus > 0 && v == 0 ? ":room=" + std::to_string(gpus) + "kb" : "");
      chunks.push_back(text + ")");
      has.emplace_back(vnodes * each, gpus);
      host_of.push_back(host);
      model_of.push_back(models[d(0, 1)]);
      const bool says_model = d(0, 1) == 1;
      items.push_back("ncpus=" + std::to_string(vnodes * each) + (gpus > 0 ? ":room=" + std::to_string(gpus) + "kb" : "") +
                      (says_model ? ":model=" + model_of.back() : "") + (d(0, 2) == 0 ? ":mpiprocs=2" : ""));
      select += (c ? "+" : "") + items.back();
      exec_vnode += (c ? "+" : "") + chunks.back();
      exec_host += (c ? "+" : "") + host + "/" + std::to_string(c);
    }
    for (int i = 0, n = d(1, 3); i < n; ++i) {
      asked.emplace_back(d(1, 4), d(0, 1));
      asked_model.push_back(d(0, 2) == 0 ? models[d(0, 1)] : "");
      keep += (i ? "+" : "") + ("ncpus=" + std::to_string(asked[i].first)) +
              (asked[i].second ? ":room=" + std::to_string(asked[i].second) + "kb" : "") +
              (asked_model[i].empty() ? "" : ":model=" + asked_model[i]);
    }
  }
};

// Whether there is a way to give each item a chunk of its own that has what it asks.
bool satisfied(const random_release& w, const std::vector<std::size_t>& left, std::size_t item, std::vector<bool>& used) {
  if (item == w.asked.size()) return true;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto c = left[i];
    const bool does = w.has[c].first >= w.asked[item].first && w.has[c].second >= w.asked[item].second &&
                      (w.asked_model[item].empty() || w.asked_model[item] == w.model_of[c]);
    if (used[i] || !does) continue;
    used[i] = true;
    if (satisfied(w, left, item + 1, used)) return true;
    used[i] = false;
  }
  return false;
}

values::resource_list sums_of_parts(const std::string& exec_vnode, const char* resource) {
  model::amount sum;
  for (const auto& part : model::parts_of(exec_vnode)) {
    const auto at = part.asked.find(resource);
    if (at == part.asked.end()) continue;
    sum.value += at->second.value;
    sum.is_size = at->second.is_size;
  }
  return {{resource, sum.print()}};
}

}  // namespace

// RD-09, RS-88
BOOST_AUTO_TEST_CASE(what_is_kept_are_chunks_of_the_job_that_have_all_that_is_asked_and_are_counted) {
  int possible = 0, impossible = 0;
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    dice d{std::mt19937(seed)};
    const random_release w(d);
    job j(w.select, w.exec_vnode, w.exec_host);
    for (std::size_t c = 0; c < w.chunks.size(); ++c)
      for (const auto& part : model::parts_of(w.chunks[c])) j.from.words[part.vnode]["model"] = w.model_of[c];
    const bool beside = d(0, 1) == 1;
    const auto plan = j.keeps(w.keep, beside ? first_host::stays_beside : first_host::answers_first);
    const auto about = "seed " + std::to_string(seed) + ": " + w.select + " on " + w.exec_vnode + " keeps " + w.keep;
    std::vector<std::size_t> others;
    for (std::size_t c = 0; c < w.chunks.size(); ++c)
      if (!beside || w.host_of[c] != w.host_of[0]) others.push_back(c);
    std::vector<bool> used(others.size());
    if (!plan) {
      ++impossible;
      if (beside) BOOST_REQUIRE_MESSAGE(!satisfied(w, others, 0, used), about);
      continue;
    }
    ++possible;
    // Chunks of the job, whole, in their order.
    std::vector<std::size_t> left;
    std::string text, select;
    for (std::size_t c = 0; c < w.chunks.size(); ++c) {
      const auto more = (text.empty() ? "" : "+") + w.chunks[c];
      if (!(plan->change.exec_vnode + "+").starts_with(text + more + "+")) continue;
      text += more;
      left.push_back(c);
      select += (select.empty() ? "1:" : "+1:") + w.items[c];
    }
    BOOST_REQUIRE_MESSAGE(text == plan->change.exec_vnode, about << " has " << plan->change.exec_vnode);
    // They have what is asked.
    std::vector<std::size_t> chosen;
    for (const auto c : left)
      if (!beside || w.host_of[c] != w.host_of[0]) chosen.push_back(c);
    used.assign(chosen.size(), false);
    BOOST_REQUIRE_MESSAGE(satisfied(w, chosen, 0, used), about << " has " << text);
    BOOST_REQUIRE_MESSAGE(chosen.size() == w.asked.size() && left.front() == 0, about << " has " << text);
    // And everything says so.
    const auto shows = j.shows(plan->change);
    BOOST_REQUIRE_MESSAGE(shows.at("select") == select && shows.at("schedselect") == select, about << " shows " << shows.at("select"));
    for (const char* resource : {"ncpus", "room"}) {
      const auto sum = sums_of_parts(text, resource).at(resource);
      const auto counted = shows.contains(resource) ? shows.at(resource) : "0";
      BOOST_REQUIRE_MESSAGE(counted == sum, about << " counts " << counted << " " << resource << " and has " << sum);
    }
    BOOST_REQUIRE_MESSAGE(shows.at("nodect") == std::to_string(left.size()), about);
  }
  BOOST_TEST(possible > 500);
  BOOST_TEST(impossible > 500);
}

BOOST_AUTO_TEST_SUITE_END()
