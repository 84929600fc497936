// What the site's scripts that checkpoint and restart a job are told ($action): their words, their environment, and where the checkpoint
// lies. docs/design/0053-checkpoint.md.
#pragma once

#include <cstdint>
#include <string>

#include "actors/mom/host/start_order.hpp"

namespace annals::mom {

// "PBS_HOME/checkpoint/12.borg.CK", the script's to fill.
std::string checkpoint_path(schema::StartRun::Reader start, const mom_settings& settings);
// Makes the directory, for the MoM's user alone, and keeps the session beside it. What went wrong; empty: nothing.
std::string make_checkpoint_place(const std::string& path, std::int64_t session);
// Of the run that was checkpointed; 0: not known.
std::int64_t session_at_checkpoint(const std::string& path);
// Takes the checkpoint away from where a later one of the job will lie. Where the rest of it is now, which may be much to remove; empty:
// there is none.
std::string take_checkpoint_away(const std::string& path, std::uint32_t run);

// Why nobody should run this script as the MoM; empty: it is the MoM's own, and nobody else may write to it.
std::string unfit_script(const std::string& path);

// A program beside the run's own.
ports::run_order checkpoint_order_for(schema::StartRun::Reader start, const model::allocation& has, const mom_settings& settings,
                                      const values::checkpoint_key& key, std::int64_t session);
// Has the order start $action restart in place of the job's program. There must be one.
void put_restart(schema::StartRun::Reader start, const mom_settings& settings, ports::run_order& order);

}  // namespace annals::mom
