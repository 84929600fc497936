// A database that pbs_export wrote, for whoever reads it with SQL that both understand (sql.hpp). What is read is of one moment, however
// long it takes: the exporter writes on meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/export/sql.hpp"

namespace annals::exporting {

class row_source {
 public:
  virtual ~row_source() = default;
  virtual dialect speaks() const = 0;
  virtual std::string prefix() const = 0;  // before names of tables
  // Values as the database prints them, until the next row; nothing: null. Until take says false. Throws target_trouble.
  using take_row = std::function<bool(std::span<const std::optional<std::string_view>>)>;
  virtual void each_row(const std::string& sql, const take_row& take) = 0;
};

// Each makes sure that there are tables of pbs_export. Throws target_trouble.
std::unique_ptr<row_source> read_sqlite(const std::string& file);
std::unique_ptr<row_source> read_postgres(const std::string& url, const std::string& schema);

// "2026-11-30T06:47:29.123456Z" of a column of times, whose full name this is.
std::string moment_text(const std::string& column, dialect d);

}  // namespace annals::exporting
