#include "actors/server_system/server_folds.hpp"

#include <utility>

namespace annals::actors {

named_fold server_folds::of_status() const { return make_fold("status", status); }

std::vector<named_fold> server_folds::of_rest() const {
  std::vector<named_fold> all;
  all.push_back({ledger_check::fold_name, [l = ledger](const log::record& r) { l->apply(r); },
                 [l = ledger](stored::writer& to) { to(l->get()); }, [l = ledger](stored::reader& from) { l->restore(from); }});
  all.push_back(make_fold("directory", where));
  all.push_back(make_fold("reactions", reactions));
  if (notes)
    all.push_back({"lines", [n = notes](const log::record& r) { n->learn(r); }, [n = notes](stored::writer& to) { to(*n); },
                   [n = notes](stored::reader& from) { from(*n); }});
  return all;
}

replica server_folds::joined(named_fold past, std::vector<named_fold> others) const {
  replica all;
  all.add_first_lane(of_status());
  all.add_first_lane(std::move(past));
  for (auto& f : of_rest()) all.add_second_lane(std::move(f));
  for (auto& f : others) all.add_second_lane(std::move(f));
  return all;
}

}  // namespace annals::actors
