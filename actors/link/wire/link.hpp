// One connection's life: handshake, greeting, frames both ways, heartbeats, back-pressure, close. The transport below it
// moves bytes; this file's rules decide what they mean and when the connection is over (docs/design/0003-links.md).
//
// send, close, pause_reading, resume_reading, unsent_bytes and counts_for may be called by any thread; everything else runs on the
// worker's thread.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "actors/link/wire/complaints.hpp"
#include "actors/link/wire/frames.hpp"
#include "actors/link/wire/outgoing.hpp"
#include "actors/link/wire/own_stop.hpp"
#include "actors/link/wire/transport.hpp"
#include "actors/link/wire/worker.hpp"

namespace annals::wire {

// What a link needs to know of the side it is on.
struct link_setup {
  handler owner;
  std::size_t frame_bytes_max;
  // A dialer's link is open when the listener has greeted it: until then the listener may still refuse our certificate.
  bool waits_for_greeting = false;
  // Reading stops while the peer leaves our answers unread. Only where connections are accepted: were it on both sides,
  // each could wait for the other.
  bool throttles = true;
  // Empty, or why this peer is not wanted.
  std::function<std::string(const identity&)> check;
  // Of a listener: the connection's place (room.hpp), kept while its descriptor is open, or until the peer has shown who it is.
  std::shared_ptr<void> place;
  bool place_until_open = false;
  // Of a listener: where requests count that its owner takes in hand.
  std::shared_ptr<requests_in_hand> in_hand;
  // Of a listener: who is told of peers that break the rules, and what they are called before they are known.
  std::shared_ptr<complaints> complaint_of;
  std::string complains_as;
};

class link final : public connection, public resident, public std::enable_shared_from_this<link> {
 public:
  link(std::shared_ptr<worker> w, std::unique_ptr<transport> t, link_setup setup);

  std::uint64_t id() const override { return id_; }
  const identity& peer() const override { return peer_; }
  void send(const schema::sealed_message& message) override;
  void close(const std::string& why) override;
  bool is_open() const override;
  std::size_t unsent_bytes() const override { return unsent_; }
  void pause_reading() override { paused_ = true; }
  void resume_reading() override;
  std::shared_ptr<void> take_in_hand(std::size_t bytes) override { return in_hand_ ? in_hand_->take(bytes) : nullptr; }
  void counts_for(const std::string& user) override;

  void start();
  void on_handshake(const std::string& failure);
  // Where the peer's next bytes go, valid until on_read. A transport that waits for a first byte says so: most connections
  // wait most of the time, and need no memory for it.
  std::span<std::byte> space() { return in_.space(); }
  void waits() { in_.rest(); }
  void on_read(error_code ec, std::size_t bytes);
  void on_written(error_code ec, std::size_t bytes);

  void tick(steady::time_point now) override;
  void begin_end() override { begin_close(std::string(own_stop)); }
  void end_now() override;

 private:
  // handshaking -> (greeting) -> open -> flushing -> draining -> over; from anywhere to over.
  enum class phase { handshaking,
                     greeting,
                     open,
                     flushing,
                     draining,
                     over };

  void post(void (link::*what)());  // with mutex_ held
  void write_at_once(const schema::sealed_message& message, std::unique_lock<std::mutex>& lock);
  void close_transport();
  void read_on();  // any thread: one reason less not to read
  void opened();
  void read_more();
  void watch_half_frame();
  bool deliver();  // false: nothing more may be read now
  void received(schema::sealed_message message, bool is_alone);
  void flush();
  void begin_close(const std::string& why);
  void close_as_asked();
  void overflowed();
  void flushed();
  void tell_closed();
  void lost(const std::string& why);          // at once, whatever was not sent
  void cut_off(const std::string& why);       // the same, and the log is told: the peer broke the rules
  void refuse_frame(const std::string& why);  // the peer is told too
  void complain(const std::string& why);
  bool crowded() const { return unsent_ > worker_->options.unsent_pause_bytes; }
  bool throttled() const { return setup_.throttles && crowded(); }
  bool has_enough_in_hand() { return in_hand_ && !in_hand_->may_take(); }
  void drained();
  void check_silence(steady::time_point now);

  const std::uint64_t id_;
  const std::shared_ptr<worker> worker_;
  const std::unique_ptr<transport> transport_;
  std::shared_ptr<void> place_;
  const link_setup setup_;
  identity peer_;
  std::shared_ptr<requests_in_hand::line> in_hand_;  // from opened() on; null: its owner answers nothing

  phase phase_ = phase::handshaking;
  std::string reason_;  // why it closes
  frame_buffer in_;
  outgoing out_;
  std::atomic<std::uint64_t> frames_{0};          // taken out of in_
  std::optional<steady::time_point> half_since_;  // a part of a frame has come, and the rest is waited for
  std::uint64_t half_of_ = 0;                     // frames_ then
  bool reading_ = false, writing_ = false, write_failed_ = false;
  steady::time_point since_;  // of the phase
  steady::time_point last_read_, last_written_;

  std::atomic<std::size_t> unsent_{0};
  std::atomic<bool> paused_{false};

  mutable std::mutex mutex_;  // over what other threads hand in:
  std::vector<schema::sealed_message> pending_;
  bool flush_posted_ = false;        // or a write is under way: no need to wake the worker
  std::uint64_t answers_ = 0;        // messages sent
  std::size_t written_at_once_ = 0;  // of the first of pending_, with its header
  bool writing_at_once_ = false;     // a thread that sends, without the lock
  bool close_waits_ = false;         // for it
  bool may_write_ = false;           // other threads: the socket is open
  bool accepts_ = true;              // send takes messages
  bool posts_ = true;                // the worker may still be woken
  std::string asked_reason_;         // of close()
};

}  // namespace annals::wire
