// Where rows go: a database or a directory of files. What is written of the log, and up to which record, changes there at once.
// Governed by docs/design/0070-exports.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "projections/exports/tables.hpp"
#include "tools/export/row_batch.hpp"

namespace annals::exporting {

// How far a target is.
struct position {
  std::uint64_t sequence = 0;  // of the last record whose rows are there; 0: none is
  std::string hash;            // chain hash of that record in hexadecimal: it tells this log from others
  std::string notes;           // exports::print_notes
  bool operator==(const position&) const = default;
};

// A target that can't be written to. Nothing of the last write is there, or all of it: whoever opens the target again finds out.
class target_trouble : public std::runtime_error {
 public:
  enum class kind : std::uint8_t { moved,    // another process has written to it: it is to be opened again
                                   passing,  // it is full, away or busy: later it may work
                                   lasting };
  target_trouble(kind which, const std::string& text) : std::runtime_error(text), which_(which) {}
  kind which() const { return which_; }

 private:
  kind which_;
};

class target {
 public:
  virtual ~target() = default;
  virtual const position& at() const = 0;
  // All of the rows and the position, or nothing; throws target_trouble.
  virtual void write(const row_batch& rows, const position& next) = 0;
  // Of one that was made beside another: that other one has these rows and this position from now on, and this one is no more.
  virtual void exchange() = 0;
};

// Which of the two a target is: the one that is used, or one beside it that is made anew from nothing.
enum class target_place : std::uint8_t { proper,
                                         beside };
using say = std::function<void(const std::string&)>;  // takes a line for whoever started the program

// Each makes what is missing, and changes tables of an earlier version to those of `tables`. Throws target_trouble.
std::unique_ptr<target> open_sqlite(const std::string& file, target_place place, const exports::table_set& tables, const say& tell);
std::unique_ptr<target> open_postgres(const std::string& url, const std::string& schema, target_place place,
                                      const exports::table_set& tables, const say& tell);
enum class file_form : std::uint8_t { csv,
                                      json_lines,
                                      usage_records };  // XML, of runs alone
struct file_choice {
  file_form form = file_form::csv;
  bool compressed = false;
};
std::unique_ptr<target> open_files(const std::string& directory, const file_choice& choice, target_place place,
                                   const exports::table_set& tables);

}  // namespace annals::exporting
