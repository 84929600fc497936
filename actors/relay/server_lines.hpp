// The connections of a login host's pbs_comm to one server. Each carries one command after another, so that a command seldom waits for a
// TLS handshake: one that has ended leaves its connection, a line, to the next. In between the server is told so and answers, and what it
// still said to the first is thrown away; so nobody hears what another one asked for. docs/design/0063-login-hosts.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/relay/passages.hpp"

namespace annals::actors {

class server_lines {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  // `dial` makes a line, by its number, which stands as the caller in what happens on it. `secret`: a number that nobody guesses.
  server_lines(dial_server dial, std::function<std::uint64_t()> secret) : dial_(std::move(dial)), secret_(std::move(secret)) {}
  server_lines(const server_lines&) = delete;

  // For a command of this user, until it is destroyed, which must be before this object is: of the lines that wait the one that was used
  // last, or a new one. Throws wire_error.
  std::unique_ptr<server_dialer> lend(std::uint64_t caller, const std::string& user);

  // What happened on a line, as its caller is to hear it. Nothing: nobody has it now.
  std::optional<server_opened> on_opened(const server_opened& o);
  std::optional<server_frame> on_frame(const server_frame& f, time_point now);
  std::optional<server_taken> on_taken(const server_taken& t) const;
  std::optional<server_closed> on_closed(const server_closed& c);
  std::optional<server_failed> on_failed(const server_failed& f);

  // Closes those that nobody has had for so long.
  void drop_idle(time_point now, std::chrono::seconds longest);
  std::size_t size() const { return lines_.size(); }
  std::size_t lent() const { return lent_; }

 private:
  class loan;
  class users_line;
  struct line {
    std::unique_ptr<server_dialer> dialer;
    wire::connection_ptr server;  // null: not there yet
    std::optional<std::uint64_t> caller;
    std::string user;         // the caller's
    std::uint64_t ended = 0;  // the server has not answered yet that it knows of the last caller's end; 0: it has
    time_point idle_since;
  };

  void give_back(std::uint64_t number);
  std::optional<std::uint64_t> lose(std::map<std::uint64_t, line>::iterator at);

  const dial_server dial_;
  const std::function<std::uint64_t()> secret_;
  std::map<std::uint64_t, line> lines_;  // by number
  std::vector<std::uint64_t> idle_;      // of them, in the order in which they were left
  std::uint64_t last_number_ = 0;
  std::size_t lent_ = 0;
};

}  // namespace annals::actors
