// Who holds what is the same whether it is kept up to date by each event or counted anew from a plain list of what jobs hold.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "events/model/vnodes/holdings.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;

namespace {

// Every part of every job, as the events say it, without an index.
struct plain_list {
  struct part {
    std::uint64_t job;
    std::string vnode;
    std::map<std::string, double> held;
    bool exclusive;
  };
  std::vector<part> parts;
  std::map<std::string, std::set<std::uint64_t>> maintenance;  // by vnode

  std::map<std::string, double> sums(const std::string& vnode) const {
    std::map<std::string, double> all;
    for (const auto& p : parts)
      if (p.vnode == vnode)
        for (const auto& [resource, value] : p.held) all[resource] += value;
    return all;
  }
};

struct chunk {
  std::string vnode;
  int ncpus, mem_kb;
};

std::string text_of(const std::vector<chunk>& chunks, bool cpus_only = false) {
  std::string text;
  for (const auto& c : chunks)
    text += (text.empty() ? "(" : "+(") + c.vnode + ":ncpus=" + std::to_string(c.ncpus) +
            (cpus_only ? "" : ":mem=" + std::to_string(c.mem_kb) + "kb") + ")";
  return text;
}

// A small cluster whose jobs take, suspend, resume and release in any order.
class random_story {
 public:
  explicit random_story(unsigned seed) : random_(seed) {
    for (unsigned h = 0; h < 3; ++h) add_host(h);
  }
  void step() {
    const auto what = random_() % 6;
    if (what == 0 || jobs_.empty()) return start();
    auto at = jobs_.begin();
    std::advance(at, random_() % jobs_.size());
    auto& [serial, job] = *at;
    if (job.suspended) return random_() % 2 ? resume(serial, job) : leave(serial, job, job.chunks.size());
    if (what == 1) return suspend(serial, job);
    if (what == 2) return leave(serial, job, 1 + random_() % job.chunks.size());
    if (what == 3) return disturb_host();
    leave(serial, job, job.chunks.size());
  }
  void compare() const {
    std::map<std::string, std::set<std::uint64_t>> holders;
    for (const auto& p : plain_.parts) holders[p.vnode].insert(p.job);
    std::set<std::uint64_t> listed, expected;
    for (const auto& p : plain_.parts) expected.insert(p.job);
    fold_.each_job([&](std::uint64_t job) { listed.insert(job); });
    BOOST_TEST((listed == expected));
    for (const auto& v : vnodes_) compare(v, holders[v]);
  }
  // Everybody has left.
  void end() {
    while (!jobs_.empty()) leave(jobs_.begin()->first, jobs_.begin()->second, jobs_.begin()->second.chunks.size());
    fold_.each_job([](std::uint64_t) { BOOST_TEST(false, "a job holds something that has released everything"); });
  }
  bool equals_replay() const {
    model::holdings again;
    for (const auto& [at, e] : written_) fold(again, at, e.get());
    return again == fold_;
  }

 private:
  struct running {
    std::vector<chunk> chunks;
    bool suspended = false, amounts_only = false;
  };

