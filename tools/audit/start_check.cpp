#include "tools/audit/start_check.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "events/log/rocksdb_event_store.hpp"
#include "events/model/ledger.hpp"
#include "events/model/part/part.hpp"
#include "projections/accounting/accounting.hpp"
#include "tools/audit/apart.hpp"
#include "tools/audit/replay.hpp"

namespace annals::audit {

namespace {

// Everything a server folds that may refuse, and what a MoM does.
void take_in_all(const std::string& directory, std::atomic<std::uint64_t>& taking) {
  auto opened = log::open_to_verify(directory);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) throw std::runtime_error(why->text);
  const log::log_reader reader(*std::get<0>(opened));
  model::ledger ledger;
  projections::accounting accounting;
  std::map<std::uint64_t, model::part_state> parts;
  replayed state;
  const auto read = reader.read(1, [&](const log::record_ptr& r) {
    taking = r->sequence();
    const auto at = place_of(*r);
    ledger.apply(at, r->event());
    take_in(*r, state);
    if (r->kind() == schema::StreamKind::PART) model::apply(parts[at.stream], at, r->event());
    accounting.fold(*r, [](std::int64_t, std::string_view) {});
    return true;
  });
  taking = 0;  // of what was read nothing was refused
  if (!read) throw std::runtime_error(read.text);
}

// Shared with the child: the record it was taking in when it ended; 0: none.
struct shared_sequence {
  void* memory = ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::atomic<std::uint64_t>& value;
  shared_sequence() : value(*static_cast<std::atomic<std::uint64_t>*>(memory)) {
    if (memory == MAP_FAILED) throw std::runtime_error(std::string("no memory: ") + std::strerror(errno));
  }
  ~shared_sequence() { ::munmap(memory, sizeof value); }
};

}  // namespace

start_check try_to_start(const std::string& directory) {
  shared_sequence taking;
  const auto end = run_apart([&](int) { take_in_all(directory, taking.value); });
  if (end.well) return {};
  const auto said = end.said.substr(0, end.said.find('\n'));
  const std::uint64_t refused = taking.value;
  return {refused, refused == 0 ? said : "record " + std::to_string(refused) + ": a server can't take it in: " + said};
}

}  // namespace annals::audit
