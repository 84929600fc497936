#include "test/sim/kept_checkpoints.hpp"

#include <memory>
#include <string>

#include "actors/server_system/maker_folds.hpp"
#include "events/model/outcome.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

namespace {
constexpr std::size_t kept_max = 4;
}

std::optional<actors::checkpoint> kept_checkpoints::draw(const log::log_reader& log, double share) {
  if (log.records().last_sequence() == 0 || std::uniform_real_distribution<double>(0, 1)(random_) >= share) return std::nullopt;
  make_one(log);
  return any(log);
}

std::optional<actors::checkpoint> kept_checkpoints::any(const log::log_reader& log) {
  if (kept_.empty()) return std::nullopt;
  const auto at = kept_.begin() + static_cast<std::ptrdiff_t>(random_() % kept_.size());
  auto drawn = test::read_whole(*at);
  if (actors::why_not_used(drawn.head(), log).empty()) return drawn;
  kept_.erase(at);
  return std::nullopt;
}

// A round from nothing, or from an earlier one.
void kept_checkpoints::make_one(const log::log_reader& log) {
  const auto up_to = 1 + random_() % log.records().last_sequence();
  actors::maker_folds maker(home_of_server);
  if (const auto before = any(log); before && before->head().sequence < up_to) test::restore_from(*before, maker.all());
  std::optional<log::chain_hash> hash;
  const auto keep_hash = [&](const log::record& r) { if (r.sequence() == up_to) hash = r.hash(); };
  const auto read = maker.all().catch_up(log, keep_hash, up_to);
  ANNALS_INVARIANT(read && hash, "a maker reads the log up to any of its records");
  if (kept_.size() == kept_max) kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(random_() % kept_max));
  kept_.push_back(test::checkpoint_of(maker.all(), *hash));
}

// -- checks ------------------------------------------------------------------------------------------------------------------

// The law of checkpoints, for one record of the world's whole log.
std::string world::check_checkpoints() {
  std::mt19937_64 chance(o.seed);
  if (std::uniform_real_distribution<double>(0, 1)(chance) >= o.checkpoints) return "";
  std::vector<log::record_ptr> records;
  (void)log::log_reader(server_store()).read(1, [&](const log::record_ptr& r) {
    records.push_back(r);
    return true;
  });
  if (records.empty()) return "";
  const auto make = [] { return std::make_unique<actors::maker_folds>(home_of_server); };
  return test::broken_law(records, {1 + chance() % records.size()}, make, make);
}

}  // namespace annals::sim
