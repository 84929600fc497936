// Removing a directory tree that its user has filled.
#pragma once

#include <string>

namespace annals::shepherd {

// Follows no symbolic link. What can't be removed stays.
void remove_tree(const std::string& path);

}  // namespace annals::shepherd
