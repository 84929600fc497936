// Whether a log is all that its witnesses know: the mark beside it, the accounting's checkpoint, what a MoM was told. And what
// a log says of losses that were accepted. Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/log/log_mark.hpp"
#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// Somebody outside the log who knows how far it went. Without an identity it knows only the sequence.
struct witness {
  std::string name;  // "server_priv/log.mark", "host n1"
  log_mark mark;
};

// Losses that stand in a log: those that were accepted, with who witnessed them, and those of a salvage.
class accepted_losses {
 public:
  void fold(const record& r);  // ignores what is no loss
  bool empty() const { return losses_.empty(); }
  // What this mark knows and the log has not was accepted: a mark of `own` log, or of one that an accepted loss names.
  bool cover(const log_mark& m, const std::string& own) const;
  // The stream was given in a part that was lost.
  bool may_have_given_stream(std::uint64_t serial) const;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.losses_);
  }

 private:
  struct loss {
    std::uint64_t known_to;                  // what was known up to this record may be lost
    std::uint64_t last_stream, next_stream;  // lost serials are between
    std::vector<std::string> logs;           // identities of the witnesses
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.known_to, self.last_stream, self.next_stream, self.logs);
    }
  };
  void fold_salvage(const record& r);
  std::vector<loss> losses_;
};

// The records before this one, from `expected` on, were lost, and it says so.
bool explains_gap(const record& r, std::uint64_t expected);

// Identity of the server's log: drawn when it was begun. Empty: no record says it.
std::string identity_of(const ports::record_log& log);

// What the log lacks of what the witness knows, in words for the administrator; nothing: it has all of it.
std::optional<std::string> lacking(const ports::record_log& log, const std::string& own, const witness& w);

// How to go on behind a loss: the numbers nobody can have been given.
struct loss_to_accept {
  std::vector<witness> witnesses;
  std::string by, host;  // who says it
};
struct numbers_after_loss {
  std::uint64_t sequence, stream, next_number;
};
numbers_after_loss numbers_after(const log_mark& found, const std::vector<witness>& witnesses);

}  // namespace annals::log
