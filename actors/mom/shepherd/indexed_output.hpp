// Output of a subjob as a record of a file that the subjobs of its array share (events/values/output_index.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "actors/mom/host/user_request.hpp"

namespace annals::shepherd {

// Appends the content of `from`, with the user's rights, and then its entry to the index; both are on disk if there is any content. Waits
// until `until_ms`, in monotonic_ms(), for who else writes there. A file that is made gets the mode of `from`. Empty: done. Else what went
// wrong: then there is no entry, and what was written of the record is taken away again.
std::string append_record(const std::string& from, const mom::record_task& to, std::int64_t until_ms);

// The file: "/a/STDIN.o12.n1".
std::string shared_file(const mom::record_task& to);

}  // namespace annals::shepherd
