#include "actors/server/aggregates.hpp"

namespace annals::actors {

ports::store_status ledger_check::rebuild(const log::log_reader& reader) {
  ledger_ = model::ledger{};
  return reader.read(1, [&](const log::record_ptr& r) {
    apply(*r);
    return true;
  });
}

}  // namespace annals::actors
