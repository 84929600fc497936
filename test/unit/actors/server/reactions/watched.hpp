// One reaction that follows a log of its own under a virtual clock, as its actor would run it. Whatever a test has told it, a start from a
// checkpoint after any of these records owes the same.
#pragma once

#include <boost/test/unit_test.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/server/reactions/reaction_set.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/goes_on_alike.hpp"
#include "test/support/model_builders.hpp"

namespace annals::test {

// The orders that go out now, in an hour and in a year: cause, target and command id of each, and when the next are due.
inline std::vector<std::string> owed_from(reactions::reaction_set& set, std::int64_t now_ns) {
  std::vector<std::string> all;
  for (const std::int64_t hours : {0, 1, 365 * 24}) {
    const auto at = now_ns + hours * 3600 * second;
    for (const auto& o : set.due(at)) all.push_back(std::to_string(o.what->cause) + " " + o.what->target + " " + o.command_id);
    all.push_back("next " + std::to_string(set.next_ns(at).value_or(0)));
  }
  return all;
}

template <auto Make>
struct alone {
  reactions::reaction_set set{"", just_one()};
  void fold(const log::record& r) { set.fold(r); }
  void store(stored::writer& to) const { set.store(to); }
  void restore(stored::reader& from) { set.restore(from); }

 private:
  static std::vector<reactions::named_reaction> just_one() {
    std::vector<reactions::named_reaction> one;
    one.push_back({"it", Make()});
    return one;
  }
};

template <auto Make>
struct watched : folded_log<alone<Make>> {
  using base = folded_log<alone<Make>>;
  std::uint64_t server = 0;
  std::vector<reactions::reaction_set::given> last;  // what went out at the last `due`

  watched() { server = start(); }
  ~watched() {
    if (std::uncaught_exceptions() > 0) return;
    try {
      check_goes_on_alike(
          this->records(), [] { return std::make_unique<alone<Make>>(); },
          [this](auto& fold) { return owed_from(fold.set, this->clock.ns); });
    } catch (const std::exception& e) {
      BOOST_ERROR(std::string("a reaction was not restored: ") + e.what());
    }
  }

  // The server starts; the first time it makes the server's stream.
  std::uint64_t start() {
    return write(server, model::make_event([](auto e) {
                   e.initServer().initStarted().setServerName("borg");
                   e.getServer().getStarted().setHostName("borg");
                 }));
  }
  void set(const char* attribute, const char* value) {
    write(server, model::make_event([&](auto e) {
            auto c = e.initServer().initChanged().initChanges(1)[0];
            c.setName(attribute);
            if (value) c.setValue(value);
            else c.setOp(schema::AttributeOp::UNSET);
          }));
  }
  std::uint64_t write(std::uint64_t stream, model::event event) {
    std::vector<model::event> events;
    events.push_back(std::move(event));
    return base::write(stream, std::move(events));
  }
  std::uint64_t host(const char* name) {
    return write(0, model::make_event([&](auto e) { e.initHost().initAdded().setName(name); }));
  }
  void down(std::uint64_t host) {
    write(host, model::make_event([](auto e) { e.initHost().initWentDown().setText("link lost"); }));
  }
  void up(std::uint64_t host) {
    write(host, model::make_event([](auto e) { e.initHost().initCameUp(); }));
  }
  void remove(std::uint64_t host) {
    write(host, model::make_event([](auto e) { e.initHost().initRemoved().setName("any"); }));
  }
  std::uint64_t assigned(std::vector<const char*> hosts, std::uint64_t job = 0, std::uint32_t run = 1) {
    return write(job, model::make_event([&](auto e) {
                   auto a = e.initJob().initAssigned();
                   a.setRun(run);
                   auto list = a.initHosts(static_cast<unsigned>(hosts.size()));
                   for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
                 }));
  }
  void handed_back(std::uint64_t job, const char* host, bool abandoned = false) {
    write(job, model::make_event([&](auto e) {
            auto b = e.initJob().initVnodesReleased();
            b.setRun(1);
            b.initHosts(1).set(0, host);
            if (abandoned) b.setWhy(schema::ReleaseReason::ABANDONED);
          }));
  }

  std::uint64_t queued(std::uint64_t number) {
    return write(0, model::make_event([&](auto e) { e.initJob().initQueued().setNumber(number); }));
  }

  // Targets of the orders that go out now.
  std::vector<std::string> due() {
    last = this->fold.set.due(this->clock.ns);
    std::vector<std::string> targets;
    for (const auto& o : last) targets.push_back(o.what->target);
    return targets;
  }
  // Only a refusal is told.
  void answer(bool accepted) {
    for (const auto& o : last)
      if (!accepted) this->fold.set.refused(o.name, this->clock.ns);
  }
  template <class What>
  const What& ordered(std::size_t i = 0) const {
    BOOST_REQUIRE(i < last.size());
    return std::get<What>(last[i].what->what);
  }
  // Seconds from now until the reaction wants to be asked again; -1: never.
  std::int64_t wait() const {
    const auto next = this->fold.set.next_ns(this->clock.ns);
    return next ? (*next - this->clock.ns) / second : -1;
  }
};

using targets = std::vector<std::string>;
inline std::string of_job(std::uint64_t serial) { return "job " + std::to_string(serial); }

}  // namespace annals::test