  template <class Fill>
  void write(std::uint64_t stream, Fill&& fill) {
    const model::event_place at{++sequence_, stream, 1, static_cast<std::int64_t>(sequence_) * 1'000'000'000, test::the_server()};
    written_.emplace_back(at, model::make_event(std::forward<Fill>(fill)));
    fold(fold_, at, written_.back().second.get());
  }
  static void fold(model::holdings& into, const model::event_place& at, schema::Event::Reader e) {
    if (e.isHost()) into.apply(at, e.getHost());
    else into.apply(at, std::to_string(at.stream), e.getJob());
  }
  void add_host(unsigned h) {
    const std::string name = "n" + std::to_string(h);
    write(h + 1, [&](auto e) { e.initHost().initAdded().setName(name); });
    for (unsigned v = 0; v < 2; ++v) {
      vnodes_.push_back(name + "[" + std::to_string(v) + "]");
      write(h + 1, [&](auto e) { e.initHost().initVnodeCreated().setName(vnodes_.back()); });
    }
    come_up(h);
  }
  void come_up(unsigned h) {
    write(h + 1, [&](auto e) {
      auto list = e.initHost().initCameUp().initVnodes(2);
      for (unsigned v = 0; v < 2; ++v) {
        list[v].setName(vnodes_[2 * h + v]);
        test::fill(list[v].initAttributes(2), {{"resources_available", "ncpus", "8"}, {"resources_available", "mem", "4gb"}});
      }
    });
  }
  void disturb_host() {
    const auto h = static_cast<unsigned>(random_() % 3);
    if (random_() % 2) come_up(h);
    else write(h + 1, [](auto e) { e.initHost().initWentDown().setText("silent"); });
  }
  bool has_room(const std::string& text, const std::string& place, const std::vector<chunk>& chunks, std::uint64_t job,
                bool amounts_only) const {
    const auto why = fold_.why_not({std::to_string(job), text, place, amounts_only});
    // What it says agrees with the plain list, for vnodes that are up.
    std::map<std::string, double> cpus;
    for (const auto& c : chunks) cpus[c.vnode] += c.ncpus;
    bool enough = true, able = true;
    for (const auto& [vnode, wanted] : cpus) {
      able &= base_state(*fold_.host_of(vnode), *fold_.host_of(vnode)->vnode(vnode)).empty();
      const auto of = plain_.maintenance.find(vnode);
      enough &= of == plain_.maintenance.end() || of->second.empty() || of->second.contains(job);
      for (const auto& p : plain_.parts) enough &= p.vnode != vnode || amounts_only || !(p.exclusive || place == "excl");
      auto sums = plain_.sums(vnode);
      enough &= sums["ncpus"] + wanted <= 8;
    }
    BOOST_TEST(!why == (able && enough), text << " " << place << " " << (why ? why->text : "there is room"));
    return !why;
  }
  void start() {
    std::vector<chunk> chunks(1 + random_() % 3);
    for (auto& c : chunks)
      c = {vnodes_[random_() % vnodes_.size()], 1 + static_cast<int>(random_() % 3), 1 + static_cast<int>(random_() % 1000)};
    const std::string place = random_() % 5 == 0 ? "excl" : "free", text = text_of(chunks);
    const auto serial = 100 + ++last_job_;
    if (!has_room(text, place, chunks, serial, false)) return;
    write(serial, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setExecVnode(text);
      a.setPlace(place);
    });
    for (const auto& c : chunks) plain_.parts.push_back({serial, c.vnode, {{"mem", c.mem_kb}, {"ncpus", c.ncpus}}, place == "excl"});
    jobs_[serial] = {chunks};
  }
  void release(std::uint64_t serial, const std::string& text, schema::ReleaseReason why, bool amounts_only) {
    write(serial, [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setExecVnode(text);
      r.setWhy(why);
      r.setAmountsOnly(amounts_only);
    });
  }
  void suspend(std::uint64_t serial, running& job) {
    const bool admin = random_() % 2;
    job.suspended = true;
    job.amounts_only = random_() % 2;
    write(serial, [&](auto e) { e.initJob().initSuspended().setAdmin(admin); });
    if (admin)
      for (const auto& c : job.chunks) plain_.maintenance[c.vnode].insert(serial);
    release(serial, text_of(job.chunks, job.amounts_only), schema::ReleaseReason::SUSPENDED, job.amounts_only);
    if (!job.amounts_only) std::erase_if(plain_.parts, [&](const auto& p) { return p.job == serial; });
    for (auto& p : plain_.parts)
      if (p.job == serial) p.held["ncpus"] = 0;
  }
  void resume(std::uint64_t serial, running& job) {
    const auto text = text_of(job.chunks, job.amounts_only);
    if (!has_room(text, "free", job.chunks, serial, job.amounts_only)) return;
    write(serial, [&](auto e) { e.initJob().initResumed(); });
    write(serial, [&](auto e) {
      auto t = e.initJob().initVnodesTaken();
      t.setExecVnode(text);
      t.setPlace("free");
      t.setAmountsOnly(job.amounts_only);
    });
    if (job.amounts_only) {
      auto c = job.chunks.begin();
      for (auto& p : plain_.parts)
        if (p.job == serial) p.held["ncpus"] = (c++)->ncpus;
    } else {
      for (const auto& c : job.chunks) plain_.parts.push_back({serial, c.vnode, {{"mem", c.mem_kb}, {"ncpus", c.ncpus}}, false});
    }
    for (auto& [vnode, by] : plain_.maintenance) by.erase(serial);
    job.suspended = false;
  }
  // The last so many chunks of it.
  void leave(std::uint64_t serial, running& job, std::size_t count) {
    const std::vector<chunk> gone(job.chunks.end() - static_cast<std::ptrdiff_t>(count), job.chunks.end());
    job.chunks.resize(job.chunks.size() - count);
    release(serial, text_of(gone), schema::ReleaseReason::LEFT, false);
    for (const auto& c : gone) {
      plain_.maintenance[c.vnode].erase(serial);
      const auto at = std::find_if(plain_.parts.begin(), plain_.parts.end(), [&](const auto& p) {
        return p.job == serial && p.vnode == c.vnode && p.held.at("mem") == c.mem_kb && (p.held.at("ncpus") == c.ncpus || job.suspended);
      });
      if (at != plain_.parts.end()) plain_.parts.erase(at);
    }
    if (job.chunks.empty()) jobs_.erase(serial);
  }

