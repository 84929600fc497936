// Whether write-ahead logs are those of one history: each begins behind the one before. RocksDB takes that for granted, and ends the
// process by an assertion where an older file was put in the place of a newer one. Governed by docs/design/0029-a-damaged-log.md.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace annals::log {

// Where the first batch of a write-ahead log begins that has entries: at each opening RocksDB writes one that has none and takes no
// sequence. Nothing: there is none, or what is there is not whole.
std::optional<std::uint64_t> first_in_wal(std::istream& wal);

struct misplaced_wal {
  std::string file, before;  // names: what `file` holds is older than what `before` holds, or the same
};
std::vector<misplaced_wal> misplaced_wals(const std::string& directory);

std::string print(const misplaced_wal& w);

}  // namespace annals::log
