#include "actors/follow/follow_actor.hpp"

#include <chrono>
#include <exception>
#include <utility>
#include <variant>
#include <vector>

#include "actors/feed/feed_limits.hpp"
#include "actors/feed/feed_position.hpp"
#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/complaints.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/runtime/messages.hpp"
#include "events/model/limits.hpp"
#include "events/schema/daemon/feed.capnp.h"

namespace annals::actors {

namespace {

using write_atom = caf::atom_constant<caf::atom("write")>;
using counts_atom = caf::atom_constant<caf::atom("counts")>;

capnp::Data::Reader data_of(const void* bytes, std::size_t size) { return {static_cast<const capnp::byte*>(bytes), size}; }

class following {
 public:
  following(caf::event_based_actor* self, follow_parts parts) : self_(self), parts_(std::move(parts)) {
    parts_.standing->has(parts_.copy->last_sequence(), now());
    tell_counts_later();
    if (parts_.dial) dialer_ = parts_.dial(caf::actor(self_));
  }

  // What came over the last connection counts.
  void on_opened(const peer_opened& o) {
    write();
    if (ended_) return o.peer->close("it follows no more");
    peer_ = o.peer;
    refused_.clear();
    unsaid_bytes_ = 0;
    const auto& copy = *parts_.copy;
    peer_->send(schema::make<schema::FromFollower>([&](schema::FromFollower::Builder m) {
      auto hello = m.initHello();
      hello.setProtocol(feed_protocol);
      hello.setLogUuid(data_of(copy.identity().data(), copy.identity().size()));
      hello.setSequence(copy.last_sequence());
      if (copy.last_sequence() > 0) hello.setHead(data_of(copy.head().data(), copy.head().size()));
    }));
  }

  void on_frame(peer_frame& f) {
    if (ended_ || f.peer != peer_) return;
    for_peer(f.peer, [&] { hear(f.message.root<schema::ToFollower>()); });
  }

  void on_closed(const peer_closed& c) {
    if (c.peer != peer_) return;
    peer_.reset();
    write();
    lose(refused_.empty() ? c.why : refused_);
  }
  void on_unreachable(const feed_unreachable& u) { lose(u.why); }

  void on_write() {
    write_is_due_ = false;
    write();
  }
  void on_counts() {
    begins_.tick(self_->clock().now());
    losses_.tick(self_->clock().now());
    tell_counts_later();
  }

 private:
  void tell_counts_later() { self_->delayed_send(self_, std::chrono::milliseconds(limits::complaint_ms), counts_atom::value); }
  static follow_standing::time_point now() { return std::chrono::steady_clock::now(); }

  void hear(schema::ToFollower::Reader word) {
    if (word.isRefused()) return refused(word.getRefused());
    if (std::exchange(lost_, false))
      begins_.add({}, "follows the log of server " + parts_.server + " behind record " + std::to_string(parts_.copy->last_sequence()),
                  self_->clock().now());
    const auto records = word.getRecords();
    parts_.standing->told(records.getLast(), now());
    for (const auto bytes : records.getRecords()) {
      const auto taken = parts_.copy->take(schema::bytes_of(bytes));
      if (const auto* bad = std::get_if<log::damage>(&taken))
        return end("what server " + parts_.server + " sent can't be believed: " + bad->text);
    }
    if (parts_.copy->taken_bytes() >= limits::batch_bytes_max) write();
    if (!std::exchange(write_is_due_, true)) self_->send(self_, write_atom::value);  // behind what else has come
  }

  void refused(schema::FeedRefused::Reader why) {
    refused_ = "server " + parts_.server + " refuses: " + schema::str(why.getText());
    if (why.getForGood()) end(refused_ + "; to follow it from the beginning, end pbs_follow, remove its log and start it again");
  }

  // Writes and syncs what was taken, hands it on, and tells the server. What a full disk has no room for is forgotten, and what already
  // came behind it is not heard: all of it comes again over the next connection.
  void write() {
    auto records = std::make_shared<std::vector<log::record_ptr>>();
    unsaid_bytes_ += parts_.copy->taken_bytes();
    const auto status = parts_.copy->commit(*records);
    if (!records->empty()) {
      disk_was_full_ = false;
      hand_on(records);
      acknowledge(parts_.copy->last_sequence());
    }
    if (status) return;
    if (status.error != ports::store_error::disk_full) return parts_.stop_process(status.text);
    if (!std::exchange(disk_was_full_, true)) parts_.note(true, status.text);
    refused_ = status.text;
    if (const auto peer = std::exchange(peer_, nullptr)) {
      peer->close("the disk of the follower is full");
      lose(refused_);
    }
  }

  void hand_on(const records_ptr& records) {
    const auto last = records->back()->sequence();
    (void)parts_.inbox->put(records, true);
    self_->send(parts_.queries, commits_wait{});
    self_->send(parts_.door, committed{records});
    parts_.standing->has(last, now());
  }

  void acknowledge(std::uint64_t last) {
    const auto time = self_->clock().now();
    const bool is_due =
        unsaid_bytes_ >= limits::feed_acknowledged_bytes || time - said_at_ >= std::chrono::milliseconds(limits::feed_acknowledged_ms);
    if (!peer_ || !is_due) return;
    peer_->send(schema::make<schema::FromFollower>([&](schema::FromFollower::Builder m) { m.setTaken(last); }));
    said_at_ = time;
    unsaid_bytes_ = 0;
  }

  void lose(const std::string& why) {
    if (ended_) return;
    parts_.standing->lost(why, now());
    lost_ = true;
    losses_.add(why, "server " + parts_.server + " is not there: " + why, self_->clock().now());
  }

  // What was taken before is sound.
  void end(const std::string& why) {
    write();
    ended_ = true;
    parts_.standing->ended(why);
    parts_.note(true, "follows no more: " + why);
    dialer_.reset();
    if (const auto peer = std::exchange(peer_, nullptr)) peer->close(why);
  }

  caf::event_based_actor* self_;
  const follow_parts parts_;
  std::unique_ptr<wire::io_pool::dialer> dialer_;
  wire::connection_ptr peer_;               // the server; null: it is not there
  std::size_t unsaid_bytes_ = 0;            // written since the server was last told what is on the disk
  caf::actor_clock::time_point said_at_{};  // when it was told so
  bool lost_ = true, ended_ = false, write_is_due_ = false, disk_was_full_ = false;
  std::string refused_;  // by the server, or by the disk, over this connection
  // The log has each of these once a minute, with a count, however often the connection comes and goes.
  wire::complaints begins_{[this](const std::string& text) { parts_.note(false, text); }, limits::complaint_ms};
  wire::complaints losses_{[this](const std::string& text) { parts_.note(true, text); }, limits::complaint_ms};
};

}  // namespace

caf::behavior follow_actor(caf::event_based_actor* self, follow_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("what follows the log failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  const auto f = std::make_shared<following>(self, std::move(parts));
  return {
      [f](const peer_opened& o) { f->on_opened(o); },
      [f](peer_frame& frame) { f->on_frame(frame); },
      [f](const peer_closed& c) { f->on_closed(c); },
      [f](const feed_unreachable& u) { f->on_unreachable(u); },
      [f](write_atom) { f->on_write(); },
      [f](counts_atom) { f->on_counts(); },
  };
}

}  // namespace annals::actors
