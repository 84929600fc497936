#include "actors/gateway/hosts/blobs_to_moms.hpp"

#include <algorithm>

#include "actors/gateway/hooks/hooked_requests.hpp"
#include "events/model/limits.hpp"

namespace annals::actors {

std::optional<std::uint64_t> size_of_script(const directory& where, const std::string& host, const run_name& run, const std::string& hash) {
  const auto* script = where.has_run(host, run.serial, run.run) ? where.script_of(run.serial) : nullptr;
  return script && script->hash == hash ? std::optional(script->size) : std::nullopt;
}

std::optional<std::uint64_t> size_of_hook_file(const directory& where, const std::string& hash) {
  if (hash.empty()) return std::nullopt;
  for (const auto& [serial, hook] : where.hook_states()) {
    if (!is_for_moms(hook)) continue;
    if (hook.code.hash == hash) return hook.code.size;
    if (hook.config.hash == hash) return hook.config.size;
  }
  return std::nullopt;
}

void send_blob_pieces(wire::connection& to, const blob_wanted& wanted, const std::optional<std::vector<std::byte>>& bytes) {
  const std::size_t size = bytes ? bytes->size() : 0;
  std::size_t at = 0;
  do {
    const auto piece = std::min(limits::blob_piece_bytes, size - at);
    to.send(schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
      auto b = m.initBlob();
      b.setHash({reinterpret_cast<const kj::byte*>(wanted.hash.data()), wanted.hash.size()});
      b.setOffset(at);
      if (bytes) b.setData({reinterpret_cast<const kj::byte*>(bytes->data() + at), piece});
      b.setMissing(!bytes);
      b.setLast(at + piece == size);
      auto ref = b.initRef();
      ref.setJobSerial(wanted.of.serial);
      ref.setRun(wanted.of.run);
      ref.setJob(wanted.of.job);
    }));
    at += piece;
  } while (at < size);
}

namespace {

std::optional<std::vector<std::byte>> read(const log::log_reader& reader, const blob_wanted& wanted, std::string& why) {
  ports::store_status status;
  auto bytes = reader.blobs().read_blob(wanted.hash, &status);
  if (!bytes) {
    why = status ? std::string("it is not in the event log") + log::what_to_run : status.text;
  } else if (bytes->size() != wanted.size) {
    why = "it has " + std::to_string(bytes->size()) + " bytes, not " + std::to_string(wanted.size) + log::what_to_run;
    bytes.reset();
  }
  return bytes;
}

}  // namespace

caf::behavior blobs_to_moms(caf::event_based_actor*, const log::log_reader* reader, daemon_log* notes) {
  return {
      [reader, notes](const blob_wanted& wanted) {
        std::string why;
        const auto bytes = read(*reader, wanted, why);
        if (!bytes && notes) {
          const bool of_job = wanted.of.serial != 0;
          notes->write(log_event::error, of_job ? "Job" : "Hook", of_job ? wanted.of.job : wanted.peer->peer().name,
                       std::string(of_job ? "the job's script" : "a file of a hook") + " can't be read: " + why);
        }
        wanted.read->done(0, "");  // before the MoM has it: who asks again then is heard
        send_blob_pieces(*wanted.peer, wanted, bytes);
      },
  };
}

}  // namespace annals::actors
