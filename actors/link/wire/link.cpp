#include "actors/link/wire/link.hpp"

#include <kj/exception.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "actors/link/wire/connection_ids.hpp"

namespace annals::wire {

namespace {

bool passed(steady::time_point since, int ms, steady::time_point now) { return now - since > std::chrono::milliseconds(ms); }

std::string seconds(int ms) {
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace

link::link(std::shared_ptr<worker> w, std::unique_ptr<transport> t, link_setup setup)
    : id_(next_connection_id()),
      worker_(std::move(w)),
      transport_(std::move(t)),
      place_(std::move(setup.place)),
      setup_(std::move(setup)),
      in_(setup_.frame_bytes_max),
      since_(steady::now()),
      last_read_(since_),
      last_written_(since_) {
  ++worker_->connections;
}

// --- any thread ---

void link::post(void (link::*what)()) {
  boost::asio::post(worker_->io, [self = shared_from_this(), what] { ((*self).*what)(); });
}

void link::send(const schema::sealed_message& message) {
  const std::size_t size = message.bytes().size();
  if (size == 0) return;
  if (size > limits::daemon_frame_bytes_max)
    return close("a message of " + std::to_string(size) + " bytes is larger than the limit of " +
                 std::to_string(limits::daemon_frame_bytes_max));
  std::unique_lock lock(mutex_);
  if (!accepts_) return;
  unsent_ += frame_header_bytes + size;
  const bool more_will_follow = ++answers_ < frames_;  // they leave together with this one
  if (may_write_ && !flush_posted_ && !more_will_follow) return write_at_once(message, lock);
  pending_.push_back(message);
  if (unsent_ > worker_->options.unsent_bytes_max) {
    accepts_ = false;
    post(&link::overflowed);
  } else if (!flush_posted_) {
    flush_posted_ = true;
    post(&link::flush);
  }
}

// Nothing is being written: whoever has the answer writes it, and the worker's thread sleeps on. Not under the lock, as the peer it
// wakes may take this thread's processor; meanwhile flush_posted_ keeps others from writing, and the descriptor stays open.
void link::write_at_once(const schema::sealed_message& message, std::unique_lock<std::mutex>& lock) {
  flush_posted_ = writing_at_once_ = true;
  lock.unlock();
  const std::size_t whole = frame_header_bytes + message.bytes().size();
  const std::size_t written = transport_->write_at_once(frame_header(message.bytes().size()), message.bytes());
  lock.lock();
  writing_at_once_ = false;
  const bool was_crowded = crowded();
  unsent_ -= std::min(written, unsent_.load());  // none are left when it was closed meanwhile
  if (close_waits_) return post(&link::close_transport);
  if (was_crowded && !crowded() && posts_) post(&link::drained);  // the worker may have stopped reading meanwhile
  if (written < whole && posts_) {
    written_at_once_ = written;
    pending_.insert(pending_.begin(), message);
  }
  flush_posted_ = !pending_.empty() || !accepts_;
  if (flush_posted_ && posts_) post(&link::flush);
}

void link::close(const std::string& why) {
  std::lock_guard lock(mutex_);
  if (!posts_ || !asked_reason_.empty()) return;
  accepts_ = false;
  asked_reason_ = why.empty() ? "closed" : why;
  post(&link::close_as_asked);
}

bool link::is_open() const {
  std::lock_guard lock(mutex_);
  return accepts_;
}

void link::resume_reading() {
  paused_ = false;
  read_on();
}

void link::read_on() {
  std::lock_guard lock(mutex_);
  if (posts_) post(&link::read_more);
}

void link::counts_for(const std::string& user) {
  if (in_hand_) in_hand_->counts_for(user);
}

// --- the worker's thread: opening ---

void link::start() {
  worker_->add(shared_from_this());
  if (phase_ != phase::over) transport_->handshake(shared_from_this());
}

void link::on_handshake(const std::string& failure) {
  if (phase_ != phase::handshaking) return;
  if (!failure.empty()) return lost(failure);
  try {
    peer_ = transport_->peer();
  } catch (const wire_error& e) {
    return lost(e.what());
  }
  if (setup_.check)
    if (const std::string unwanted = setup_.check(peer_); !unwanted.empty()) return lost(unwanted);
  if (setup_.waits_for_greeting) phase_ = phase::greeting;
  else opened();
  read_more();
}

void link::opened() {
  phase_ = phase::open;
  {
    std::lock_guard lock(mutex_);
    may_write_ = transport_->can_write_at_once();
  }
  if (setup_.place_until_open) place_.reset();
  if (setup_.in_hand)
    in_hand_ = setup_.in_hand->open(peer_.what == identity::kind::local ? peer_.name : std::string(), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->read_on();
    });
  if (transport_->needs_heartbeats() && !setup_.waits_for_greeting) {  // the greeting
    out_.take_heartbeat();
    unsent_ += frame_header_bytes;
    flush();
  }
  if (setup_.owner.opened) setup_.owner.opened(shared_from_this());
}

// --- reading ---

void link::read_more() {
  if (reading_ || phase_ == phase::over || phase_ == phase::handshaking) return;
  if (!deliver()) return half_since_.reset();  // what we do not read can't be late
  watch_half_frame();
  reading_ = true;
  last_read_ = steady::now();  // the peer just sent something, or could not be heard until now
  transport_->read_some(shared_from_this());
}

// A frame has to be whole in time, however many of its bytes come.
void link::watch_half_frame() {
  if (in_.left() == 0) return half_since_.reset();
  if (half_since_ && half_of_ == frames_) return;
  half_since_ = steady::now();
  half_of_ = frames_;
}

void link::on_read(error_code ec, std::size_t bytes) {
  reading_ = false;
  if (phase_ == phase::over) return;
  if (ec) {
    if (phase_ == phase::draining) return end_now();
    if (phase_ == phase::flushing) return lost(reason_);
    const bool ended = ec == boost::asio::error::eof;
    if (phase_ == phase::greeting) return lost(ended ? "the peer turned us away" : "the peer turned us away: " + ec.message());
    if (!ended) return lost(ec.message());
    return lost(in_.left() ? "closed by the peer in the middle of a frame" : "closed by the peer");
  }
  in_.filled(bytes);
  read_more();
}

bool link::deliver() {
  const auto frames_before = frames_.load();
  schema::sealed_message message;
  std::string why;
  while (phase_ == phase::open || phase_ == phase::greeting) {
    if (paused_ || throttled() || has_enough_in_hand()) return false;
    switch (in_.next(message, why)) {
      case frame_buffer::found::nothing: return true;
      case frame_buffer::found::heartbeat: break;
      case frame_buffer::found::message: break;
      case frame_buffer::found::garbage: in_.too_large() ? refuse_frame(why) : cut_off(why); return false;
    }
    ++frames_;
    if (phase_ == phase::greeting) opened();
    if (message) received(std::exchange(message, {}), frames_ == frames_before + 1 && in_.left() == 0);
  }
  if (phase_ == phase::over) return false;
  in_.clear();  // closing: what still comes is thrown away
  return true;
}

void link::received(schema::sealed_message message, bool is_alone) {
  const auto& take = is_alone && setup_.owner.received_alone ? setup_.owner.received_alone : setup_.owner.received;
  if (phase_ != phase::open || !take) return;
  try {
    take(shared_from_this(), std::move(message));
  } catch (const kj::Exception& e) {  // a text without its end, for example: the owner met what only a reader can see
    cut_off(std::string("not a message: ") + e.getDescription().cStr());
  }
}

// --- writing ---

void link::flush() {
  if (writing_ || phase_ == phase::over || phase_ == phase::draining || write_failed_) return;
  if (phase_ == phase::handshaking || phase_ == phase::greeting) return;
  if (out_.empty()) {
    std::lock_guard lock(mutex_);
    if (writing_at_once_) return;  // that thread posts the next flush
    flush_posted_ = !pending_.empty();
    if (flush_posted_) {
      out_.take(pending_);
      if (written_at_once_ > 0) out_.skip(std::exchange(written_at_once_, 0));
    }
  }
  if (out_.empty()) {
    if (phase_ == phase::flushing) flushed();
    return;
  }
  writing_ = true;
  last_written_ = steady::now();
  transport_->write_some(out_.parts(), shared_from_this());
}

void link::on_written(error_code ec, std::size_t bytes) {
  writing_ = false;
  if (phase_ == phase::over) return;
  if (ec) {
    // The peer's last words may still be there to be read; reading then meets the end, or tick does.
    write_failed_ = true;
    last_written_ = steady::now();
    if (!reading_ || phase_ == phase::flushing) lost(phase_ == phase::flushing ? reason_ : ec.message());
    return;
  }
  last_written_ = steady::now();
  out_.wrote(bytes);
  const auto before = unsent_.fetch_sub(bytes);  // with what was sent meanwhile: its sender may have stopped for it
  flush();
  if (before > worker_->options.unsent_pause_bytes && !crowded()) drained();
}

// The peer has taken what was too much: who stopped for it goes on.
void link::drained() {
  if (setup_.throttles) read_more();
  if (phase_ == phase::open && setup_.owner.drained) setup_.owner.drained(shared_from_this());
}

// --- closing ---

void link::overflowed() {
  cut_off("more than the limit of " + std::to_string(worker_->options.unsent_bytes_max) + " bytes wait for the peer");
}

void link::close_as_asked() {
  std::string why;
  {
    std::lock_guard lock(mutex_);
    why = asked_reason_;
  }
  begin_close(why);
}

void link::begin_close(const std::string& why) {
  if (phase_ == phase::handshaking || phase_ == phase::greeting) return lost(why);
  if (phase_ != phase::open) return;
  if (write_failed_) return lost(why);
  {
    std::lock_guard lock(mutex_);
    accepts_ = false;
  }
  phase_ = phase::flushing;
  since_ = last_written_ = steady::now();
  reason_ = why;
  flush();
  read_more();  // a peer that only reads when its own bytes are taken must be able to
}

void link::flushed() {
  phase_ = phase::draining;  // until the peer has read the end: closing earlier could take back what is on its way
  since_ = steady::now();
  transport_->end_writing();
  tell_closed();
}

void link::tell_closed() {
  {
    std::lock_guard lock(mutex_);
    accepts_ = posts_ = false;
    pending_.clear();
    unsent_ = 0;
  }
  if (setup_.owner.closed) setup_.owner.closed(shared_from_this(), reason_);
}

void link::cut_off(const std::string& why) {
  if (phase_ == phase::open) complain(why);
  lost(why);
}

// What the peer still sends is thrown away: it is to read our answer when it has sent all.
void link::refuse_frame(const std::string& why) {
  if (phase_ != phase::open || !setup_.owner.last_words) return cut_off(why);
  complain(why);
  for (const auto& message : setup_.owner.last_words(refusal::frame_too_large, why)) send(message);
  begin_close(why);
}

void link::complain(const std::string& why) {
  if (!setup_.complaint_of) return;
  const std::string who = (peer_.what == identity::kind::local ? "user" : word_of(peer_.what)) + (" " + peer_.name);
  const std::string where = peer_.what == identity::kind::local ? " (pid " + std::to_string(peer_.pid) + ")" : " (" + peer_.address + ")";
  setup_.complaint_of->add(who, who + where + ": " + why, steady::now());
}

void link::lost(const std::string& why) {
  if (phase_ == phase::over) return;
  const bool was_open = phase_ == phase::open || phase_ == phase::flushing;
  const bool never_open = phase_ == phase::handshaking || phase_ == phase::greeting;
  phase_ = phase::over;
  reason_ = why;
  {
    std::lock_guard lock(mutex_);
    may_write_ = false;
    close_waits_ = writing_at_once_;  // a descriptor that is closed may be another's at once
  }
  if (!close_waits_) transport_->close();
  --worker_->connections;
  place_.reset();
  worker_->remove(shared_from_this());
  if (was_open) tell_closed();
  if (never_open) {
    {
      std::lock_guard lock(mutex_);
      accepts_ = posts_ = false;
    }
    if (setup_.complaint_of) {
      // Each reason is told: of a wrong certificate both sides' words help. A port is new each time.
      const auto at = why.find(": ");
      const bool named = at != std::string::npos && why.starts_with(setup_.complains_as);
      setup_.complaint_of->add(setup_.complains_as + (named ? why.substr(at) : ": " + why), named ? why : setup_.complains_as + ": " + why,
                               steady::now());
    } else if (setup_.owner.failed) {
      setup_.owner.failed(why);
    }
  }
}

void link::close_transport() { transport_->close(); }

void link::end_now() { lost(reason_.empty() ? std::string(own_stop) : reason_); }

// --- time ---

void link::tick(steady::time_point now) {
  const io_options& o = worker_->options;
  switch (phase_) {
    case phase::handshaking:
    case phase::greeting:
      if (passed(since_, o.handshake_ms, now)) lost("no TLS handshake within " + seconds(o.handshake_ms));
      return;
    case phase::flushing:
      if (passed(last_written_, o.close_ms, now)) lost(reason_);
      return;
    case phase::draining:
      if (passed(since_, o.close_ms, now)) end_now();
      return;
    case phase::over: return;
    case phase::open: break;
  }
  if (half_since_ && passed(*half_since_, o.frame_ms, now)) {
    cut_off("a frame was not whole within " + seconds(o.frame_ms));
  } else if (write_failed_) {
    if (passed(last_written_, o.close_ms, now)) lost("the peer takes nothing any more");
  } else if (writing_ && unsent_ > o.unread_bytes_max && passed(last_written_, o.unread_ms, now)) {
    cut_off("the peer read nothing for " + seconds(o.unread_ms));
  } else if (transport_->needs_heartbeats()) {
    check_silence(now);
  }
}

void link::check_silence(steady::time_point now) {
  const io_options& o = worker_->options;
  // While we do not read, what the peer takes is the only sign of it.
  const auto sign = reading_ ? last_read_ : std::max(last_read_, last_written_);
  if (passed(sign, o.peer_silence_ms, now)) return lost("peer silent for " + seconds(o.peer_silence_ms));
  if (writing_ || !passed(last_written_, o.heartbeat_ms, now)) return;
  if (out_.empty()) {
    out_.take_heartbeat();
    unsent_ += frame_header_bytes;
    flush();
  }
}

}  // namespace annals::wire
