// Which job waits for which, so that none waits for itself over others, and of which sets one is to run. Part of the ledger; jobs that have
// not been run yet and wait for others are in it. Source: pbs guide, qsub, "depend"; governed by docs/design/0054-dependencies.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "events/model/outcome.hpp"
#include "events/model/runone_sets.hpp"

namespace annals::model {

class dependency_graph {
 public:
  // What this event is to do with a job of this number, new or known. 15014: it would wait for itself. 15016: another one of its set runs.
  std::optional<rejection> check(std::uint64_t number, schema::JobEvent::Reader event) const;
  enum class progress : std::uint8_t { waits,
                                       runs,
                                       over };  // or there is no such job
  using progress_of = std::function<progress(std::uint64_t number)>;
  void apply(std::uint64_t number, schema::JobEvent::Reader event, const progress_of& others);
  bool operator==(const dependency_graph&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.waits_for_, self.sets_, self.too_late_);
  }

 private:
  using numbers = std::vector<std::uint64_t>;
  std::optional<rejection> check(std::uint64_t number, std::string_view depend, bool is_new) const;
  void join(std::uint64_t number, std::uint64_t other, progress is);
  void leave_set(std::uint64_t number);
  // Whether one of `ends` is waited for by one of `begin`, over others or itself.
  bool leads(numbers begin, const numbers& ends) const;

  std::unordered_map<std::uint64_t, numbers> waits_for_;
  runone_sets sets_;
  std::unordered_set<std::uint64_t> too_late_;  // they name a job of their set that is over, and are about to be deleted
};

}  // namespace annals::model
