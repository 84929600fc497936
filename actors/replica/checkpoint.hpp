// A checkpoint: the state of each fold of a replica at one position of the log, in a file. A start that has one reads only what came after
// it. It is never more than a short cut: one that is damaged, of another program or of another log is not used, and the start folds the
// whole log. Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/replica/replica.hpp"
#include "events/log/record.hpp"

namespace annals::actors {

// The position that a checkpoint is of, and the program that can read it.
struct checkpoint_head {
  std::string program;  // program_name()
  std::uint64_t sequence = 0;
  log::chain_hash hash{};  // of the record with this sequence
  std::int64_t made_ns = 0;
  bool operator==(const checkpoint_head&) const = default;
};

// The running program, to the last bit: states have no names of their fields, so that only the program that wrote them can read them.
// Empty: it was built without a build id, and uses no checkpoints.
std::string program_name();

// The bytes of a whole checkpoint.
std::string write_checkpoint(const checkpoint_head& head, const replica::states& states);

class checkpoint {
 public:
  const checkpoint_head& head() const { return head_; }
  std::optional<std::string_view> state_of(const std::string& fold) const;

 private:
  friend std::variant<checkpoint, std::string> read_checkpoint(std::shared_ptr<const void> owner, std::string_view bytes);
  std::shared_ptr<const void> owner_;  // of the bytes
  checkpoint_head head_;
  std::vector<std::pair<std::string_view, std::string_view>> states_;
};

// `owner` keeps the bytes. A text: why they are no whole checkpoint.
std::variant<checkpoint, std::string> read_checkpoint(std::shared_ptr<const void> owner, std::string_view bytes);
// The same of a file, which is mapped. A text: why it can't be used; empty: there is none.
std::variant<checkpoint, std::string> open_checkpoint(const std::string& file);
// Only what it is of. The rest is not looked at.
std::optional<checkpoint_head> read_checkpoint_head(const std::string& file);

// Empty: this program may use it for this log. Otherwise why not.
std::string why_not_used(const checkpoint_head& head, const log::log_reader& of);

// The checkpoint of a file that this program may use for this log. A text: why there is none; empty: there is no file.
std::variant<checkpoint, std::string> usable_checkpoint(const std::string& file, const log::log_reader& of);

// In place of the file that is there, synced. Throws std::system_error.
void keep_checkpoint(const std::string& file, const checkpoint_head& head, const replica::states& states);

}  // namespace annals::actors
