// The rows of one write: of each key only the last one, because a job that comes and goes within a batch is one row.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "projections/exports/row.hpp"

namespace annals::exporting {

class row_batch {
 public:
  void put(exports::row&& r);
  void clear();

  const std::vector<exports::row>& of(std::size_t table) const { return tables_[table].rows; }
  std::size_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_; }  // of memory, about
  bool empty() const { return rows_ == 0; }

 private:
  struct one_table {
    std::vector<exports::row> rows;                   // in the order in which their keys came
    std::unordered_map<std::string, std::size_t> at;  // by key
  };
  std::array<one_table, exports::table_count> tables_;
  std::size_t rows_ = 0, bytes_ = 0;
};

}  // namespace annals::exporting
