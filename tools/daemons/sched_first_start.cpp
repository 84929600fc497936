#include "tools/daemons/sched_first_start.hpp"

#include <unistd.h>

#include <filesystem>

#include "actors/link/wire/wire.hpp"
#include "tools/daemons/sched_directories.hpp"

namespace annals::daemons {

namespace {

std::string authority_of(const sched_places& where) { return where.home + "/server_priv/ca"; }

bool may_make(const sched_places& where) { return access((authority_of(where) + "/ca.key").c_str(), R_OK) == 0; }

bool exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

}  // namespace

void make_missing_priv(const sched_places& where) {
  const bool is_of_name = where.priv == where.home + "/sched_priv" + (where.name == "default" ? "" : "_" + where.name);
  if (is_of_name && !exists(where.priv) && may_make(where)) make_priv_directory(where.priv, where.exec + "/etc");
}

void make_missing_certificate(const sched_places& where) {
  const auto certificate = where.priv + "/daemon.pem";
  if (exists(certificate) || !may_make(where)) return;
  wire::create_private_file(certificate,
                            wire::authority::open(authority_of(where)).issue(wire::identity::kind::scheduler, where.name).bundle());
}

}  // namespace annals::daemons
