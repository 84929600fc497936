#include "actors/server/aggregates.hpp"

namespace annals::actors {

void ledger_check::rebuild(const log::log_reader& reader) {
  ledger_ = model::ledger{};
  const auto status = reader.read(1, [&](const log::record_ptr& r) {
    apply(*r);
    return true;
  });
  ANNALS_INVARIANT(static_cast<bool>(status), "what was read at the start can be read again");
}

}  // namespace annals::actors
