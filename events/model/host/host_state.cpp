#include "events/model/host/host_state.hpp"

namespace annals::model {

const vnode_state* host_state::vnode(std::string_view wanted) const {
  const auto at = place_of.find(wanted);
  return at == place_of.end() ? nullptr : &vnodes[at->second];
}

}  // namespace annals::model
