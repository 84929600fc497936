// The world as the hooks of a host see it (mom_hooks.hpp). Made by the MoM's actor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/mom/hooks/hook_points.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "events/ports/clock.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::actors {

using jobs_at_work = std::map<values::run_key, job_at_work>;

struct mom_hooks_parts {
  hooks::hook_runner* runner = nullptr;  // null: no hook ever runs
  std::string directory;                 // mom_priv/hooks
  std::string host;
  const ports::clock* clock = nullptr;
  daemon_log* notes = nullptr;
  std::shared_ptr<hook_bits> bits;
  std::function<void(schema::MomHello::Builder)> describe;  // this host's vnodes, without those that hooks made
  std::function<void()> say_hello;                          // to the server, if it is there: the host's vnodes are known, or are others
  std::function<bool()> rejects_files;                      // $reject_root_scripts: no file of a hook is taken from the server
  std::string version{};                                    // pbs_version of this host's vnodes
  std::uint16_t port = 0;                                   // where its MoM listens
  // Does what may wait for the disk elsewhere, one piece after the other, and what it returns in the MoM's actor.
  std::function<void(helper_pool::work)> aside{};

  void note(std::uint32_t bits_of_event, std::string_view object, const std::string& text) const {
    if (notes) notes->write(bits_of_event, "Hook", object, text);
  }
};

}  // namespace annals::actors
