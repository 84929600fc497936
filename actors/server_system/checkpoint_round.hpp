// One round of making a checkpoint, beside a server or after it has stopped: the last checkpoint, or nothing, and the log from there on.
// A process does one round and ends. It writes nothing but the files of its directory. Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actors/replica/checkpoint.hpp"
#include "events/log/log_reader.hpp"

namespace annals::actors {

struct checkpoint_round {
  std::string directory;    // of the checkpoint's files; it is made
  std::string home;         // PBS_HOME
  std::uint64_t up_to = 0;  // at most: how far the books are written down
  std::int64_t now_ns = 0;  // since 1970
};

// File of the checkpoint in the directory.
std::string checkpoint_file(const std::string& directory);

// The checkpoint that was made; nothing: there is nothing new to keep. Throws std::exception: none was made, and the last one stays.
std::optional<checkpoint_head> make_checkpoint(const log::log_reader& reader, const checkpoint_round& round);

}  // namespace annals::actors
