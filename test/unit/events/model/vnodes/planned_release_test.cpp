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

// RS-88: exec_vnode, select and sums say what is held.
BOOST_AUTO_TEST_CASE(hooks_keep_of_a_chunk_what_they_ask_for) {
  const job wide("ncpus=3:mem=2gb:model=abc+ncpus=2",
                 "(a:ncpus=1:mem=1048576kb+a[0]:ncpus=1:mem=1048576kb+a[1]:ncpus=1)+(b:ncpus=1+b[0]:ncpus=1)", "a/0*0+b/0*0");
  const auto one = wide.keeps("ncpus=1");
  BOOST_REQUIRE(one);
  BOOST_TEST(one->change.exec_vnode == "(a:ncpus=1:mem=1048576kb)");
  BOOST_TEST(one->change.exec_host == "a/0*0");
  auto released = wide.from.has;
  BOOST_TEST(released.release(one->change.released));
  BOOST_TEST(released.exec_vnode() == one->change.exec_vnode);
  const auto shows = wide.shows(one->change);
  BOOST_TEST(shows.at("select") == "1:ncpus=1:mem=1048576kb:model=abc");
  BOOST_TEST(shows.at("schedselect") == shows.at("select"));
  BOOST_TEST(shows.at("ncpus") == "1");
  BOOST_TEST(shows.at("mem") == "1048576kb");
  const auto two = wide.keeps("ncpus=2+ncpus=1");
  BOOST_REQUIRE(two);
  BOOST_TEST(two->change.exec_vnode == "(a:ncpus=1:mem=1048576kb+a[0]:ncpus=1:mem=1048576kb)+(b:ncpus=1)");
  BOOST_TEST(wide.shows(two->change).at("select") == "1:ncpus=2:mem=2gb:model=abc+1:ncpus=1");
  // The chunks that a program has stay whole, since their hosts have them until they go (RD-20).
  const auto beside = wide.keeps("ncpus=1", first_host::stays_beside);
  BOOST_REQUIRE(beside);
  BOOST_TEST(beside->change.released == "");
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
  std::vector<int> vnodes_of, cpus_each;   // of each chunk; all gpus are on its first vnode
  std::vector<std::string> words_asked;    // of each chunk, behind its amounts
  std::vector<std::pair<int, int>> asked;  // of each item of keep
  std::vector<std::string> host_of, model_of, asked_model;
  std::string select, exec_vnode, exec_host, keep;

  std::string item_of(std::size_t chunk, int cpus, int gpus) const {
    return "ncpus=" + std::to_string(cpus) + (gpus > 0 ? ":room=" + std::to_string(gpus) + "kb" : "") + words_asked[chunk];
  }

  explicit random_release(dice& d) {
    for (std::size_t c = 0, n = static_cast<std::size_t>(d(2, 6)); c < n; ++c) {
      const auto host = "h" + std::to_string(d(0, 3) == 0 ? 0 : c);
      const int vnodes = d(1, 3), each = d(1, 2), gpus = d(0, 2);
      std::string text;
      for (int v = 0; v < vnodes; ++v)
        text += (v ? "+" : "(") + host + "[" + std::to_string(10 * c + static_cast<std::size_t>(v)) + "]:ncpus=" + std::to_string(each) +
                (gpus > 0 && v == 0 ? ":room=" + std::to_string(gpus) + "kb" : "");
      chunks.push_back(text + ")");
      has.emplace_back(vnodes * each, gpus);
      vnodes_of.push_back(vnodes);
      cpus_each.push_back(each);
      host_of.push_back(host);
      model_of.push_back(models[d(0, 1)]);
      const bool says_model = d(0, 1) == 1;
      words_asked.push_back((says_model ? ":model=" + model_of.back() : "") + (d(0, 2) == 0 ? ":mpiprocs=2" : ""));
      items.push_back(item_of(c, vnodes * each, gpus));
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

// The rest of a chunk of the job.
struct left_chunk {
  std::size_t of = 0;
  int vnodes = 0, cpus = 0, gpus = 0;
};

// In the order of the job; nothing: these are no parts of it.
std::optional<std::vector<left_chunk>> left_of(const random_release& w, const std::string& exec_vnode) {
  std::vector<left_chunk> out;
  const auto spec = values::parse_exec_vnode(exec_vnode);
  for (const auto& chunk : spec->chunks) {
    left_chunk left;
    std::size_t last = 0;
    for (const auto& part : chunk.parts) {
      const auto number = static_cast<std::size_t>(std::stoi(part.vnode.substr(part.vnode.find('[') + 1)));
      const bool is_first = left.vnodes++ == 0;
      if (is_first ? !out.empty() && number / 10 <= out.back().of : number <= last || number / 10 != left.of) return std::nullopt;
      left.of = number / 10;
      last = number;
      left.cpus += w.cpus_each[left.of];
      left.gpus += number % 10 == 0 ? w.has[left.of].second : 0;
    }
    out.push_back(left);
  }
  return out;
}

// Whether it has what the item asks.
bool does(const random_release& w, const left_chunk& c, std::size_t item, int without_cpus = 0, int without_gpus = 0) {
  return c.cpus - without_cpus >= w.asked[item].first && c.gpus - without_gpus >= w.asked[item].second &&
         (w.asked_model[item].empty() || w.asked_model[item] == w.model_of[c.of]);
}

// Whether there is a way to give each item a chunk of its own that has what it asks.
bool satisfied(const random_release& w, const std::vector<left_chunk>& left, std::size_t item, std::vector<bool>& used) {
  if (item == w.asked.size()) return true;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (used[i] || !does(w, left[i], item)) continue;
    used[i] = true;
    if (satisfied(w, left, item + 1, used)) return true;
    used[i] = false;
  }
  return false;
}
bool satisfied(const random_release& w, const std::vector<left_chunk>& left) {
  std::vector<bool> used(left.size());
  return satisfied(w, left, 0, used);
}

// Whether some item needs all that is left of the chunk, or asks just that (RS-88).
bool is_needed(const random_release& w, const left_chunk& c) {
  for (std::size_t item = 0; item < w.asked.size(); ++item) {
    if (!does(w, c, item)) continue;
    const bool just_that = c.cpus == w.asked[item].first && (w.asked[item].second == 0 || c.gpus == w.asked[item].second);
    const auto each = w.cpus_each[c.of];
    const bool without_another = c.vnodes > 1 && does(w, c, item, each);
    const bool without_first = c.vnodes > 1 && does(w, c, item, each, c.gpus);
    if (just_that || (!without_another && !without_first)) return true;
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
    std::vector<left_chunk> others;
    for (std::size_t c = 0; c < w.chunks.size(); ++c)
      if (!beside || w.host_of[c] != w.host_of[0]) others.push_back({c, w.vnodes_of[c], w.has[c].first, w.has[c].second});
    if (!plan) {
      ++impossible;
      if (beside) BOOST_REQUIRE_MESSAGE(!satisfied(w, others), about);
      continue;
    }
    ++possible;
    // Chunks of the job in their order: whole where a program runs, else with the vnodes that are needed.
    const auto text = plan->change.exec_vnode;
    const auto left = left_of(w, text);
    BOOST_REQUIRE_MESSAGE(left && left->front().of == 0, about << " has " << text);
    std::string select;
    for (const auto& c : *left) {
      select += (select.empty() ? "1:" : "+1:") + w.item_of(c.of, c.cpus, c.gpus);
      BOOST_REQUIRE_MESSAGE(beside ? c.vnodes == w.vnodes_of[c.of] : is_needed(w, c), about << " has " << text);
    }
    // They have what is asked.
    std::vector<left_chunk> chosen;
    for (const auto& c : *left)
      if (!beside || w.host_of[c.of] != w.host_of[0]) chosen.push_back(c);
    BOOST_REQUIRE_MESSAGE(satisfied(w, chosen) && chosen.size() == w.asked.size(), about << " has " << text);
    // And everything says so.
    const auto shows = j.shows(plan->change);
    BOOST_REQUIRE_MESSAGE(shows.at("select") == select && shows.at("schedselect") == select, about << " shows " << shows.at("select"));
    for (const char* resource : {"ncpus", "room"}) {
      const auto sum = sums_of_parts(text, resource).at(resource);
      const auto counted = shows.contains(resource) ? shows.at(resource) : "0";
      BOOST_REQUIRE_MESSAGE(counted == sum, about << " counts " << counted << " " << resource << " and has " << sum);
    }
    BOOST_REQUIRE_MESSAGE(shows.at("nodect") == std::to_string(left->size()), about);
  }
  BOOST_TEST(possible > 500);
  BOOST_TEST(impossible > 500);
}

BOOST_AUTO_TEST_SUITE_END()
