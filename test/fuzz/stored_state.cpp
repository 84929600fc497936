// Stored states from bytes that anything may have happened to: refused, or restored to a state that can be stored and restored again. An
// input is tried as it is, and laid over the bytes of a real state: three bytes of it are a place there and what stands in it then.
#include "events/values/stored_state.hpp"

#include <map>
#include <string>
#include <vector>

#include "events/model/settings_fold.hpp"
#include "events/schema/readable.hpp"
#include "test/fuzz/round_trip.hpp"
#include "test/support/ledger_story.hpp"

using namespace annals;

namespace {

struct state {
  model::ledger ledger;
  model::settings_fold settings;
  std::map<std::uint64_t, model::job_state> jobs;
  std::map<std::uint64_t, model::host_state> hosts;
  std::vector<schema::sealed<schema::Event>> messages;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.messages, self.jobs, self.hosts, self.settings, self.ledger);
  }
};

std::string stored_bytes(const state& s) {
  stored::writer to;
  to(s);
  return to.take();
}

std::string bytes_of_a_real_state() {
  state s;
  const auto story = test::ledger_story();
  for (const auto& [at, e] : story.events()) {
    s.ledger.apply(at, e.get());
    s.settings.fold(at, e.get());
    if (e.get().isHost()) model::apply(s.hosts[at.stream], at, e.get().getHost());
    if (s.messages.size() < 3) s.messages.push_back(e);
  }
  for (const auto phase : test::every_job_phase) s.jobs[s.jobs.size()] = test::given(phase).job;
  return stored_bytes(s);
}

void try_to_restore(std::string_view bytes) {
  state s;
  try {
    stored::restore_whole(bytes, s);
  } catch (const stored::state_unreadable&) {
    return;
  }
  const auto again = stored_bytes(s);
  stored::restore_whole(again, s);
  fuzz::require(stored_bytes(s) == again, "what was restored is another state when it is stored", "the state");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string real = bytes_of_a_real_state();
  try_to_restore(fuzz::text_of(data, size));
  auto changed = real;
  for (std::size_t i = 0; i + 2 < size; i += 3) changed[(data[i] << 8 | data[i + 1]) % changed.size()] = static_cast<char>(data[i + 2]);
  try_to_restore(changed);
  return 0;
}
