#include "actors/server/mail_actor.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "actors/server/mail_limits.hpp"

namespace annals::actors {

namespace {

using go_on_atom = caf::atom_constant<caf::atom("mailgoeson")>;
using projections::mail_place;
using mail_clock = mail_follower::steady;

// From an actor's helper to the actor.
struct mail_result {
  mail_place place;
  std::string why;
};

}  // namespace

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::mail_result)

namespace annals::actors {

mail_follower::mail_follower(mail_parts parts)
    : parts_(std::move(parts)),
      reader_(*parts_.store),
      fold_(new_fold()),
      spool_(parts_.directory, parts_.log, parts_.boot, {parts_.store->last_sequence() + 1, 0}) {}

projections::mails mail_follower::new_fold() const {
  return projections::mails([reader = reader_](std::uint64_t stream, std::uint64_t before, const projections::mails::visitor& visit) {
    const auto read = reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      if (r->sequence() >= before) return false;
      visit(*r);
      return true;
    });
    if (!read) throw std::runtime_error(read.text);
  });
}

void mail_follower::restore(stored::reader& from) {
  fold_.restore(from);
  known_ = fold_.sequence();
  if (spool_.first_open().sequence > known_) return;
  fold_ = new_fold();
  stopped_ = true;  // what is replayed is read by the actor, too
}

void mail_follower::empty() {
  fold_ = new_fold();
  waiting_.clear();
  stopped_ = false;
  known_ = 0;
}

void mail_follower::replayed(const log::record& record) {
  known_ = record.sequence();
  if (!stopped_) fold(record);
}

void mail_follower::fold(const log::record& record) {
  if (record.sequence() < spool_.first_open().sequence) return fold_.learn(record);
  fold_.fold(record, [this](projections::mail m) {
    if (spool_.owes(m.place)) waiting_.push_back(std::move(m));
  });
  stopped_ = waiting_.size() >= mail_limits::waiting;
}

void mail_follower::follow(const records_ptr& records) {
  if (records->empty()) return;
  known_ = std::max(known_, records->back()->sequence());
  reading([&] {
    for (const auto& r : *records)
      if (!stopped_ && r->sequence() == fold_.sequence() + 1) fold(*r);
  });
  read_on();
}

// Tells of trouble with the log once; what could not be folded is tried again.
template <class Read>
void mail_follower::reading(Read&& read) {
  try {
    read();
    log_trouble_ = false;
  } catch (const std::exception& e) {
    if (!std::exchange(log_trouble_, true) && parts_.note) parts_.note(std::string("mail: ") + e.what());
  }
}

// What was passed over while too many mails waited.
void mail_follower::read_on() {
  if (waiting_.size() > mail_limits::waiting / 2) return;
  stopped_ = false;
  if (fold_.sequence() >= known_) return;
  reading([&] {
    const auto read = reader_.read(fold_.sequence() + 1, [this](const log::record_ptr& r) {
      fold(*r);
      return !stopped_ && r->sequence() < known_;
    });
    if (!read) throw std::runtime_error(read.text);
  });
}

void mail_follower::over(const mail_place& place, const std::string& why, steady::time_point now) {
  running_.erase(place);
  if (why.empty()) return;
  ++failed_;
  last_trouble_ = why;
  tell_trouble(now);
}

// Once in a while, with what was not told of.
void mail_follower::tell_trouble(steady::time_point now) {
  if (failed_ == 0 || (told_at_ && now - *told_at_ < mail_limits::between_notes)) return;
  told_at_ = now;
  const auto others = std::exchange(failed_, 0) - 1;
  if (parts_.note) parts_.note("mail not sent: " + last_trouble_ + (others > 0 ? "; and " + std::to_string(others) + " more" : ""));
}

// First of the mails that are not done.
mail_place mail_follower::first_open() const {
  const auto waits = next_place();
  return running_.empty() ? waits : std::min(waits, *running_.begin());
}

mail_place mail_follower::next_place() const {
  return waiting_.empty() ? mail_place{fold_.sequence() + 1, 0} : waiting_.front().place;
}

bool mail_follower::may_begin(steady::time_point now) {
  constexpr double most = mail_limits::per_second;
  const double passed = counted_at_ ? std::chrono::duration<double>(now - *counted_at_).count() : 1;
  counted_at_ = now;
  may_start_ = std::min(most, may_start_ + passed * most);
  return may_start_ >= 1;
}

// False: the disk takes no more.
bool mail_follower::begin(const mail_over& over) {
  const auto m = waiting_.front();
  const auto place = m.place;
  const auto next = waiting_.size() > 1 ? waiting_[1].place : mail_place{fold_.sequence() + 1, 0};
  if (!spool_.begin(m, next)) return false;
  waiting_.pop_front();
  running_.insert(place);
  may_start_ -= 1;
  parts_.programs->begin(m, spool_.file_of(place).string(), [over, place](std::string why) { over(place, std::move(why)); });
  return true;
}

// Tells of trouble with the disk once.
void mail_follower::settled(bool fine) {
  if (fine == !disk_trouble_) return;
  disk_trouble_ = !fine;
  if (parts_.note) parts_.note(fine ? "mail: sent again" : spool_.why());
}

void mail_follower::keep_mark(steady::time_point now) {
  spool_.done(first_open(), next_place());
  if (!spool_.behind() || (synced_at_ && now - *synced_at_ < mail_limits::between_syncs)) return;
  synced_at_ = now;
  if (!spool_.sync()) settled(false);
}

std::optional<mail_clock::duration> mail_follower::go_on(steady::time_point now, const mail_over& over) {
  read_on();
  bool in_time = true;
  while (!waiting_.empty() && running_.size() < mail_limits::mailers_at_once && (in_time = may_begin(now))) {
    const bool begun = begin(over);
    settled(begun);
    if (!begun) return mail_limits::between_syncs;
    read_on();
  }
  keep_mark(now);
  tell_trouble(now);
  if (!in_time) return std::chrono::milliseconds(1000 / mail_limits::per_second);
  if (spool_.behind() || disk_trouble_ || log_trouble_) return mail_limits::between_syncs;
  if (failed_ > 0) return mail_limits::between_notes;
  return std::nullopt;
}

std::shared_ptr<mail_follower> make_mail(mail_parts parts) { return std::make_shared<mail_follower>(std::move(parts)); }

caf::behavior mail_actor(caf::event_based_actor* self, std::shared_ptr<mail_follower> follower) {
  // A longer wait does not replace a shorter one: one that is over early finds nothing to do.
  auto woken_at = std::make_shared<std::optional<mail_clock::time_point>>();
  const auto go_on = [=] {
    const auto now = mail_clock::now();
    const auto again = follower->go_on(now, [to = caf::actor_cast<caf::actor>(self)](mail_place place, std::string why) {
      caf::anon_send(to, mail_result{place, std::move(why)});
    });
    if (!again || (*woken_at && **woken_at <= now + *again)) return;
    *woken_at = now + *again;
    self->delayed_send(self, *again, go_on_atom::value);
  };
  return {
      [=](const committed& c) {
        follower->follow(c.records);
        go_on();
      },
      [=](const disk_state&) { go_on(); },
      [=](const mail_result& r) {
        follower->over(r.place, r.why, mail_clock::now());
        go_on();
      },
      [=](go_on_atom) {
        woken_at->reset();
        go_on();
      },
  };
}

}  // namespace annals::actors
