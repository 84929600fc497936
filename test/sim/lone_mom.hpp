// One MoM of the simulation, alone: server, primaries and sisters are played by the test, which says what they say and hears
// what they are told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "test/sim/network.hpp"
#include "test/sim/processes.hpp"

namespace annals::sim {

// Somebody the MoM talks to, over one link.
class played {
 public:
  void say(const schema::sealed_message& m) { link_->put(1, m); }
  void hang_up() { link_->break_with("hung up"); }
  bool is_cut_off() const { return link_->broken(); }
  // What it heard since it was asked last.
  template <class Message>
  std::vector<schema::sealed<Message>> heard() {
    std::vector<schema::sealed<Message>> all;
    for (auto& m : std::exchange(heard_, {})) all.emplace_back(std::move(m));
    return all;
  }

 private:
  friend class lone_mom;
  std::shared_ptr<link> link_;
  life alive_ = std::make_shared<bool>(true);
  std::vector<schema::sealed_message> heard_;
};

class lone_mom {
 public:
  explicit lone_mom(const std::string& name, options o = {});
  std::shared_ptr<played> server_connects() { return connect({wire::identity::kind::server, "server", 0, 0, 0, ""}, mom.end()); }
  std::shared_ptr<played> primary_connects(const std::string& host) {
    return connect({wire::identity::kind::mom, host, 0, 0, 0, ""}, mom.end());
  }
  std::shared_ptr<played> sister_answers(const std::string& host) {
    return connect({wire::identity::kind::mom, host, 0, 0, 0, ""}, mom.sister_end(host));
  }
  void pass(std::int64_t seconds);  // everything that is due until then happens
  void pass_ms(std::int64_t milliseconds);
  void restart(std::int64_t after_s = 0);  // it was killed and is back; all links are gone

  world around;
  mom_process mom;

 private:
  std::shared_ptr<played> connect(wire::identity who, endpoint end_of_mom);
};

}  // namespace annals::sim
