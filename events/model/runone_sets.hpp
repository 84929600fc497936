// Jobs of which one is to run (-W depend=runone). By their numbers. Part of the ledger, which lets one of a set run and no other, and of
// the reaction that holds the others meanwhile. Source: pbs guide, qsub, "runone"; governed by docs/design/0054-dependencies.md.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace annals::model {

class runone_sets {
 public:
  using number = std::uint64_t;
  // Both are in one set from here on.
  void join(number job, number with);
  // It has ended, or asks for something else now. Whether it ran is not forgotten.
  void leave(number job);
  void runs(number job);
  // Its run is over and it waits again.
  void waits(number job);

  std::vector<number> others(number job) const;  // in the order in which they joined
  // Which other one of its set runs, or has run; nothing: none, or it does so itself.
  std::optional<number> runner_beside(number job) const;
  bool operator==(const runone_sets&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.set_of_, self.sets_);
  }

 private:
  struct set {
    std::vector<number> members;
    std::vector<number> runners;  // that run, or have run: more than one if they did so before they came together
    bool operator==(const set&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.members, self.runners);
    }
  };
  set* find(number job);
  const set* find(number job) const;

  std::unordered_map<number, number> set_of_;
  std::unordered_map<number, set> sets_;  // by the number of the first that joined
};

}  // namespace annals::model
