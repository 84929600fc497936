// How qterm, qenable, qdisable, qstart and qstop say what went wrong. They are other than the rest: what stands behind '@' is named even
// when it is empty, which leaves the blank before it, and the exit status is 2 whatever the error is.
#pragma once

#include <cstdio>
#include <string>

#include "tools/client/job_ids.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

// `object`: the queue or server of the command line.
inline int operator_refused(const char* command, std::uint32_t code, const std::string& text, const std::string& object) {
  print_error("%s %s\n", refusal_line(command, code, text).c_str(), object.c_str());
  return 2;
}

// `server`: as the command line names it.
inline int operator_not_connected(const char* command, const session_error& why, const std::string& server) {
  print_error("%s\n%s: could not connect to server %s (%u)\n", why.what(), command, server.c_str(), why.code);
  return 2;
}

}  // namespace annals::client
