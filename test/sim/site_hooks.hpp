// Site hooks in the simulation, through the hook port: hooks at every step of a job that are late, refuse, raise or meet their
// alarm as it is drawn. And what must be true of the log afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"
#include "hooks-runtime/pool/fake_hook_runner.hpp"

namespace annals::ports {
class event_store;
}

namespace annals::sim {

class world;
struct options;
using life = std::shared_ptr<bool>;

// One process's hooks: what each does is drawn when it runs.
class drawn_hooks {
 public:
  explicit drawn_hooks(world& w);
  void process_started(const life& alive);  // answers for an earlier life of the process go nowhere
  hooks::hook_runner* runner() { return &runner_; }

 private:
  void answer(hooks::protocol::Request::Reader asked, hooks::protocol::Reply::Builder reply);
  void refuse(hooks::protocol::Reply::Builder reply);
  world& world_;
  hooks::fake_hook_runner runner_;
};

// What the administrator types before the first job: every hook is created and gets its script. One request at a time.
class hook_set_up {
 public:
  explicit hook_set_up(const options& wanted);
  bool done() const { return next_ == requests_.size(); }
  // The next request to be sent; nothing while one is on its way.
  const schema::sealed<schema::Request>* next_to_send(std::uint64_t id);
  bool on_reply(std::uint64_t id);    // true: it was ours
  void link_broken() { asked_ = 0; }  // asked again

 private:
  std::vector<schema::sealed<schema::Request>> requests_;
  std::size_t next_ = 0;
  std::uint64_t asked_ = 0;
  schema::sealed<schema::Request> sent_;
};

// What hooks of a job set as its naccelerators on each host; nobody measures it.
inline constexpr std::uint64_t accelerators_of_hooks = 7;

// Empty, or the first thing that is not as it must be: every look was paid once, nothing was allowed that a hook refused,
// nothing that a hook wanted was done twice, no report of a MoM stands in the log twice.
std::string check_hooks(const ports::event_store& store);

// The events at which hooks ran.
std::set<std::string> steps_with_hooks(const ports::event_store& store);

}  // namespace annals::sim
