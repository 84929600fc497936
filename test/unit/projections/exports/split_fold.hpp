// The fold of a log, whole and in two parts: for tests that both have the same rows.
#pragma once

#include <vector>

#include "test/unit/projections/exports/told_rows.hpp"

namespace annals::test {

using records = std::vector<log::record_ptr>;

inline exports::stream_reader reader_of(const records& all) {
  return [&all](std::uint64_t stream, std::uint64_t before, const exports::visitor& visit) {
    for (const auto& r : all)
      if (r->get().getStream() == stream && (r->sequence() >= before || !visit(*r))) return;
  };
}

inline told_rows rows_of(const records& all) {
  told_rows rows;
  exports::export_fold fold(reader_of(all), true);
  for (const auto& r : all) fold.fold(*r, rows.take);
  return rows;
}

// A fold that ends at a record, and another one that goes on from its notes.
inline told_rows rows_in_two(const records& all, std::size_t first) {
  told_rows rows;
  exports::fold_notes notes;
  {
    exports::export_fold fold(reader_of(all), true);
    for (std::size_t i = 0; i < first; ++i) fold.fold(*all[i], rows.take);
    BOOST_REQUIRE(exports::read_notes(exports::print_notes(fold.notes()), notes));
    BOOST_TEST((notes == fold.notes()));
  }
  exports::export_fold fold(reader_of(all), first == 0);
  for (std::size_t i = 0; i < first; ++i)
    if (notes.streams.contains(all[i]->get().getStream()) || notes.records.contains(all[i]->sequence())) fold.learn(*all[i]);
  for (std::size_t i = first; i < all.size(); ++i) fold.fold(*all[i], rows.take);
  return rows;
}

}  // namespace annals::test
