#include <variant>

#include "actors/replica/checkpoint.hpp"
#include "actors/replica/replica.hpp"
#include "actors/server/aggregates.hpp"

namespace annals::actors {

ports::store_status ledger_check::rebuild(const log::log_reader& reader) {
  ledger_ = model::ledger{};
  replica all;
  all.add_first_lane({fold_name, [this](const log::record& r) { apply(r); }, {}, [this](stored::reader& from) { restore(from); }});
  if (!checkpoint_file_.empty()) {
    const auto found = usable_checkpoint(checkpoint_file_, reader);
    if (const auto* from = std::get_if<checkpoint>(&found)) try {
        all.restore(from->head().sequence, [&](const std::string& name) { return from->state_of(name); });
      } catch (const stored::state_unreadable&) {
        ledger_ = model::ledger{};  // as if there were none
      }
  }
  return all.catch_up(reader);
}

}  // namespace annals::actors
