// What somebody types at qmgr (pbs guide: qmgr): commands that may go on over several lines, each remembered, also for the next sitting;
// "!7" is the command of that number again.
#pragma once

#include <optional>
#include <string>

#include "tools/client/editing/command_history.hpp"
#include "tools/client/editing/line_editor.hpp"

namespace annals::client {

class typed_commands {
 public:
  // Says on standard error why the history can't be kept, if it can't.
  typed_commands();

  std::optional<std::string> next();  // nothing: there is no more
  const command_history& history() const { return history_; }

 private:
  std::optional<std::string> type();
  std::string recall(const std::string& number);

  command_history history_;
  line_editor editor_;
};

}  // namespace annals::client
