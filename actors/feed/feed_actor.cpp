#include "actors/feed/feed_actor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "actors/feed/feed_position.hpp"
#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/complaints.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/runtime/messages.hpp"
#include "events/log/record.hpp"
#include "events/schema/daemon/feed.capnp.h"

namespace annals::actors {

namespace {

using next_round_atom = caf::atom_constant<caf::atom("nextround")>;
using counts_atom = caf::atom_constant<caf::atom("counts")>;

// Records as they stand in the log.
struct piece {
  std::vector<std::vector<std::byte>> records;
  std::size_t bytes = 0;
  std::uint64_t end = 0;  // sequence of the last one
};

// Writes records that were just committed as the log has them. Empty: they do not fit into one message.
piece piece_of(const std::vector<log::record_ptr>& committed, std::size_t bytes_max) {
  piece p;
  for (const auto& record : committed) {
    p.records.push_back(log::frame(record->message(), record->previous()).bytes);
    p.bytes += p.records.back().size();
    if (p.bytes > bytes_max) return {};
  }
  p.end = committed.back()->sequence();
  return p;
}

ports::store_status read_piece(const ports::record_log& log, std::uint64_t from, std::size_t bytes_max, piece& into) {
  return log.read(from, [&](std::uint64_t sequence, ports::byte_span bytes) {
    if (!into.records.empty() && into.bytes + bytes.size() > bytes_max) return false;
    into.records.emplace_back(bytes.begin(), bytes.end());
    into.bytes += bytes.size();
    into.end = sequence;
    return into.bytes < bytes_max;
  });
}

schema::sealed_message message_of(const piece& p, std::uint64_t last) {
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(p.bytes / sizeof(capnp::word) + 3 * p.records.size() + 16));
  auto m = builder.initRoot<schema::ToFollower>().initRecords();
  m.setLast(last);
  auto list = m.initRecords(static_cast<unsigned>(p.records.size()));
  for (unsigned i = 0; i < list.size(); ++i)
    list.set(i, capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(p.records[i].data()), p.records[i].size()));
  return schema::sealed_message::from_builder(builder);
}

class feeding {
 public:
  feeding(caf::event_based_actor* self, feed_parts parts)
      : self_(self), parts_(std::move(parts)), news_(parts_.note, limits::complaint_ms) {
    tell_counts_later();
  }

  void on_frame(peer_frame& f) {
    for_peer(f.peer, [&] { hear(f.peer, f.message.root<schema::FromFollower>()); });
  }

  void on_closed(const peer_closed& c) {
    const auto at = followers_.find(c.peer->id());
    if (at == followers_.end()) return;
    const auto gone = std::move(at->second);
    followers_.erase(at);
    if (!gone.refused) note(gone, "is gone", ", behind record " + std::to_string(gone.sent), c.why);
  }

  // An acknowledgement alone is no reason to read on: else the feed would go to and fro as fast as a follower syncs, for a record or two.
  void on_committed(const records_ptr& records) {
    known_last_ = std::max(known_last_, records->back()->sequence());
    const auto before = records->front()->sequence() - 1;
    const auto is_level = [&](const auto& f) { return f.second.sent == before && may_send(f.second); };
    go_on(before, std::ranges::any_of(followers_, is_level) ? piece_of(*records, parts_.message_bytes) : piece());
  }

  // One message for each follower that has room for it, then the next round: who has much to catch up with holds up nobody. Who has been
  // sent all up to `before` is sent `news`, and for others the log is read.
  void go_on(std::uint64_t before = 0, const piece& news = {}) {
    bool more = false;
    for (auto& [id, f] : followers_) more |= f.sent == before && !news.records.empty() ? send_news(f, news) : send_next(f);
    if (more && !std::exchange(next_round_is_due_, true)) self_->send(self_, next_round_atom::value);
  }
  void on_round() {
    next_round_is_due_ = false;
    go_on();
  }
  void on_counts() {
    news_.tick(self_->clock().now());
    tell_counts_later();
  }

 private:
  struct on_its_way {
    std::uint64_t end;  // its last record
    std::size_t bytes;
  };
  struct follower {
    wire::connection_ptr peer;
    std::uint64_t sent = 0;                   // up to this record
    std::deque<on_its_way> unacknowledged{};  // messages
    std::size_t unacknowledged_bytes = 0;     // of them
    bool refused = false;
  };

  // A host that comes and goes has each piece of news in the log once a minute, with a count. News that differs only in numbers is the
  // same.
  void note(const follower& f, const std::string& what, const std::string& where, const std::string& why) {
    const auto of = "the follower on " + f.peer->peer().name + " " + what;
    const auto reason = why.empty() ? why : ": " + why;
    news_.add(of + reason.substr(0, reason.find_first_of("0123456789")), of + where + reason, self_->clock().now());
  }
  void tell_counts_later() { self_->delayed_send(self_, std::chrono::milliseconds(limits::complaint_ms), counts_atom::value); }

