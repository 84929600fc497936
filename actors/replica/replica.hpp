// Folds of the log up to a position, and nothing else: what a process knows of the log. It writes no event. A server that leads has one,
// and so has who only reads. A start is a replica that catches up, from nothing or from a checkpoint (actors/replica/checkpoint.hpp).
// Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/values/stored_state.hpp"

namespace annals::actors {

// A fold, and its state as a checkpoint has it.
struct named_fold {
  std::string name;  // in a checkpoint
  std::function<void(const log::record&)> fold;
  std::function<void(stored::writer&)> store;
  std::function<void(stored::reader&)> restore;  // throws stored::state_unreadable; the fold is of no use then
  std::function<void()> empty{};                 // to be as before the first record; only of one that outlives its replica
};

template <class Fold>
named_fold make_fold(std::string name, std::shared_ptr<Fold> of) {
  return {std::move(name), [of](const log::record& r) { of->fold(r); }, [of](stored::writer& to) { to(*of); },
          [of](stored::reader& from) { from(*of); }};
}

class replica {
 public:
  // Half of the work is done by folds of the first lane, the rest by those of the second: each lane has a thread while it catches up. A
  // fold sees those before it in its lane as they are after the record.
  void add_first_lane(named_fold f) { first_.push_back(std::move(f)); }
  void add_second_lane(named_fold f) { second_.push_back(std::move(f)); }

  std::uint64_t sequence() const { return sequence_; }  // of the last record folded
  void fold(const log::record& next);

  // Folds what the log has behind the position, up to this record. `before`: called for each record before it is folded, in order, on
  // another thread than the caller's; what it throws is thrown here.
  ports::store_status catch_up(const log::log_reader& from, const std::function<void(const log::record&)>& before = {},
                               std::uint64_t up_to = UINT64_MAX);

  // The state of each fold, by its name.
  using states = std::vector<std::pair<std::string, std::string>>;
  states store() const;
  // The state of a fold; nothing: there is none of this name.
  using find_state = std::function<std::optional<std::string_view>(const std::string& name)>;
  // Before anything is folded. Throws stored::state_unreadable: the folds are of no use then.
  void restore(std::uint64_t sequence, const find_state& find);

 private:
  std::vector<named_fold> first_, second_;
  std::uint64_t sequence_ = 0;
};

}  // namespace annals::actors
