// A connection to the server that is looked for again whenever it is lost, for a program that waits for other things besides (poll).
// One thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/client/session.hpp"
#include "tools/terminal/job_end.hpp"

namespace annals::terminal {

class server_line {
 public:
  // `first`: what is asked over each new connection.
  server_line(client::server_address address, std::function<std::vector<schema::sealed_message>()> first)
      : address_(std::move(address)), first_(std::move(first)) {}

  bool open() const { return link_.has_value(); }
  int descriptor() const { return link_ ? link_->descriptor() : -1; }
  // Without a connection: when to look for one.
  moment due() const { return link_ ? moment::max() : due_; }
  // Looks for one, if it is time.
  void look(moment now);
  // What has come. Replies that are to no request end the connection: the other side had no place for us, or does not know us.
  std::vector<client::reply> take(moment now);
  void say(const std::vector<schema::sealed_message>& words, moment now);
  // Why the last one ended, when the other side said so: its number, else 0.
  std::uint32_t refused() const { return refused_; }
  void close(moment now) { lost(now); }

 private:
  void lost(moment now);

  client::server_address address_;
  std::function<std::vector<schema::sealed_message>()> first_;
  std::optional<wire::blocking_client> link_;
  moment due_{};
  std::chrono::milliseconds pause_{0};
  std::uint32_t refused_ = 0;
};

}  // namespace annals::terminal
