#include "tools/client/version.hpp"

#include "tools/client/pbs_conf.hpp"

namespace annals::client {

std::string pbs_version(const annals_conf& ours) { return ours.get("pbs_version", spoken_pbs_version); }

std::string pbs_version() { return pbs_version(read_annals_conf(read_pbs_conf().pbs_home)); }

}  // namespace annals::client
