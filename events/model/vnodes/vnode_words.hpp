// Vnodes have resources that are not used up: host=q4, model=abc, bigmem=True.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace annals::model {

// Resources of vnodes that are not used up, by vnode and name, as resources_available has them. A vnode that stands in it has no others.
using vnode_words = std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>>;

}  // namespace annals::model
