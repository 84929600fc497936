// Where schedulers work: no two of them in one directory, and what an object says when its scheduler can't use the one it was
// given. Source: MS-09, MS-13, MS-14, MS-17 to MS-19, MS-50 to MS-52.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/from_scheduler.capnp.h"

namespace annals::model {

struct scheduler_state;

// $PBS_HOME/sched_log, sched_log_<name>, has an older name that site tools know: sched_logs, sched_logs_<name>. The other one of such
// a pair; empty: the path is neither.
std::string other_log_name(std::string_view path);

// One of the three comments that say why a directory can't be used.
bool is_comment_on_directories(std::string_view comment);

// What a scheduler says of its directories, as changes of its object: of one that it can't use, the comment, and scheduling is off;
// when all is well again, a comment of that kind goes. A site's own comment stays, and what the server found at a start, until somebody
// does something about it: a scheduler that was there before has not looked again.
outcome decide_directories(const scheduler_state& scheduler, schema::SchedDirectories::Reader told);

// The directories of all schedulers: part of the ledger, as they span streams.
class scheduler_directories {
 public:
  std::optional<rejection> check(const event_place& at, schema::SchedulerEvent::Reader event) const;
  void apply(const event_place& at, schema::SchedulerEvent::Reader event);
  bool operator==(const scheduler_directories&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.of_);
  }

 private:
  struct pair {
    std::string priv, logs;  // as they are compared; empty: not set
    bool operator==(const pair&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.priv, self.logs);
    }
  };
  static void take(pair& into, schema::SchedulerEvent::Reader event);
  std::map<std::uint64_t, pair> of_;  // by stream
};

}  // namespace annals::model