  void hear(const wire::connection_ptr& peer, schema::FromFollower::Reader word) {
    const auto known = followers_.find(peer->id());
    if (word.isHello() && known == followers_.end()) return begin(peer, word.getHello());
    if (word.isTaken() && known != followers_.end()) return acknowledge(known->second, word.getTaken());
    peer->close("a word that no follower says here");
  }

  void begin(const wire::connection_ptr& peer, schema::FollowerHello::Reader hello) {
    end_others_of(peer->peer().name);
    const std::size_t fed = static_cast<std::size_t>(std::ranges::count_if(followers_, [](const auto& f) { return !f.second.refused; }));
    auto& f = followers_[peer->id()];
    f.peer = peer;
    f.sent = hello.getSequence();
    if (schema::text(hello.getProtocol()) != feed_protocol)
      return refuse(f, "what has its certificate does not say \"" + std::string(feed_protocol) + "\", and is no pbs_follow of this release",
                    false);
    if (fed >= parts_.followers_max)
      return refuse(f, "there are " + std::to_string(parts_.followers_max) + " followers, and no server feeds more", false);
    if (const auto why = why_log_does_not_continue(*parts_.log, parts_.identity, hello); !why.empty()) return refuse(f, why, true);
    note(f, "reads the log", " behind record " + std::to_string(f.sent), {});
    send(f, {});
    known_last_ = std::max(known_last_, parts_.log->last_sequence());
    go_on();
  }

  // A host follows once: what comes now is its follower, and the old connection is only not known to be dead yet.
  void end_others_of(const std::string& host) {
    for (auto& [id, f] : followers_)
      if (!f.refused && f.peer->peer().name == host) refuse(f, "another one has come from its host", false);
  }

  void acknowledge(follower& f, std::uint64_t sequence) {
    if (f.refused) return;
    if (sequence > f.sent) return refuse(f, "it says that it has record " + std::to_string(sequence) + ", which it was not sent", false);
    while (!f.unacknowledged.empty() && f.unacknowledged.front().end <= sequence) {
      f.unacknowledged_bytes -= f.unacknowledged.front().bytes;
      f.unacknowledged.pop_front();
    }
    go_on();
  }

  // True: there is more for it, and room.
  bool send_next(follower& f) {
    if (!may_send(f)) return false;
    piece next;
    const auto read = read_piece(*parts_.log, f.sent + 1, parts_.message_bytes, next);
    if (!read) return refuse(f, "the log can't be read: " + read.text, false), false;
    return !next.records.empty() && send_news(f, next);
  }

  bool send_news(follower& f, const piece& p) {
    if (may_send(f)) send(f, p);
    return may_send(f);
  }

  // There is more for it, and room.
  bool may_send(const follower& f) const {
    return !f.refused && f.sent < known_last_ && f.unacknowledged_bytes < parts_.unacknowledged_bytes;
  }

  void send(follower& f, const piece& p) {
    f.peer->send(message_of(p, parts_.log->last_sequence()));
    if (p.records.empty()) return;
    f.sent = p.end;
    f.unacknowledged.push_back({p.end, p.bytes});
    f.unacknowledged_bytes += p.bytes;
  }

  void refuse(follower& f, const std::string& why, bool for_good) {
    f.refused = true;
    note(f, "is refused", {}, why);
    f.peer->send(schema::make<schema::ToFollower>([&](schema::ToFollower::Builder m) {
      auto refused = m.initRefused();
      refused.setText(why);
      refused.setForGood(for_good);
    }));
    f.peer->close(why);
  }

  caf::event_based_actor* self_;
  const feed_parts parts_;
  wire::complaints news_;
  std::map<std::uint64_t, follower> followers_;  // by connection
  std::uint64_t known_last_ = 0;                 // what it was told of, and what the log had when a follower came
  bool next_round_is_due_ = false;
};

}  // namespace

caf::behavior feed_actor(caf::event_based_actor* self, feed_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("the feed of the log failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  const auto f = std::make_shared<feeding>(self, std::move(parts));
  return {
      [f](peer_frame& frame) { f->on_frame(frame); },
      [f](const peer_closed& closed) { f->on_closed(closed); },
      [f](const committed& c) { f->on_committed(c.records); },
      [f](next_round_atom) { f->on_round(); },
      [f](counts_atom) { f->on_counts(); },
      [](const disk_state&) {},
  };
}

}  // namespace annals::actors
