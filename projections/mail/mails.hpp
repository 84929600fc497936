// Mail: a fold over the log that says which mails each record causes. What is sent to whom stands in two tables, job_mail.cpp and
// reservation_mail.cpp.
//
// Promise: the same records give the same mails, in the same order. Governed by docs/design/0055-mail.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "events/log/record.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/values/stored_state.hpp"
#include "projections/mail/job_mail.hpp"
#include "projections/mail/mail.hpp"

namespace annals::projections {

class mails {
 public:
  using taker = std::function<void(mail)>;
  // Calls visit for the records of a stream that come before a sequence. Throws when the log can't be read.
  using visitor = std::function<void(const log::record&)>;
  using history_reader = std::function<void(std::uint64_t stream, std::uint64_t before, const visitor& visit)>;

  // Events of a job that learn() passes over are read when a later record speaks of it; without a reader they are folded. Its usage is read
  // for the mail of its end, if the site wants it there; without a reader no mail has it.
  explicit mails(history_reader history = {});

  void fold(const log::record& record, const taker& take);
  // The same for a record whose mails were sent before.
  void learn(const log::record& record);

  std::uint64_t sequence() const { return sequence_; }  // of the last record folded
  // All that was folded or learned, for a checkpoint. Which mails were sent is no part of it (mail_spool.hpp).
  void store(stored::writer& to) const {
    to(sequence_, mailer_, from_, mailer_by_, tells_efficiency_, jobs_, arrays_, arrays_going_, reservations_);
  }
  void restore(stored::reader& from) {
    from(sequence_, mailer_, from_, mailer_by_, tells_efficiency_, jobs_, arrays_, arrays_going_, reservations_);
  }
  std::size_t jobs_kept() const { return jobs_.size(); }

 private:
  void fold_any(const log::record& record, const taker* take);
  void follow_array(const model::event_place& at, schema::JobEvent::Reader event);
  void fold_job(const log::record& record, const model::event_place& at, const job_mail_taker& take);
  void fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event, const job_mail_taker& take);
  void fold_server(const model::event_place& at, schema::ServerEvent::Reader event);
  bool remembers(const model::event_place& at);
  std::string efficiency_of(const mailed_job& job, const log::record& end) const;
  std::string id_of(const model::event_place& at, bool of_job) const;

  history_reader history_;
  std::uint64_t sequence_ = 0;
  std::string mailer_, from_;
  std::string mailer_by_;                                                     // who set it, if not root
  bool tells_efficiency_ = false;                                             // mail_efficiency of the server
  std::unordered_map<std::uint64_t, mailed_job> jobs_;                        // unfinished, by serial
  std::unordered_map<std::uint64_t, std::uint64_t> arrays_;                   // unfinished job arrays: number by serial
  std::unordered_set<std::uint64_t> arrays_going_;                            // numbers of those that are to be deleted
  std::unordered_map<std::uint64_t, model::reservation_state> reservations_;  // unfinished, by serial
};

}  // namespace annals::projections
