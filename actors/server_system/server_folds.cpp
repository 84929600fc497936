#include "actors/server_system/server_folds.hpp"

#include <utility>

namespace annals::actors {

std::string history_file(const std::string& directory) { return directory + "/history"; }
std::string past_file(const std::string& directory) { return directory + "/past"; }

named_fold fold_of_past(std::shared_ptr<projections::past_writer> past, std::shared_ptr<projections::status> status) {
  return {"past", [past, status](const log::record& r) { past->fold(r, *status); }, [past](stored::writer& to) { to(past->records()); },
          [past](stored::reader& from) { from(past->records()); }};
}

replica server_folds::joined(named_fold past, std::vector<named_fold> others) const {
  replica all;
  all.add_first_lane(make_fold("status", status));
  all.add_first_lane(std::move(past));
  all.add_second_lane({"ledger", [l = ledger](const log::record& r) { l->apply(r); }, [l = ledger](stored::writer& to) { to(l->get()); },
                       [l = ledger](stored::reader& from) { l->restore(from); }});
  all.add_second_lane(make_fold("directory", where));
  all.add_second_lane(make_fold("reactions", reactions));
  if (notes)
    all.add_second_lane({"lines", [n = notes](const log::record& r) { n->learn(r); }, [n = notes](stored::writer& to) { to(*n); },
                         [n = notes](stored::reader& from) { from(*n); }});
  for (auto& f : others) all.add_second_lane(std::move(f));
  return all;
}

}  // namespace annals::actors
