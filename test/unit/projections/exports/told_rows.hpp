// Rows as a table has them at the end: of each key the last one. For tests of what is made of a log.
#pragma once

#include <boost/test/unit_test.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "projections/exports/exports.hpp"

namespace annals::test {

using key_texts = std::vector<std::string>;
using rows_of_table = std::map<key_texts, exports::row>;

class told_rows {
 public:
  const exports::row_taker take = [this](exports::row&& r) {
    key_texts key;
    for (unsigned i = 0; i < exports::table_of(r.table).key; ++i) key.push_back(exports::print_plain(r.values[i]));
    auto& place = tables_[static_cast<std::size_t>(r.table)];
    if (const auto at = place.find(key); at != place.end() && at->second.final && r.table != exports::table_id::resources)
      BOOST_TEST(at->second.values == r.values, exports::table_of(r.table).name << ": a final row changes");
    place.insert_or_assign(std::move(key), std::move(r));
  };
  const rows_of_table& of(exports::table_id table) const { return tables_[static_cast<std::size_t>(table)]; }
  bool operator==(const told_rows& other) const { return differing(other).empty(); }
  // The first row that differs, for a message.
  std::string differing(const told_rows& other) const {
    for (std::size_t i = 0; i < exports::table_count; ++i) {
      const auto& t = exports::tables()[i];
      if (tables_[i].size() != other.tables_[i].size()) return std::string(t.name) + ": another number of rows";
      for (auto a = tables_[i].begin(), b = other.tables_[i].begin(); a != tables_[i].end(); ++a, ++b)
        if (a->first != b->first) return std::string(t.name) + ": another key";
        else
          for (std::size_t c = 0; c < a->second.values.size(); ++c)
            if (a->second.values[c] != b->second.values[c])
              return std::string(t.name) + "." + t.columns[c].name + " of " + a->first[0] + ": " +
                     exports::print_plain(a->second.values[c]) + " and " + exports::print_plain(b->second.values[c]);
    }
    return {};
  }

 private:
  std::array<rows_of_table, exports::table_count> tables_;
};

// A column of a row; empty: null.
inline std::string column(const exports::row& r, const std::string& name) {
  const auto& columns = exports::table_of(r.table).columns;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name) return exports::print_plain(r.values[i]);
  BOOST_FAIL("no column " << name);
  return {};
}
inline std::int64_t number(const exports::row& r, const std::string& name) {
  const auto text = column(r, name);
  return text.empty() ? 0 : std::stoll(text);
}

}  // namespace annals::test
