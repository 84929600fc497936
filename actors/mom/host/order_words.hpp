// How the files that read a StartRun find things in it. Nobody else includes this.
#pragma once

#include <string>
#include <string_view>

#include "actors/mom/host/mom_settings.hpp"
#include "events/schema/daemon/shared.capnp.h"

namespace annals::mom {

// The job's attribute, "" if it has none.
std::string attribute(schema::StartRun::Reader start, std::string_view name, std::string_view resource = {});

bool is_this_host(const mom_settings& settings, std::string_view host);  // also ""

// A place as seen from this host: `local` on this host, or where a $usecp rule says; path is then the one here.
struct target {
  std::string host, path;
  bool local = false;
};
target target_at(std::string host, std::string path, const mom_settings& settings);

}  // namespace annals::mom
