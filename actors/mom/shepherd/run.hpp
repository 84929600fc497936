// `pbs_shepherd run FILE`: one run of one job, from the claim to the last line of its journal.
#pragma once

namespace annals::shepherd {

int run(const char* path);

}  // namespace annals::shepherd
