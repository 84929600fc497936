// The event log of one process: one writer over an event_store. It gives each event its sequence, stream version, times
// and place in the hash chain, gathers appends into one batch with one sync, and remembers command ids.
//
// One thread calls the writing functions (the log writer actor); readers (log_reader) may be used by any thread.
// Governed by docs/design/0002-event-log.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "events/ports/clock.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// What an actor wants written: all of the events, or none. They are of one stream, and of a new one that begins with them.
struct append {
  std::uint64_t stream = 0;            // 0: a new stream; its serial comes back
  std::uint64_t expected_version = 0;  // of the stream, as the actor saw it
  std::uint64_t seen = 0;              // how much of the log it has seen, to save a look into the store (0002); 0: it does not say
  std::vector<model::event> events;    // at least one
  std::vector<model::event> born;      // behind them: the first events of a new stream; usually none
  who by;
  std::string command_id;  // 16 bytes, scoped by `by`; empty: not remembered
  std::string answer;      // kept beside the command id, returned to a repeat
  std::uint64_t cause = 0;
  std::vector<schema::sealed<schema::HookRun>> hooks;  // that ran before; they stand in the record of the first event
  std::vector<ports::blob> blobs;                      // named by the events, written in the same batch
  std::vector<std::string> uploaded;                   // hashes of blobs that the events name and that went ahead in pieces
};

struct staged {
  std::uint64_t stream;
  std::uint64_t version;
  std::uint64_t last_sequence;
};
struct version_conflict {
  std::uint64_t actual;
};
// This command id was done before. While `pending` it is in the batch not yet committed: its fate is not known, so the
// caller waits for the next commit and answers as that append is answered.
struct repeated {
  std::string answer;
  std::uint64_t sequence;
  bool pending;
};
// An event, with the runs of hooks in its record, is larger than limits::event_bytes_max; nothing was staged.
struct too_large {
  std::size_t bytes;
};

// The log can't be continued from what is on disk. The message names the place and says what to run.
class log_damaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A start with much to read verifies the tail beside that.
enum class tail_check { now,
                        left_to_caller };

class event_log {
 public:
  // Verifies the tail, as far as it may hold what the last run wrote. Throws log_damaged when it can't be what was
  // written, or when another writer takes the log at the same moment. From here on no earlier writer can write to it.
  event_log(ports::record_log& store, const ports::clock& clock, tail_check when = tail_check::now);
  ~event_log();

  // What is left to the caller of the constructor: done before anything is staged, and before anybody believes a record of the tail.
  void verify_tail() const;
  std::uint64_t tail_begin() const;  // sequence of its first record

  // Puts an append into the next batch. Versions count what is staged before it. `expected_version` of a new stream is
  // 0.
  std::variant<staged, version_conflict, repeated, too_large> stage(append what);

  // Whether this command id was done within limits::command_id_memory_s, for a caller that would rather not decide
  // again.
  std::optional<repeated> find_command(const who& by, const std::string& command_id) const;

  // For an append that says that records were lost: its events will have these sequences, and its stream, a new one, this
  // serial, or higher ones. Nothing is staged, and nothing else is staged with it.
  void skip_lost(std::uint64_t first_sequence, std::uint64_t first_stream);

  // Takes the last staged append back (the ledger refused it).
  void unstage_last();
  // Events of the next batch as they will be written, in order. Those of the last append begin at last_staged_begin(); a
  // ClockSteppedBack stands before them when the clock went back.
  const std::vector<record_ptr>& staged_records() const { return staged_records_; }
  std::size_t last_staged_begin() const;

  // Writes and syncs what is staged. On `none` the records are durable and returned in order; on disk_full nothing is
  // kept, the stage is emptied and the log stands where it stood; on `uncertain` the stage stays as it is, nothing more may be
  // staged, and commit() is to be called again until it says how it ended; on any other error the process must stop.
  ports::store_status commit(std::vector<record_ptr>& committed);

  void use_quiet() { store_.use_quiet(); }  // see record_log

  std::uint64_t last_sequence() const { return durable_.sequence; }  // durable
  std::uint64_t last_version(std::uint64_t stream) const;            // staged events included
  std::uint64_t epoch() const { return epoch_; }
  const chain_hash& head() const { return durable_.head; }  // of the last durable record
  std::size_t staged_bytes() const { return staged_bytes_; }
  // Somebody says that the clock is right: however far it is behind now, it is believed.
  void accept_clock() { clock_is_right_ = true; }
  // The clock is too far behind to be right (clock_step.hpp): what to tell the administrator. Empty: it is not.
  std::string why_time_stands() const;

 private:
  struct pending;  // one staged append: what it began with, to take it back; see event_log.cpp
  // Where the log stands: durable, and with what is staged.
  struct position {
    std::uint64_t sequence = 0;
    std::uint64_t last_stream = 0;
    std::int64_t wall_ns = 0;
    std::int64_t raw_ns = 0;       // of the last record that another writer left
    std::int64_t furthest_ns = 0;  // the latest time of any record
    std::uint64_t stepped_at = 0;  // of the last ClockSteppedBack
    chain_hash head{};
  };
  std::uint64_t version_for(const append& what) const;
  void take_up_last();
  void note_step(std::int64_t now_ns);
  pending begin_pending(std::uint64_t stream, std::uint64_t version, std::uint64_t born) const;
  void write_down(const append& what, const std::vector<model::event>& events, std::uint64_t stream, std::uint64_t version,
                  std::int64_t now_ns);
  void remember(const append& what, const std::string& command);
  void take_back(const pending& p);
  void empty_stage();
  bool steps_back(std::int64_t now_ns) const;
  ports::store_status take();
  void take_up_memory();
  void count_time();

  ports::record_log& store_;
  const ports::clock& clock_;
  std::uint64_t epoch_ = 1;
  bool taken_ = false, uncertain_ = false;
  bool clock_is_right_ = false;  // until the next append
  position durable_, tip_;
  struct command_memory {
    std::int64_t period = 0, passed_ns = 0;  // of command ids, and how far it is on
    std::int64_t kept_ns = 0;                // so far by the store's word
  };
  command_memory memory_, memory_before_;  // before the batch that is being written
  std::int64_t counted_at_ns_ = 0;         // what the clock said at the last commit
  // Staged.
  ports::write_batch batch_;
  std::vector<record_ptr> staged_records_;
  std::vector<pending> staged_appends_;
  std::unordered_map<std::string, repeated> staged_commands_;
  std::size_t staged_bytes_ = 0;
  // Versions of streams, staged events included; a cache of what the store knows. It has all that were written to behind `versions_from_`.
  mutable std::unordered_map<std::uint64_t, std::uint64_t> versions_;
  std::uint64_t versions_from_ = 0;
};

}  // namespace annals::log
