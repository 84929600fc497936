// `pbs_shepherd run FILE`: one run of one job, from the claim to the last line of its journal; and then those whose files are named by
// messages on standard input, if that is a socket.
#pragma once

namespace annals::shepherd {

int run(const char* path);

}  // namespace annals::shepherd
