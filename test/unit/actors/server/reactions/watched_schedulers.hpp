// Scheduler objects of a log, for tests of reactions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "test/unit/actors/server/reactions/watched.hpp"

namespace annals::test {

template <auto Make>
struct watched_schedulers : watched<Make> {
  using base = watched<Make>;
  using settings = std::vector<std::pair<const char*, const char*>>;  // nullptr: unset

  std::uint64_t scheduler(const std::string& name, const settings& set = {}) {
    const auto stream = base::write(0, model::make_event([&](auto e) { e.initScheduler().initCreated().setName(name); }));
    change(stream, {{"sched_priv", ("/h/sched_priv_" + name).c_str()}, {"sched_log", ("/h/sched_log_" + name).c_str()}});
    if (!set.empty()) change(stream, set);
    return stream;
  }
  void change(std::uint64_t stream, const settings& set, schema::Role by = schema::Role::MANAGER) {
    std::vector<model::event> events;
    events.push_back(model::make_event([&](auto e) {
      auto changes = e.initScheduler().initChanged().initChanges(static_cast<unsigned>(set.size()));
      for (unsigned i = 0; i < set.size(); ++i) {
        changes[i].setName(set[i].first);
        if (set[i].second) changes[i].setValue(set[i].second);
        else changes[i].setOp(schema::AttributeOp::UNSET);
      }
    }));
    folded_log<alone<Make>>::write(stream, std::move(events), 0, {"somebody", "borg", by});
  }
  void came(std::uint64_t stream, const char* host = "borg") {
    base::write(stream, model::make_event([&](auto e) { e.initScheduler().initStarted().setHost(host); }));
  }
  void went(std::uint64_t stream, std::string_view why = "link lost") {
    base::write(stream, model::make_event([&](auto e) { e.initScheduler().initStopped().setText(why.data()); }));
  }
  void failed(std::uint64_t stream) {
    base::write(stream, model::make_event([](auto e) { e.initScheduler().initStartFailed().setText("no such file"); }));
  }
  void deleted(std::uint64_t stream) {
    base::write(stream, model::make_event([](auto e) { e.initScheduler().initDeleted().setName("any"); }));
  }
  void restart() {
    this->start();
    this->fold = {};
    this->replay();
  }
};

}  // namespace annals::test
