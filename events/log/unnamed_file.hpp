// A file without a name: it is gone with its descriptor, also after a crash.
#pragma once

#include <string>

namespace annals::log {

// Its descriptor, close-on-exec; below 0: errno says why not.
int open_unnamed(const std::string& directory);

}  // namespace annals::log
