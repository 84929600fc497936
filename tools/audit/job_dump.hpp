// A job as printjob shows it (pbs guide: printjob): what the server knows of its state, then every attribute. Pure.
#pragma once

#include <string>

#include "tools/client/print/object.hpp"

namespace annals::audit {

// Flags and numbers of PBS's own data structures that have no meaning here are left out.
void put_job_dump(std::string& out, const client::object_view& job, bool with_attributes);

// "-----", the line of the title, "-----".
void put_title(std::string& out, const std::string& title);

}  // namespace annals::audit
