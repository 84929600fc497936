// Keeps server_priv/hooks as the log says: the files of each hook, for site tools that look there. A copy: nothing reads them
// back, and a start writes them anew.
#pragma once

#include <map>
#include <string>

#include "actors/runtime/daemon_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/model/hook/hook.hpp"
#include "hooks-runtime/chain/hook_files.hpp"

namespace annals::actors {

class hook_files_writer {
 public:
  // notes may be null.
  hook_files_writer(std::string directory, const log::log_reader* reader, daemon_log* notes)
      : files_(std::move(directory), 0644), reader_(reader), notes_(notes) {}

  void begin(const std::map<std::uint64_t, model::hook_state>& hooks);
  void fold(const log::record& record);  // of a hook's stream

 private:
  void write(const model::hook_state& hook);
  std::string text_of(const model::hook_content& content) const;

  hooks::hook_directory files_;
  const log::log_reader* reader_;
  daemon_log* notes_;
  std::map<std::uint64_t, model::hook_state> hooks_;  // by stream
};

}  // namespace annals::actors
