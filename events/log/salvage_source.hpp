// All that can still be read of a damaged log's directory, whatever its manifest says: the tables of every file and the
// batches of every write-ahead log, each by itself. Nothing in the directory is changed; a private directory is used for
// what the write-ahead logs hold. What a log keeps is never changed once it is written, so it does not matter which file a
// record comes from. Governed by docs/design/0029-a-damaged-log.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

class salvage_source {
 public:
  virtual ~salvage_source() = default;
  // Each sound record once, in order.
  using visitor = std::function<void(const record_ptr& r, ports::byte_span bytes)>;
  virtual void records(const visitor& visit) = 0;
  using index_visitor = std::function<void(std::uint64_t stream, std::uint64_t version, std::uint64_t sequence)>;
  virtual void index(const index_visitor& visit) = 0;  // in no order, maybe twice
  using memo_visitor = std::function<void(const std::string& key, const std::string& value)>;
  virtual void memos(const memo_visitor& visit) = 0;
  virtual std::optional<std::vector<std::byte>> blob(std::string_view hash) = 0;  // its content matches its hash

  // What could not be read so far: files, and places in them. `history` are those that may have held records.
  struct problem {
    std::string text;
    bool history;
  };
  virtual const std::vector<problem>& problems() const = 0;
};

// `scratch`: a private directory on a disk with room for the write-ahead logs.
std::variant<std::unique_ptr<salvage_source>, ports::store_status> open_to_salvage(const std::string& directory,
                                                                                   const std::string& scratch);

}  // namespace annals::log