  void compare(const std::string& vnode, const std::set<std::uint64_t>& holders) const {
    const auto& use = *fold_.find(vnode);
    std::set<std::uint64_t> jobs;
    std::set<std::uint32_t> slots;
    std::size_t cpus = 0;
    for (const auto& j : use.jobs) {
      jobs.insert(j.job);
      cpus += j.slots.size();
      slots.insert(j.slots.begin(), j.slots.end());
    }
    BOOST_TEST(slots.size() == cpus, vnode << ": a cpu slot is given twice");
    BOOST_TEST((jobs == holders), vnode);
    for (const auto& [resource, value] : plain_.sums(vnode)) BOOST_TEST(use.assigned.value_of(resource) == value, vnode << " " << resource);
    for (const auto& [resource, a] : use.assigned)
      BOOST_TEST((a.value == 0 || plain_.sums(vnode).contains(resource)), vnode << " " << resource);
    std::set<std::uint64_t> under;
    for (const auto& id : use.maintenance) BOOST_TEST(under.insert(std::stoull(id)).second, "listed twice");
    const auto by = plain_.maintenance.find(vnode);
    BOOST_TEST((under == (by == plain_.maintenance.end() ? std::set<std::uint64_t>() : by->second)), vnode);
    const auto state = fold_.state_of(vnode);
    const auto has_alone = [&](const auto& p) { return p.vnode == vnode && p.exclusive; };
    const bool alone = std::any_of(plain_.parts.begin(), plain_.parts.end(), has_alone);
    BOOST_TEST(state.exclusive == alone, vnode);
    auto sums = plain_.sums(vnode);
    BOOST_TEST(state.busy == (!alone && sums["ncpus"] == 8), vnode);
    BOOST_TEST(state.maintenance == !under.empty(), vnode);
  }

  std::mt19937 random_;
  model::holdings fold_;
  plain_list plain_;
  std::vector<std::string> vnodes_;
  std::map<std::uint64_t, running> jobs_;
  std::uint64_t sequence_ = 0, last_job_ = 0;
  std::vector<std::pair<model::event_place, model::event>> written_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(holdings)

BOOST_AUTO_TEST_CASE(the_fold_agrees_with_a_plain_list_after_every_event) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      random_story story(seed);
      for (int i = 0; i < 150; ++i) {
        story.step();
        story.compare();
      }
      BOOST_TEST(story.equals_replay());
      story.end();
      story.compare();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
