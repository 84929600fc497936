// The site's hooks as the log says they are: folds that reactions and the gateway share.
#pragma once

#include <cstdint>
#include <map>

#include "events/log/record.hpp"
#include "events/model/hook/hook.hpp"
#include "hooks-runtime/catalog/events.hpp"

namespace annals::reactions {

class hook_table {
 public:
  // Of a hook's stream. True: some hook is another now; false: it has run, no more.
  bool fold(const log::record& record);
  const std::map<std::uint64_t, model::hook_state>& hooks() const { return hooks_; }  // by stream: in the order of creation
  std::uint32_t events() const { return events_; }                                    // bits of the events at which some hook runs
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hooks_, self.events_);
  }

 private:
  std::map<std::uint64_t, model::hook_state> hooks_;
  std::uint32_t events_ = 0;
};

// What MoMs must hear of: their hooks, and the custom resources that scripts may ask for.
class mom_hooks_fold {
 public:
  // Any record. True: MoMs are owed the hooks anew.
  bool fold(const log::record& record);
  // Sequence of the last such record; 0: there never was a hook.
  std::uint64_t since() const { return since_; }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.since_);
  }

 private:
  std::uint64_t since_ = 0;
};

}  // namespace annals::reactions
