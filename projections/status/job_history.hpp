// The jobs that have ended and are not forgotten, out of memory: a row each in a row_file, of what is still asked of them. In memory
// are their numbers and, so that not all rows are read to find a user's, whose each one is. Governed by docs/design/0064-finished-jobs.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/model/job/job.hpp"
#include "events/values/job_number_map.hpp"
#include "projections/rows/row_file.hpp"

namespace annals::projections {

// A job for reading: one in memory, good until the next event is folded, or a copy from the history. Null: there is none.
using job_ptr = std::shared_ptr<const model::job_state>;

// When a finished job ended: seconds since 1970.
std::int64_t ended_at_s(const model::job_state& job);

class job_history {
 public:
  row_file& rows() { return rows_; }
  void store(stored::writer& to) const { to(rows_, numbers_, last_end_s_, whose_); }
  void restore(stored::reader& from);

  // It owes the world nothing any more (model::pending_effects). Its run, what it waited for and which hosts failed are not kept.
  void add(const model::job_state& ended);
  // Out of the history, since something happens to it.
  std::optional<model::job_state> take(std::uint64_t serial);

  std::size_t count() const { return numbers_.size_without_subjobs(); }
  bool contains(std::uint64_t serial) const { return rows_.contains(serial); }
  job_ptr find(std::uint64_t serial) const;

  using owner_and_queue = std::pair<std::string, std::string>;  // user@host
  struct place {
    std::uint64_t number, serial;
    const owner_and_queue* whose;  // null: only its row says so
  };
  // Jobs and arrays in the order of their numbers; subjobs by array and index.
  class places;
  places jobs(std::uint64_t from = 0) const;  // from this number on
  places before(std::uint64_t number) const;  // at the last job or array below it
  places subjobs() const;
  job_ptr find_number(std::uint64_t number) const;

  // Of jobs and arrays, numbers that lie side by side are asked together, so that not all rows are read to find the last ends.
  static constexpr std::uint64_t neighbours = 256;
  static std::uint64_t next_neighbours(std::uint64_t number) { return (number / neighbours + 1) * neighbours; }
  // False: none of this number's neighbours, and not itself, ended at or after this second since 1970.
  bool may_have_ended_since(std::uint64_t number, std::int64_t since_s) const;

 private:
  using numbers = values::job_number_map;  // serial, and in the low bits whose
  std::uint32_t whose(const model::job_state& job);
  void told_end(const model::job_state& job);
  void forget_end(std::uint64_t number);

  row_file rows_;  // by serial
  numbers numbers_;
  std::map<std::uint64_t, std::int64_t> last_end_s_;  // of neighbours: by number / neighbours
  std::map<owner_and_queue, std::uint32_t> whose_;
  std::vector<const owner_and_queue*> by_whose_;  // keys of whose_
};

class job_history::places {
 public:
  places() = default;  // none
  explicit operator bool() const { return static_cast<bool>(at_); }
  place operator*() const;
  void next() { at_.next(); }

 private:
  friend class job_history;
  places(const job_history& of, numbers::cursor at) : of_(&of), at_(at) {}
  const job_history* of_ = nullptr;
  numbers::cursor at_;
};

}  // namespace annals::projections
