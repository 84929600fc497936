// Requests that were read and are not answered yet: those of a connection, of a user and of all. A connection with too much in hand is not
// read on until answers have made room, so that what waits for actors is bounded, whatever peers send. Any thread may call.
// Governed by docs/design/0003-links.md, "Back-pressure".
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/link/wire/wire_limits.hpp"

namespace annals::wire {

// Tests make them small. In bytes each request counts limits::bytes_beside_request more than its frame has.
struct in_hand_bounds {
  std::size_t requests = limits::requests_in_hand_max;               // of one connection
  std::size_t bytes = limits::request_bytes_in_hand_max;             // of one connection
  std::size_t bytes_of_all = limits::all_request_bytes_in_hand_max;  // of all users; nobody may have more than is left
};

class requests_in_hand : public std::enable_shared_from_this<requests_in_hand> {
 public:
  class line;
  explicit requests_in_hand(in_hand_bounds bounds = {}) : bounds_(bounds) {}

  // For a connection of this user; of no user (""): only the bounds of a connection are its. `go_on` is called, by any thread, when one
  // that might not take may take again.
  std::shared_ptr<line> open(const std::string& user, std::function<void()> go_on);

 private:
  class request;
  struct share {
    std::size_t bytes = 0;                          // in hand
    std::size_t lines = 0;                          // whose next requests count here
    std::vector<std::weak_ptr<line>> stopped = {};  // until others have more left
  };
  using shares = std::map<std::string, share>;
  using lines = std::vector<std::shared_ptr<line>>;

  void add(const request& r);
  void done(const request& r);
  bool has_enough(const shares::value_type& user) const;
  lines let_go_on(line& answered);
  void forget_if_empty(shares::iterator user);

  const in_hand_bounds bounds_;
  std::mutex guard_;                       // over all that follows and what lines have
  shares shares_;                          // by user
  std::size_t bytes_ = 0;                  // of all users
  std::vector<shares::iterator> stopped_;  // who has stopped lines
};

class requests_in_hand::line : public std::enable_shared_from_this<line> {
 public:
  line(std::shared_ptr<requests_in_hand> all, const std::string& user, std::function<void()> go_on);
  ~line();

  // False: nothing is to be read now; `go_on` says when.
  bool may_take();
  // A request of so many bytes is in hand until the last copy of what this returns is gone.
  std::shared_ptr<void> take(std::size_t bytes);
  // From now on; what is in hand stays the former user's.
  void counts_for(const std::string& user);

 private:
  friend class requests_in_hand;
  enum class state { takes,
                     full,       // until half of what it has in hand is done
                     stopped };  // until its user may have more

  const std::shared_ptr<requests_in_hand> all_;
  const std::function<void()> go_on_;
  shares::iterator user_;
  std::size_t requests_ = 0, bytes_ = 0;
  state state_ = state::takes;
};

}  // namespace annals::wire
