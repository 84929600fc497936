#include "test/support/paths.hpp"

// The only file that is compiled with these two paths: other objects are the same in every checkout.
namespace annals::test {

std::string source_dir() { return ANNALS_SOURCE_DIR; }

std::string stage_dir() { return ANNALS_STAGE_DIR; }

}  // namespace annals::test
