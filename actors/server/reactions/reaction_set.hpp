// All reactions together, as their actor runs them: they fold the log, and this says which orders go out when. Pure, no actors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/order_keeper.hpp"
#include "events/model/settings_fold.hpp"

namespace annals::reactions {

// Which order of which reaction an answer is for.
struct order_name {
  std::size_t reaction = 0;
  order_ptr what;
};

class reaction_set {
 public:
  // home: PBS_HOME at the server.
  explicit reaction_set(std::string home = {}, std::vector<named_reaction> reactions = all_reactions());

  void fold(const log::record& record);

  struct given {
    order_ptr what;
    std::string command_id;  // empty: the order is not remembered
    order_name name;
  };
  // The orders that go out now.
  std::vector<given> due(std::int64_t now_ns);
  // True: `due` has to be called at another time than before.
  bool refused(const order_name& name, std::int64_t now_ns);
  void try_again();  // what was refused (the disk was full) goes out at the next `due`
  // When `due` is to be called if nothing is folded before; nothing: never.
  std::optional<std::int64_t> next_ns(std::int64_t now_ns) const;

  // What was folded, each reaction's under its name. Which orders were given is not part of it: after a restore every order that is owed is
  // given anew, as after folding the log. `restore` throws state_unreadable, also if the state has other reactions than this set.
  void store(stored::writer& to) const;
  void restore(stored::reader& from);

 private:
  struct kept {
    named_reaction reaction;
    order_keeper keeper{};
    bool differs = true;                    // what is owed may be another than at the last look
    std::optional<std::int64_t> next_ns{};  // by time, as of the last look
  };
  bool is_due(const kept& k, std::int64_t now_ns) const;
  void clock_went_back(std::int64_t to_ns);

  model::settings_fold settings_;
  std::vector<kept> reactions_;
};

}  // namespace annals::reactions
