// The event store on RocksDB: one directory, one process that writes, any number that only read beside it.
//
// Column families: events (first sequence -> chunk of records), streams ((stream, version) -> sequence), blobs,
// uploads, memos, cache; keys are big-endian, so that order of keys is order of history. Every append is one atomic
// write with one sync of the write-ahead log. Governed by docs/design/0002-event-log.md.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "events/log/store_options.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// Whether the directory holds a store; false also when there is no such directory.
bool has_event_store(const std::string& path);

// Opens for writing, making the directory (mode 700) and the store if there is none. Sweeps blobs nobody adopted.
// Errors: locked, damaged (names the file), disk_full, io (unwritable directory, ...).
std::variant<std::unique_ptr<ports::event_store>, ports::store_status> open_event_store(
    const std::string& path, const store_options& options = {});

// A store that is only read. Its writing functions answer io.
class audit_store : public ports::event_store {
 public:
  // Takes in what the writer has written since (a reader beside a live server).
  virtual ports::store_status catch_up() = 0;
};
// Opens beside a live writer, or a copied directory, which may be read-only. Writes only to a private temporary
// directory.
std::variant<std::unique_ptr<audit_store>, ports::store_status> open_for_audit(const std::string& path);
// Opens a log as its daemon would at a start, and refuses what that would refuse: a file that is missing, cut or not the one
// that belongs there, a write-ahead log that can't be read. Writes nothing. What it sees is the log of this moment. Its
// read_rest() checks every block of every file. Files that a writer replaces meanwhile are not missing.
std::variant<std::unique_ptr<audit_store>, ports::store_status> open_to_verify(const std::string& path, const store_options& options = {});

// Whether a process has the log open for writing.
bool has_writer(const std::string& path);

}  // namespace annals::log
