// Jobs of several users, projects and queues on some hosts, which run, release vnodes, are suspended, run again and lose their hosts,
// invented from a seed: as records of a log.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "test/unit/projections/accounting/accounting_fixture.hpp"

namespace annals::test {

class random_lives {
 public:
  told_log log;

  explicit random_lives(unsigned seed, int steps) : random_(seed) {
    for (const auto& name : hosts_) log.host(name, "8", "16gb");
    for (int i = 0; i < steps; ++i) step();
  }

 private:
  struct life {
    job_story story;
    measured used;
  };
  int any(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void step() {
    now_s_ += any(120);
    if (jobs_.size() < 12 && any(3) == 0) return submit();
    if (jobs_.empty()) return;
    const auto at = jobs_.begin() + any(static_cast<int>(jobs_.size()));
    at->story.now_s = now_s_;
    move(*at);
    log.told(at->story);
    if (at->story.job.ended()) jobs_.erase(at);
  }

  void submit() {
    life l{log.job(), {}};
    l.story.now_s = now_s_;
    l.story.settings.queues["night"] = l.story.settings.queues["workq"];
    const auto cpus = std::to_string(1 + any(4));
    const auto select = std::to_string(1 + any(4)) + ":ncpus=" + cpus + ":mem=" + std::to_string(1 + any(4000)) + "mb" +
                        (any(2) ? ":naccelerators=" + std::to_string(1 + any(2)) : "");
    given_values asked{{"Resource_List", "select", select},
                       {"Resource_List", "place", "scatter"},
                       {"project", "", "p" + std::to_string(any(3))}};
    if (any(2)) asked.push_back({"Account_Name", "", "a" + std::to_string(any(2))});
    const auto name = "u" + std::to_string(any(4));
    auto c = submission(++number_, asked, any(3) ? "workq" : "night");
    c.euser = name;
    c.egroup = "g" + std::to_string(any(2));
    BOOST_REQUIRE_EQUAL(l.story.when(c, user(name)), "queued");
    log.told(l.story);
    jobs_.push_back(std::move(l));
  }

  void move(life& l) {
    using p = model::job_phase;
    switch (l.story.job.phase) {
      case p::queued: return run(l);
      case p::held: l.story.when(release({HoldType::SYSTEM}), manager()); return;
      case p::assigned:
        if (any(6) == 0) l.story.refuses(1);
        else l.story.starts();
        return;
      case p::started: return go_on(l);
      case p::suspended:
        if (any(3)) l.story.when(signal("resume"), operator_());
        else end(l);
        return;
      case p::exiting:
        if (any(2)) l.story.leaves();
        else l.story.when(model::run_gone_from{l.story.job.run, hosts_[static_cast<std::size_t>(any(4))], true}, the_server());
        return;
      default: return;
    }
  }

  void run(life& l) {
    l.used = {};
    const auto chunks = values_of(l.story.attribute(attributes::job::Resource_List, "nodect"));
    const auto cpus = values_of(l.story.attribute(attributes::job::Resource_List, "ncpus")) / chunks;
    l.used.ncpus = static_cast<std::uint32_t>(chunks * cpus);
    std::vector<std::string> names(hosts_.begin(), hosts_.begin() + chunks);
    std::string vnodes, slots;
    for (const auto& name : names) {
      vnodes += (vnodes.empty() ? "(" : "+(") + name + ":ncpus=" + std::to_string(cpus) + ")";
      slots += (slots.empty() ? "" : "+") + name + "/0";
    }
    auto proposal = propose(vnodes, names.front());
    proposal.message = schema::make<schema::FromScheduler>([&](auto m) {
      auto to = m.initRun();
      to.setExecVnode(vnodes);
      to.setExecHost(slots);
      auto list = to.initHosts(static_cast<unsigned>(names.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, names[i]);
    });
    l.story.when(proposal, the_scheduler());
  }
  static int values_of(const std::string& number) { return std::stoi(number); }

  void use(life& l) {
    l.used.cpu_s += random_() % 400;
    l.used.wall_s += random_() % 200;
    l.used.mem_kb = std::max<std::uint64_t>(l.used.mem_kb, random_() % 4'000'000);
  }

  void go_on(life& l) {
    switch (any(9)) {
      case 0: l.story.when(signal("suspend"), operator_()); return;
      case 1: l.story.when(rerun(), manager()); return;
      case 2: l.story.when(model::run_lost{l.story.job.run, true, false}, the_server()); return;
      case 3:
      case 4: {
        const auto& gone = hosts_[static_cast<std::size_t>(1 + any(static_cast<int>(hosts_.size()) - 1))];
        l.story.when(model::client_request{make_request([&](auto r) { r.initReleaseNodes().initNamed(1).set(0, gone); })}, manager());
        return;
      }
      case 5: return end(l);
      default:
        use(l);
        l.story.uses(l.used);
    }
  }

  void end(life& l) {
    use(l);
    l.story.exits(0, l.used);
  }

  std::mt19937 random_;
  std::int64_t now_s_ = 1'795'222'000;
  std::uint64_t number_ = 0;
  std::vector<std::string> hosts_{"h0", "h1", "h2", "h3"};
  std::vector<life> jobs_;
};

}  // namespace annals::test
