#include "actors/replica/checkpoint_round.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "actors/replica/status_folds.hpp"
#include "projections/rows/row_file.hpp"

namespace annals::actors {

namespace {

void must(const std::string& why) {
  if (!why.empty()) throw std::runtime_error(why);
}

void go_on_from(kept_folds& folds, const checkpoint& last, const std::string& directory) {
  folds.all().restore(last.head().sequence, [&](const std::string& name) { return last.state_of(name); });
  folds.history().go_on_in(history_file(directory));
  folds.past().go_on_in(past_file(directory));
}

void begin_anew(kept_folds& folds, const std::string& directory) {
  std::filesystem::remove(checkpoint_file(directory));  // its rows are about to go
  must(folds.history().keep_in(history_file(directory)));
  must(folds.past().keep_in(past_file(directory)));
}

std::unique_ptr<kept_folds> folds_up_to_last(const log::log_reader& reader, const checkpoint_round& round) {
  const auto opened = usable_checkpoint(checkpoint_file(round.directory), reader);
  if (const auto* last = std::get_if<checkpoint>(&opened)) try {
      auto folds = round.make_folds();
      go_on_from(*folds, *last, round.directory);
      return folds;
    } catch (const stored::state_unreadable&) {  // its rows are gone: as if there were none
    }
  auto folds = round.make_folds();
  begin_anew(*folds, round.directory);
  return folds;
}

// A row that is damaged is made anew, as all are, by the round after one that needs it.
void fold_up_to(replica& all, const log::log_reader& reader, std::uint64_t up_to, const std::string& directory) {
  try {
    const auto read = all.catch_up(reader, {}, up_to);
    must(read ? "" : read.text);
  } catch (const projections::row_unreadable&) {
    std::filesystem::remove(checkpoint_file(directory));
    throw;
  }
}

log::chain_hash hash_at(const log::log_reader& reader, std::uint64_t sequence) {
  std::optional<log::chain_hash> hash;
  const auto read = reader.read(sequence, [&](const log::record_ptr& r) {
    if (r->sequence() == sequence) hash = r->hash();
    return false;
  });
  must(read ? "" : read.text);
  if (!hash) throw std::runtime_error("record " + std::to_string(sequence) + " can't be read");
  return *hash;
}

}  // namespace

std::optional<std::uint64_t> next_round_begins(const std::optional<checkpoint_head>& last, const std::optional<checkpoint_head>& at_start,
                                               const log::log_reader& of) {
  if (last && last->program != program_name() && last != at_start) return std::nullopt;
  return last && why_not_used(*last, of).empty() ? last->sequence : 0;
}

std::optional<checkpoint_head> make_checkpoint(const log::log_reader& reader, const checkpoint_round& round) {
  const auto program = program_name();
  if (program.empty()) throw std::runtime_error("this program was built without a build id");
  const auto up_to = std::min(round.up_to, reader.records().last_sequence());
  if (up_to == 0) return std::nullopt;
  std::filesystem::create_directories(round.directory);
  std::filesystem::permissions(round.directory, std::filesystem::perms(0700));
  const auto folds = folds_up_to_last(reader, round);
  auto& all = folds->all();
  if (up_to <= all.sequence()) return std::nullopt;
  fold_up_to(all, reader, up_to, round.directory);
  must(folds->history().sync());
  must(folds->past().sync());
  const checkpoint_head head{program, all.sequence(), hash_at(reader, all.sequence()), round.now_ns};
  keep_checkpoint(checkpoint_file(round.directory), head, all.store());
  return head;
}

}  // namespace annals::actors
