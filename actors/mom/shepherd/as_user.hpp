// `pbs_shepherd as-user`: reads a request (actors/mom/host/user_request.hpp) on standard input, becomes that user, does
// the work and writes an answer to standard output.
#pragma once

namespace annals::shepherd {

int as_user();

}  // namespace annals::shepherd
