// The program of a script job: the shell that reads the script. A MoM names it only where the job does; else it is the
// login shell of the job's owner, and who asks first looks it up.
#pragma once

#include <string>

#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks::py {

std::string program_of(protocol::Request::Reader launch);  // of the event's `progname`
std::string login_name_of(const std::string& shell);       // its argv[0]: "-bash"

}  // namespace annals::hooks::py
