// For a case that can't be tried here: `return skip(why);`, and ctest calls it skipped, not passed.
#pragma once

#include <iostream>
#include <string>

namespace annals::test {

inline void skip(const std::string& why) { std::cout << "\nskipped: " << why << std::endl; }

}  // namespace annals::test
