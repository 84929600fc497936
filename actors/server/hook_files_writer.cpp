#include "actors/server/hook_files_writer.hpp"

#include <algorithm>

#include "actors/runtime/log_writer.hpp"

namespace annals::actors {

void hook_files_writer::begin(const std::map<std::uint64_t, model::hook_state>& hooks) {
  hooks_ = hooks;
  for (const auto& name : files_.hooks()) {
    const auto known = std::any_of(hooks_.begin(), hooks_.end(), [&](const auto& h) { return h.second.name == name; });
    if (!known) files_.remove(name);
  }
  for (const auto& [stream, hook] : hooks_) {
    if (notes_)
      notes_->write(log_event::system | log_event::admin | log_event::debug, "Svr", "PBS_Server", "Found hook " + hook.name + " type=site");
    write(hook);
  }
}

void hook_files_writer::fold(const log::record& record) {
  auto& hook = hooks_[record.get().getStream()];
  model::apply(hook, place_of(record), record.event());
  if (schema::is(record.event(), schema::HookEvent::RAN)) return;
  if (hook.exists) return write(hook);
  files_.remove(hook.name);
  hooks_.erase(record.get().getStream());
}

std::string hook_files_writer::text_of(const model::hook_content& content) const {
  if (content.hash.empty()) return {};
  const auto bytes = reader_->blobs().read_blob(content.hash);
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string();
}

void hook_files_writer::write(const model::hook_state& hook) {
  std::string problem;
  files_.write(hook.name + ".HK", hooks::settings_text(hook.name, hook.attributes), problem);
  files_.write(hook.name + ".PY", text_of(hook.code), problem);
  files_.write(hook.name + ".CF", text_of(hook.config), problem);
  if (!problem.empty() && notes_) notes_->write(log_event::error, "Fil", hook.name, problem);
}

}  // namespace annals::actors
