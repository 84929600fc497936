// Sends mail behind the log: a follower that never holds anybody up. It folds records into mails (projections/mail), begins their
// mailers in the order of the log, few at a time and few in a second, and keeps a mark of what was sent (mail_spool).
//
// Promise: a mailer is begun once for each mail, also when the server is killed. Governed by docs/design/0055-mail.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "actors/runtime/messages.hpp"
#include "actors/server/mailers.hpp"
#include "events/log/log_reader.hpp"
#include "projections/mail/mail_spool.hpp"
#include "projections/mail/mails.hpp"

namespace annals::actors {

struct mail_parts {
  std::string directory;                         // "$PBS_HOME/server_priv/mail"
  std::string log, boot;                         // which log; which life of the host: a word each
  const ports::record_log* store = nullptr;      // of the log; outlives the follower
  std::shared_ptr<mailers> programs;             // that send it
  std::function<void(const std::string&)> note;  // trouble, for the daemon's log; may be empty
};

class mail_follower {
 public:
  using steady = std::chrono::steady_clock;
  using mail_over = std::function<void(projections::mail_place place, std::string why)>;

  // Throws std::runtime_error when the directory can't be used.
  explicit mail_follower(mail_parts parts);

  // Each record of the log from the first on, or from that behind a restored state, before the actor runs.
  void replayed(const log::record& record);
  // In place of the records up to a checkpoint's. If mails of them are owed, the actor reads the log anew.
  void restore(stored::reader& from);
  void empty();  // nothing was replayed, and nothing restored
  void follow(const records_ptr& records);
  void over(const projections::mail_place& place, const std::string& why, steady::time_point now);
  // Begins what may begin now, and keeps the mark. Again after what it answers; nothing: when there is news.
  std::optional<steady::duration> go_on(steady::time_point now, const mail_over& over);

  std::size_t waiting() const { return waiting_.size(); }

 private:
  projections::mails new_fold() const;
  projections::mail_place first_open() const;
  projections::mail_place next_place() const;
  void fold(const log::record& record);
  template <class Read>
  void reading(Read&& read);
  void read_on();
  bool may_begin(steady::time_point now);
  bool begin(const mail_over& over);
  void keep_mark(steady::time_point now);
  void tell_trouble(steady::time_point now);
  void settled(bool fine);

  mail_parts parts_;
  log::log_reader reader_;
  projections::mails fold_;
  projections::mail_spool spool_;
  std::deque<projections::mail> waiting_;
  std::set<projections::mail_place> running_;
  bool stopped_ = false;     // too many wait: what follows is read from the log later
  std::uint64_t known_ = 0;  // sequence of the last record there is
  double may_start_ = 0;     // so many mailers may be started now
  std::optional<steady::time_point> counted_at_, synced_at_, told_at_;
  std::size_t failed_ = 0;  // mails since trouble was told of
  std::string last_trouble_;
  bool disk_trouble_ = false, log_trouble_ = false;
};

std::shared_ptr<mail_follower> make_mail(mail_parts parts);

// Takes `committed` and `disk_state`; the first disk_state, sent when the replay is over, lets it send what the replay left.
caf::behavior mail_actor(caf::event_based_actor* self, std::shared_ptr<mail_follower> follower);

}  // namespace annals::actors
