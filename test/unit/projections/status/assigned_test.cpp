// What the status counts of the jobs that hold vnodes, event by event, is what is there when everything is counted anew: in invented
// histories with suspended and reduced runs, moved jobs, reservations, deleted queues and resources that change; and after a restore.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "projections/status/queue_sums.hpp"
#include "test/support/recorded_lives.hpp"
#include "test/support/stored_bytes.hpp"
#include "test/unit/projections/status/answers.hpp"
#include "test/unit/projections/status/told_histories.hpp"

using namespace annals;
using namespace annals::test;

namespace {

using amounts = std::map<std::string, double>;  // by resource

bool is_summed(const projections::status& now, std::string_view resource) {
  const auto* known = now.server().resources.find(resource);
  return known && known->has(attributes::summed);
}

void add(const projections::status& now, amounts& sums, std::string_view resource, double value) {
  if (is_summed(now, resource)) sums[std::string(resource)] += value;
}

// Amounts of an exec_vnode, and its chunks as nodect.
amounts held_in(std::string_view exec_vnode) {
  amounts held;
  std::set<std::size_t> chunks;
  values::exec_vnode_reader parts(exec_vnode);
  model::amounts_reader read;
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    chunks.insert(p.chunk);
    for (const auto& [resource, a] : read(p.resources)) held[resource] += a.value;
  }
  held["nodect"] = static_cast<double>(chunks.size());
  return held;
}

void add_job(const projections::status& now, const model::job_state& job, amounts& sums) {
  for (const auto& e : job.attributes)
    if (e.id == attributes::job::Resource_List && (job.phase != model::job_phase::suspended || job.released_partly))
      add(now, sums, e.resource, model::read_amount(e.value).value);
  if (!job.reduced()) return;
  auto shown = held_in(job.used.exec_vnode());
  for (const auto& [resource, held] : held_in(job.allocated.exec_vnode()))
    if (held > shown[resource]) add(now, sums, resource, held - shown[resource]);
}

struct all_sums {
  std::map<std::string, amounts> by_queue;
  amounts server;
  // For comparison: numbers as they are printed, with four decimals.
  std::string text() const {
    std::string all;
    const auto put = [&](const std::string& whose, const amounts& sums) {
      for (const auto& [resource, value] : sums) all += whose + " " + resource + "=" + values::print_real(value) + "\n";
    };
    for (const auto& [queue, sums] : by_queue) put(queue, sums);
    put("server", server);
    return all;
  }
};

amounts of_reservation(const projections::status& now, const model::reservation_state& r, const amounts& jobs) {
  amounts sums;
  for (const auto& e : r.attributes)
    if (e.id == attributes::reservation::Resource_List) add(now, sums, e.resource, model::read_amount(e.value).value);
  for (const auto& [resource, value] : jobs) sums[resource] = std::max(sums[resource], value);
  return sums;
}

// Made from nothing: of all jobs and vnodes.
all_sums made(const projections::status& now) {
  all_sums sums;
  now.holdings().each_job([&](std::uint64_t serial) {
    if (const auto job = now.job(serial)) add_job(now, *job, sums.by_queue[std::string(job->queue())]);
  });
  std::erase_if(sums.by_queue, [](const auto& of) { return of.second.empty(); });
  auto counted = sums.by_queue;
  for (const auto& [serial, place] : now.open_windows().places()) {
    const auto& r = now.reservations().at(serial);
    counted[r.id] = of_reservation(now, r, counted[r.id]);
  }
  for (const auto& [queue, of] : counted)
    for (const auto& [resource, value] : of) sums.server[resource] += value;
  now.holdings().each_used([&](const std::string&, const model::vnode_use& use) {
    for (const auto& [resource, a] : use.assigned) add(now, sums.server, resource, 0);
  });
  return sums;
}

amounts read(const projections::resource_sums& texts) {
  amounts sums;
  for (const auto& [resource, text] : texts) sums[resource] = model::read_amount(text).value;
  return sums;
}

all_sums kept(const projections::status& now, const std::set<std::string>& queues) {
  all_sums sums;
  for (const auto& queue : queues)
    if (auto of = read(projections::assigned_in_queue(now, queue)); !of.empty()) sums.by_queue[queue] = std::move(of);
  sums.server = read(projections::assigned_in_server(now));
  return sums;
}

std::set<std::string> queues_with_vnodes(const projections::status& now) {
  std::set<std::string> queues;
  for (const auto& [serial, host] : now.hosts())
    for (const auto& v : host.vnodes)
      if (const auto queue = v.attributes.get(attributes::node::queue)) queues.emplace(*queue);
  return queues;
}

// Folds the records and compares at each, and now and then what is restored from it.
class comparison {
 public:
  std::size_t with_jobs = 0, with_windows = 0, with_reduced = 0, with_vnodes = 0;

  void fold(const log::record& r) {
    now_.fold(r);
    check(now_);
    if (r.sequence() % 29 != 0) return;
    projections::status restored;
    stored::restore_whole(stored_bytes(now_), restored);
    check(restored);
    now_ = std::move(restored);  // and goes on
  }

