// Accounting: what sites bill and report by, as lines in PBS's form. A fold over the log: the lines that an event leads to
// are rows of one table (accounting.cpp), so a record is written when the fact is on disk, and never otherwise.
//
// Promise: the same records give the same lines, byte for byte, in the same time zone.
// Source: pbs guide, "accounting".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "events/log/record.hpp"
#include "events/model/host/host.hpp"
#include "events/model/job/job.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/values/stored_state.hpp"
#include "projections/accounting/record_fields.hpp"
#include "projections/accounting/reservation_records.hpp"

namespace annals::projections {

// Sees the events of jobs and reservations with what accounting knows of these: for whoever makes more of them than lines.
class accounting_watcher {
 public:
  virtual ~accounting_watcher() = default;
  virtual void before(const occasion&) {}   // the job as it was before the event; not of its first one
  virtual void leaving(const occasion&) {}  // the same, when all records that show the job so were told
  virtual void after(const occasion&) {}    // as the event left it; not of its end
  // The event leads to a record with this letter, which shows this job. `put_fields` appends the text behind "T;id;".
  using put_fields = void (*)(std::string& line, const occasion& o);
  virtual void recorded(char letter, const occasion& o, put_fields put, bool blank_at_end) = 0;
  virtual void changed(const reservation_occasion& o) = 0;
};

class accounting {
 public:
  // A line "MM/DD/YYYY HH:MM:SS;T;id;fields" without its newline, and the second it speaks of (that of the record).
  using line_taker = std::function<void(std::int64_t wall_s, std::string_view line)>;

  // Calls visit for the records of a job's stream that come before a sequence. Throws when the log can't be read.
  using visitor = std::function<void(const log::record&)>;
  using history_reader = std::function<void(std::uint64_t stream, std::uint64_t before, const visitor& visit)>;

  // With a history reader what learn() passes over is read when a later record needs it, so that a restart does not pay
  // for jobs nobody hears of again (2.7 us per event); without one it is folded.
  // `keeps`: which attributes of jobs are kept, for lines at least those that are shown_in_records.
  using attribute_choice = bool (*)(attributes::attribute_id);
  explicit accounting(history_reader history = {}, attribute_choice keeps = shown_in_records)
      : history_(std::move(history)), keeps_(keeps) {}

  void fold(const log::record& record, const line_taker& take);
  // Tells a watcher in place of making lines.
  void fold(const log::record& record, accounting_watcher& watcher);
  // The same for a record whose lines were taken before.
  void learn(const log::record& record);

  std::uint64_t sequence() const { return sequence_; }  // of the last record folded
  // All that was folded or learned, for a checkpoint. Which lines are in the files is no part of it (accounting_files.hpp).
  void store(stored::writer& to) const { to(sequence_, jobs_, hosts_, host_of_vnode_, reservations_, reservation_names_); }
  void restore(stored::reader& from) { from(sequence_, jobs_, hosts_, host_of_vnode_, reservations_, reservation_names_); }
  std::size_t jobs_kept() const { return jobs_.size(); }
  const model::host_state* host(std::uint64_t stream) const;  // nullptr: there is none

 private:
  void fold_job(const model::event_place& at, schema::JobEvent::Reader event, accounting_watcher* watcher);
  void fold_host(const model::event_place& at, schema::HostEvent::Reader event);
  void fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event, accounting_watcher* watcher);
  void fold_any(const log::record& record, accounting_watcher* watcher);
  bool remembers(const model::event_place& at);
  const model::vnode_state* vnode(std::string_view name) const;
  std::string_view reservation_name(const model::job_state& job) const;

  history_reader history_;
  attribute_choice keeps_;
  std::uint64_t sequence_ = 0;
  std::unordered_map<std::uint64_t, model::job_state> jobs_;    // unfinished, by serial; with what lines need
  std::unordered_map<std::uint64_t, model::host_state> hosts_;  // by serial
  std::unordered_map<std::string, std::uint64_t> host_of_vnode_;
  std::unordered_map<std::uint64_t, model::reservation_state> reservations_;  // unfinished, by serial
  std::unordered_map<std::string, std::string> reservation_names_;            // theirs, by id with the server's name
};

}  // namespace annals::projections
