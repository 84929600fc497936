// What hosts are owed leaves in the order in which it came, though an order to several hosts must be signed first, which
// another thread does: what comes for the same host meanwhile waits behind it, other hosts don't. Part of the gateway's actor.
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
  struct parts {
    // Makes the order as it may leave and calls `then` with it, later, in the gateway's actor. Asked for one order of a host at
    // a time.
    std::function<void(const post_to_host&, std::function<void(order)> then)> sign;
    std::function<void(post_to_host&&)> post;
    std::function<void(withdraw_from_host&&)> withdraw;
  };
  explicit order_lines(parts p) : parts_(std::move(p)) {}

  void post(post_to_host p);
  void withdraw(withdraw_from_host w);
  std::size_t hosts_waiting() const { return lines_.size(); }

 private:
  using item = std::variant<post_to_host, withdraw_from_host>;
  static bool must_be_signed(const post_to_host& p);
  void sign_first(const std::string& host);
  void on_signed(const std::string& host, order as_it_leaves);
  void leave(item&& what);

  parts parts_;
  std::map<std::string, std::deque<item>> lines_;      // of hosts whose first is being signed
};

}  // namespace annals::actors