 private:
  void check(const projections::status& now) {
    for (const auto& [name, queue] : now.queues()) queues_.insert(name);
    const auto from_nothing = made(now);
    BOOST_REQUIRE(kept(now, queues_).text() == from_nothing.text());
    const auto with_vnodes_now = queues_with_vnodes(now);
    for (const auto& queue : queues_) BOOST_REQUIRE(now.has_vnodes(queue) == with_vnodes_now.contains(queue));
    with_jobs += from_nothing.by_queue.size() > 1;
    with_windows += !now.open_windows().empty();
    with_vnodes += !with_vnodes_now.empty();
    now.holdings().each_job([&](std::uint64_t serial) {
      const auto job = now.job(serial);
      with_reduced += job && job->reduced();
    });
  }

  projections::status now_;
  std::set<std::string> queues_{"workq"};  // that there ever were
};

// The run goes on with its first host alone.
void reduce(made_history& history, std::uint64_t serial) {
  const auto job = history.now.job(serial);
  if (!job || job->phase != model::job_phase::started || job->reduced() || job->allocated.hosts().size() < 2) return;
  const std::string exec_vnode(job->allocated.exec_vnode()), exec_host(job->allocated.exec_host());
  const auto behind_first = exec_vnode.find('+');
  history.write(serial, [&](auto e) {
    auto r = e.initJob().initReduced();
    r.setRun(job->run);
    r.setReleased(exec_vnode.substr(behind_first + 1));
    r.setExecVnode(exec_vnode.substr(0, behind_first));
    r.setExecHost(exec_host.substr(0, exec_host.find('+')));
    fill(r.initChanges(1), {{"Resource_List", "ncpus", "1"}});
  });
}

void define_resource(made_history& history, std::mt19937& random) {
  const auto known = history.now.server().resources.find("gpus") != nullptr;
  history.write(1, [&](auto e) {
    if (known && random() % 4 == 0) return e.initServer().initResourceDeleted().setName("gpus");
    auto r = known ? e.initServer().initResourceChanged() : e.initServer().initResourceCreated();
    r.setName("gpus");
    r.setType("float");
    r.setFlags(random() % 2 ? "hnq" : "hn");
  });
}

void give_vnode(made_history& history, std::mt19937& random) {
  const auto& hosts = history.now.hosts();
  const auto& host = std::next(hosts.begin(), static_cast<std::ptrdiff_t>(random() % hosts.size()))->second;
  if (host.vnodes.empty()) return;
  const auto& vnode = host.vnodes[random() % host.vnodes.size()].name;
  history.write(host.serial, [&](auto e) {
    auto v = e.initHost().initVnodeChanged();
    v.setVnode(vnode);
    auto c = v.initChanges(1)[0];
    c.setName("queue");
    if (random() % 3 == 0) c.setOp(schema::AttributeOp::UNSET);
    else c.setValue(random() % 2 ? "workq" : "q1");
  });
}

// A run that has begun asks for more, as `qalter` and hooks may have it.
void alter(made_history& history, std::uint64_t serial, std::mt19937& random) {
  const auto job = history.now.job(serial);
  if (!job || job->phase != model::job_phase::started) return;
  history.write(serial, [&](auto e) {
    static constexpr const char* sizes[] = {"1gb", "3mb", "5kb"};
    fill(e.initJob().initAltered().initChanges(2),
         {{"Resource_List", "mem", sizes[random() % 3]}, {"Resource_List", "gpus", random() % 2 ? "0.5" : "2"}});
  });
}

std::vector<log::record_ptr> disturbed_history(unsigned seed, int steps) {
  log::memory_event_store store;
  made_history history(store, seed);
  std::mt19937 random(seed);
  history.begin();
  for (int i = 0; i < steps; ++i) {
    history.step();
    if (random() % 30 == 0) define_resource(history, random);
    if (random() % 20 == 0) give_vnode(history, random);
    if (history.jobs().empty()) continue;
    const auto one = history.jobs()[random() % history.jobs().size()];
    if (random() % 3 == 0) reduce(history, one);
    if (random() % 5 == 0) alter(history, one, random);
  }
  return records_of(store);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(assigned_resources)

BOOST_AUTO_TEST_CASE(are_those_of_the_jobs_and_vnodes_there_are) {
  comparison c;
  for (const unsigned seed : {1u, 2u, 3u}) {
    comparison one;
    for (const auto& r : disturbed_history(seed, 500)) one.fold(*r);
    c.with_jobs += one.with_jobs;
    c.with_reduced += one.with_reduced;
    c.with_vnodes += one.with_vnodes;
  }
  BOOST_TEST(c.with_jobs > 100u);
  BOOST_TEST(c.with_reduced > 50u);
  BOOST_TEST(c.with_vnodes > 100u);
}

BOOST_AUTO_TEST_CASE(are_those_of_arrays_and_finished_jobs_too) {
  log::memory_event_store store;
  made_history history(store, 4);
  tell_of_everything(history, 4, 200);
  comparison c;
  for (const auto& r : records_of(store)) c.fold(*r);
  BOOST_TEST(c.with_jobs > 50u);
}

BOOST_AUTO_TEST_CASE(are_those_of_reservations_too) {
  std::size_t with_windows = 0;
  for (const unsigned seed : {1u, 2u, 5u}) {
    recorded_cluster cluster("round_robin: False all\nby_queue: True all\nresources: \"ncpus\"\n");
    live_with_reservations(cluster, seed, 200);
    comparison c;
    for (const auto& r : records_of(cluster.store)) c.fold(*r);
    with_windows += c.with_windows;
  }
  BOOST_TEST(with_windows > 20u);
}

BOOST_AUTO_TEST_SUITE_END()
