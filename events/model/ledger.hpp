// The one piece of state that spans streams: what is assigned on each vnode, names and ids in use, jobs per queue. Lives
// in the log writer, is a pure fold like everything else, and is asked before each batch is written, so that two actors
// can never hand out the same cpu or the same name. Governed by docs/design/0007-ledger.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "events/model/assignment.hpp"
#include "events/model/host.hpp"
#include "events/model/outcome.hpp"

namespace annals::model {

class ledger {
 public:
  // Whether the event may be written next. `kind` is the event's stream's kind.
  std::optional<rejection> check(const event_place& at, schema::Event::Reader event) const;
  void apply(const event_place& at, schema::Event::Reader event);

  std::uint64_t next_job_number() const { return next_job_number_; }
  const assignment_book& book() const { return book_; }
  std::size_t jobs_in_queue(std::string_view queue) const;
  bool operator==(const ledger& other) const;

 private:
  struct job_entry {
    std::uint64_t number = 0;
    std::string queue;
    bool operator==(const job_entry&) const = default;
  };
  struct wanted { std::uint64_t job; std::string_view exec_vnode, place; std::string_view resumed_by_admin; bool holds_already = false; };
  std::optional<rejection> check_room(const wanted& w) const;
  const host_state* host_of_vnode(std::string_view vnode) const;
  bool busy(const host_state& host) const;

  std::uint64_t next_job_number_ = 0;
  std::unordered_map<std::uint64_t, job_entry> jobs_;                   // by serial, until forgotten
  std::unordered_map<std::uint64_t, std::uint64_t> job_of_number_;      // number -> serial
  std::map<std::string, std::size_t, std::less<>> jobs_per_queue_;     // unfinished
  std::map<std::uint64_t, std::string> queues_, schedulers_, hooks_;    // names by stream serial
  std::map<std::uint64_t, host_state> hosts_;                           // by stream serial
  assignment_book book_;
};

}  // namespace annals::model
