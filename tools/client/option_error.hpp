// What CLI11 says of a wrong command line, or as help, printed as everything is.
#pragma once

#include <CLI/CLI.hpp>

#include <sstream>

#include "tools/client/printed.hpp"

namespace annals::client {

// The exit status that CLI11 has for it.
inline int print_option_error(const CLI::App& app, const CLI::Error& e) {
  std::ostringstream out, errors;
  const int status = app.exit(e, out, errors);
  print_whole(out.str());
  print_whole_error(errors.str());
  return status;
}

}  // namespace annals::client
