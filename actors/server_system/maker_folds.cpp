#include "actors/server_system/maker_folds.hpp"

#include <cstdint>
#include <utility>

#include "events/log/log_mark.hpp"
#include "projections/accounting/accounting.hpp"
#include "projections/mail/mails.hpp"

namespace annals::actors {

namespace {

// Lines and mails are written by the server. With somebody to ask for the records of a job nothing of it is kept.
template <class Books>
named_fold fold_that_learns(const char* name) {
  const auto books = std::make_shared<Books>([](std::uint64_t, std::uint64_t, const typename Books::visitor&) {});
  return {name, [books](const log::record& r) { books->learn(r); }, [books](stored::writer& to) { to(*books); },
          [books](stored::reader& from) { from(*books); }};
}

named_fold fold_of_mark() {
  const auto mark = std::make_shared<log::log_mark>();
  return {mark_fold, [mark](const log::record& r) { log::advance(*mark, r); }, [mark](stored::writer& to) { to(*mark); },
          [mark](stored::reader& from) { from(*mark); }};
}

}  // namespace

maker_folds::maker_folds(const std::string& home) : folds_(home, std::make_shared<event_notes>(no_lines_)) {
  all_ = folds_.joined(fold_of_past(past_, folds_.status), {fold_that_learns<projections::accounting>(accounting_fold),
                                                            fold_that_learns<projections::mails>(mail_fold), fold_of_mark()});
}

}  // namespace annals::actors
