// A log that was put where it is from a copy may lack what was written after that copy was made, and only hosts can know. Until each of
// them has said what it knows, or had the time to, nothing is heard that could give a number again: no request that changes something, and
// no scheduler. Part of the gateway's actor. Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>

#include "actors/gateway/actor_registry.hpp"

namespace annals::actors {

class doubted_log {
 public:
  explicit doubted_log(actor_registry& board) : board_(board), doubted_(board.parts().witnesses.is_copy) {}

  void begin();  // the server works
  bool doubts() const { return doubted_; }
  // Done when the log is trusted, in the order in which it came.
  void keep(const wire::connection_ptr& from, std::function<void()> work) { kept_.push_back({from, std::move(work)}); }
  void closed(const wire::connection_ptr& who);  // nothing of it is done
  void agreed(const std::string& host);          // has said what it knows, and the log has that

 private:
  void wait_no_longer();
  bool all_agreed() const;
  std::string heard_text() const;
  void trust(const std::string& why);
  void note(const std::string& text) const;

  struct kept {
    wire::connection_ptr from;
    std::function<void()> work;
  };
  actor_registry& board_;
  bool doubted_;
  std::set<std::string> agreed_;
  std::deque<kept> kept_;
};

}  // namespace annals::actors
