// Which blobs a MoM may have, and sending them: a script of up to 100 MB is read from the disk, so the actor that does it has
// a thread of its own, and the gateway only looks up. Governed by docs/design/0002-event-log.md, "Blobs".
#pragma once

#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/gateway/directory.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/server/messages.hpp"
#include "events/log/log_reader.hpp"

namespace annals::actors {

// The size that the log names; nothing: it is not for this host.
std::optional<std::uint64_t> size_of_script(const directory& where, const std::string& host, const run_name& run, const std::string& hash);
std::optional<std::uint64_t> size_of_hook_file(const directory& where, const std::string& hash);

// Sends the blob in frames of at most limits::blob_piece_bytes; nothing: says that it is missing.
void send_blob_pieces(wire::connection& to, const blob_wanted& wanted, const std::optional<std::vector<std::byte>>& bytes);

// Messages: blob_wanted, of what the MoM may have. One that is lost or damaged is missing for the MoM; the log says why.
caf::behavior blobs_to_moms(caf::event_based_actor* self, const log::log_reader* reader, daemon_log* notes);

}  // namespace annals::actors
