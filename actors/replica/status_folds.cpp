#include "actors/replica/status_folds.hpp"

#include <utility>

namespace annals::actors {

namespace {
constexpr const char* past_fold = "past";
}

named_fold fold_of_past(std::shared_ptr<projections::past_writer> past, std::shared_ptr<projections::status> status) {
  return {past_fold, [past, status](const log::record& r) { past->fold(r, *status); }, [past](stored::writer& to) { to(past->records()); },
          [past](stored::reader& from) { from(past->records()); }};
}

named_fold fold_of_past(std::shared_ptr<projections::past_records> past, std::shared_ptr<projections::status> status) {
  return {past_fold, [past, status](const log::record& r) { past->fold(r, *status); }, [past](stored::writer& to) { to(*past); },
          [past](stored::reader& from) { from(*past); }};
}

std::string checkpoint_file(const std::string& directory) { return directory + "/state"; }
std::string history_file(const std::string& directory) { return directory + "/history"; }
std::string past_file(const std::string& directory) { return directory + "/past"; }

void restore(replica& all, const checkpoint& from, projections::status& status, projections::past_writer& past,
             const std::string& directory) {
  all.restore(from.head().sequence, [&](const std::string& name) { return from.state_of(name); });
  past.go_on_behind(from.head().sequence);
  if (directory.empty()) return;
  status.history_rows().read_from(history_file(directory));
  past.records().ended_rows().read_from(past_file(directory));
}

}  // namespace annals::actors
