// What every command's main() does around its work: the failures that end it, each with its message and exit status.
#pragma once

#include <cstdio>
#include <exception>

#include "tools/client/printed.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

template <class Work>
int run_command(const char* name, Work&& work) {
  try {
    return work();
  } catch (const session_error& e) {
    return print_session_error(name, e);
  } catch (const std::exception& e) {
    print_error("%s: %s\n", name, e.what());
    return 1;
  }
}

}  // namespace annals::client
