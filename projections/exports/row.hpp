// A row of a table, and how one is made: its columns are named in the order of the table, and those that are not named are null.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projections/exports/tables.hpp"
#include "projections/exports/value.hpp"

namespace annals::exports {

struct row {
  table_id table;
  bool final = false;      // no later record changes it
  std::int64_t at_ns = 0;  // of the record that made it
  std::vector<value> values;
  bool operator==(const row&) const = default;
};
// A row takes the place of the one with the same key.
using row_taker = std::function<void(row&&)>;

// A longer text in a key is cut, and its SHA-256 put behind. PostgreSQL's index takes 2704 bytes of all columns together, and at most three
// of a key's are texts.
constexpr std::size_t key_bytes_max = 800;

class row_builder {
 public:
  row_builder(table_id of, std::int64_t at_ns) : columns_(table_of(of).columns), key_(table_of(of).key) {
    row_.table = of;
    row_.at_ns = at_ns;
    row_.values.resize(columns_.size());
  }

  row_builder& integer(const char* column, std::int64_t n) { return put(column, column_type::integer, n); }
  row_builder& count(const char* column, std::uint64_t n);  // more than 63 bits become the largest number
  row_builder& boolean(const char* column, bool b) { return put(column, column_type::boolean, b); }
  row_builder& text(const char* column, std::string_view t);
  row_builder& text_unless_empty(const char* column, std::string_view t) { return t.empty() ? *this : text(column, t); }
  row_builder& at(const char* column, std::int64_t ns) { return put(column, column_type::time, moment{ns}); }
  row_builder& at_unless_0(const char* column, std::int64_t ns) { return ns == 0 ? *this : at(column, ns); }
  // A value that was made elsewhere, which may be null.
  row_builder& any(const char* column, value v);

  row done(bool final) {
    row_.final = final;
    return std::move(row_);
  }

 private:
  row_builder& put(const char* column, column_type type, value v);
  std::size_t find(const char* column);

  std::span<const exports::column> columns_;
  unsigned key_;
  std::size_t next_ = 0;
  row row_;
};

}  // namespace annals::exports
