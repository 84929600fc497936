// One round of making a checkpoint, beside a daemon or after it has stopped: the last checkpoint, or nothing, and the log from there on.
// A process does one round and ends, and is alone with the directory. It writes nothing but the files there. Governed by
// docs/design/0068-checkpoints.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/replica/checkpoint.hpp"
#include "actors/replica/kept_folds.hpp"
#include "events/log/log_reader.hpp"

namespace annals::actors {

struct checkpoint_round {
  std::string directory;                                    // of the checkpoint's files; it is made
  std::function<std::unique_ptr<kept_folds>()> make_folds;  // that have folded nothing
  std::uint64_t up_to = 0;                                  // at most
  std::int64_t now_ns = 0;                                  // since 1970
};

// After which record the next round begins: that of the last checkpoint, or 0. `last` is the one that is there, `at_start` the one that was
// there when the daemon started. Nothing: no round is to be made, because one of another program came since: somebody made it for the
// daemon that is started next.
std::optional<std::uint64_t> next_round_begins(const std::optional<checkpoint_head>& last, const std::optional<checkpoint_head>& at_start,
                                               const log::log_reader& of);

// The checkpoint that was made; nothing: there is nothing new to keep. Throws std::exception: none was made. The last one stays then, but
// for one of which a row can't be read.
std::optional<checkpoint_head> make_checkpoint(const log::log_reader& reader, const checkpoint_round& round);

}  // namespace annals::actors
