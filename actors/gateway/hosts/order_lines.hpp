// What hosts' actors are told leaves in the order in which it came, though an order to several hosts must be signed first, which
// another thread does: what comes for the same host meanwhile waits behind it, other hosts don't. That a MoM came or went is told
// in the same line: what it says it has is compared with what was posted before. Part of the gateway's actor.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <variant>

#include "actors/server/messages.hpp"

namespace annals::actors {

class order_lines {
 public:
  using order = schema::sealed<schema::ToMom>;
  using item = std::variant<post_to_host, withdraw_from_host, mom_connected, mom_gone>;
  struct parts {
    // Makes the order as it may leave and calls `then` with it, later, in the gateway's actor. Asked for one order of a host at
    // a time.
    std::function<void(const post_to_host&, std::function<void(order)> then)> sign;
    std::function<void(const std::string& host, item&&)> leave;
  };
  explicit order_lines(parts p) : parts_(std::move(p)) {}

  void put(item what);
  std::size_t hosts_waiting() const { return lines_.size(); }

 private:
  static bool must_be_signed(const item& what);
  void sign_first(const std::string& host);
  void on_signed(const std::string& host, order as_it_leaves);

  parts parts_;
  std::map<std::string, std::deque<item>> lines_;  // of hosts whose first item is being signed
};

}  // namespace annals::actors
