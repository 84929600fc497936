#include "actors/server_system/checkpoint_round.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "actors/server_system/server_folds.hpp"
#include "events/log/log_mark.hpp"
#include "projections/accounting/accounting.hpp"
#include "projections/mail/mails.hpp"

namespace annals::actors {

namespace {

// Every fold that a server has, each from its beginning.
class round_folds {
 public:
  explicit round_folds(const std::string& home) : folds_(home, std::make_shared<event_notes>(no_lines_)) {
    named_fold past{"past", [p = past_, s = folds_.status](const log::record& r) { p->fold(r, *s); },
                    [p = past_](stored::writer& to) { to(*p); }, [p = past_](stored::reader& from) { from(*p); }};
    const auto mark = std::make_shared<log::log_mark>();
    named_fold reached{mark_fold, [mark](const log::record& r) { log::advance(*mark, r); }, [mark](stored::writer& to) { to(*mark); },
                       [mark](stored::reader& from) { from(*mark); }};
    all_ = folds_.joined(std::move(past), {fold_that_learns<projections::accounting>(accounting_fold),
                                           fold_that_learns<projections::mails>(mail_fold), std::move(reached)});
  }

  replica& all() { return all_; }
  projections::row_file& history() { return folds_.status->history_rows(); }
  projections::row_file& past() { return past_->ended_rows(); }

 private:
  // Lines and mails are written by the server. With somebody to ask for the records of a job nothing of it is kept.
  template <class Books>
  static named_fold fold_that_learns(const char* name) {
    const auto books = std::make_shared<Books>([](std::uint64_t, std::uint64_t, const typename Books::visitor&) {});
    return {name, [books](const log::record& r) { books->learn(r); }, [books](stored::writer& to) { to(*books); },
            [books](stored::reader& from) { from(*books); }};
  }

  daemon_log no_lines_{"/dev/null", "", 0, false, true};
  server_folds folds_;
  std::shared_ptr<projections::past_records> past_ = std::make_shared<projections::past_records>();
  replica all_;
};

void must(const std::string& why) {
  if (!why.empty()) throw std::runtime_error(why);
}

void go_on_from(round_folds& folds, const checkpoint& last, const std::string& directory) {
  folds.all().restore(last.head().sequence, [&](const std::string& name) { return last.state_of(name); });
  folds.history().go_on_in(history_file(directory));
  folds.past().go_on_in(past_file(directory));
}

void begin_anew(round_folds& folds, const std::string& directory) {
  std::filesystem::remove(checkpoint_file(directory));  // its rows are about to go
  must(folds.history().keep_in(history_file(directory)));
  must(folds.past().keep_in(past_file(directory)));
}

std::unique_ptr<round_folds> folds_up_to_last(const log::log_reader& reader, const checkpoint_round& round) {
  const auto opened = open_checkpoint(checkpoint_file(round.directory));
  if (const auto* last = std::get_if<checkpoint>(&opened); last && why_not_used(last->head(), reader).empty()) try {
      auto folds = std::make_unique<round_folds>(round.home);
      go_on_from(*folds, *last, round.directory);
      return folds;
    } catch (const stored::state_unreadable&) {  // its rows are gone: as if there were none
    }
  auto folds = std::make_unique<round_folds>(round.home);
  begin_anew(*folds, round.directory);
  return folds;
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

std::string checkpoint_file(const std::string& directory) { return directory + "/state"; }

std::optional<checkpoint_head> make_checkpoint(const log::log_reader& reader, const checkpoint_round& round) {
  const auto program = program_name();
  if (program.empty()) throw std::runtime_error("this program was built without a build id");
  std::filesystem::create_directories(round.directory);
  std::filesystem::permissions(round.directory, std::filesystem::perms(0700));
  const auto folds = folds_up_to_last(reader, round);
  auto& all = folds->all();
  const auto up_to = std::min(round.up_to, reader.records().last_sequence());
  if (up_to <= all.sequence()) return std::nullopt;
  const auto read = all.catch_up(reader, {}, up_to);
  must(read ? "" : read.text);
  must(folds->history().sync());
  must(folds->past().sync());
  const checkpoint_head head{program, all.sequence(), hash_at(reader, all.sequence()), round.now_ns};
  keep_checkpoint(checkpoint_file(round.directory), head, all.store());
  return head;
}

}  // namespace annals::actors
