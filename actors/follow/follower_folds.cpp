#include "actors/follow/follower_folds.hpp"

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "actors/replica/checkpoint.hpp"
#include "actors/replica/status_folds.hpp"
#include "events/log/event_log.hpp"
#include "events/log/place.hpp"

namespace annals::actors {

namespace {

named_fold fold_of_settings(std::shared_ptr<model::settings_fold> of) {
  return {"settings", [of](const log::record& r) { (void)of->fold(log::place_of(r), r.event()); }, [of](stored::writer& to) { to(*of); },
          [of](stored::reader& from) { from(*of); }};
}

// `from`: nothing is a start from the first record.
folded_copy folded(const copy_to_fold& of, const std::optional<checkpoint>& from) {
  folded_copy f{{}, std::make_shared<projections::past_writer>(of.store)};
  auto all = f.folds.joined(fold_of_past(f.past, f.folds.status));
  if (from) restore(all, *from, *f.folds.status, *f.past, of.checkpoint_directory);
  for (const auto& why : {f.folds.status->keep_history_in(of.scratch_directory), f.past->keep_ended_in(of.scratch_directory)})
    if (!why.empty()) throw std::runtime_error("there is no " + why);
  if (const auto read = all.catch_up(*of.reader); !read) throw log::log_damaged(read.text);
  return f;
}

// Tells why the checkpoint is not used, and returns nothing then.
std::optional<folded_copy> folded_from_checkpoint(const copy_to_fold& of) {
  const auto file = checkpoint_file(of.checkpoint_directory);
  const auto not_used = [&](const std::string& why) {
    of.note(why.empty() ? "there is no checkpoint" : "the checkpoint is not used: " + why);
    return std::nullopt;
  };
  auto found = usable_checkpoint(file, *of.reader);
  if (const auto* why = std::get_if<std::string>(&found)) return not_used(*why);
  const auto from = std::optional(std::move(std::get<checkpoint>(found)));
  try {
    auto f = folded(of, from);
    of.note("the start went on from the checkpoint of record " + std::to_string(from->head().sequence));
    return f;
  } catch (const stored::state_unreadable& why) {
    return not_used(why.what());
  } catch (const projections::row_unreadable& why) {
    std::error_code gone_already;  // who makes the next one writes all rows anew
    std::filesystem::remove(file, gone_already);
    return not_used(why.what());
  }
}

}  // namespace

replica follower_folds::joined(named_fold past) const {
  replica all;
  all.add_first_lane(make_fold("status", status));
  all.add_first_lane(std::move(past));
  all.add_second_lane(fold_of_settings(settings));
  return all;
}

follower_maker_folds::follower_maker_folds() : all_(folds_.joined(fold_of_past(past_, folds_.status))) {}

folded_copy fold_copy(const copy_to_fold& of) {
  const auto last = of.reader->records().last_sequence();
  if (last == 0) return folded(of, std::nullopt);
  if (auto f = folded_from_checkpoint(of)) return std::move(*f);
  of.note("the start reads the whole copy, " + std::to_string(last) + " records");
  return folded(of, std::nullopt);
}

}  // namespace annals::actors
