// PBS's qsub says some attributes of every job, also when the user does not.
#pragma once

#include <optional>
#include <string_view>

namespace annals::hooks::py {

// The value of an attribute that the request to queue a job does not name, as a queuejob hook sees it; it lasts for ever. Nothing: qsub
// does not say it. Source: the transcripts of hook fields (test/conformance/golden/hook_fields_recording.txt).
std::optional<std::string_view> said_by_qsub(std::string_view attribute);

}  // namespace annals::hooks::py
