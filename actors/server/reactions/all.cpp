#include "actors/server/reactions/all.hpp"

namespace annals::reactions {

std::vector<named_reaction> all_reactions() {
  std::vector<named_reaction> all;
#define ANNALS_MAKE_REACTION(name) all.push_back({#name, name()});
  ANNALS_REACTIONS(ANNALS_MAKE_REACTION)
#undef ANNALS_MAKE_REACTION
  return all;
}

}  // namespace annals::reactions
