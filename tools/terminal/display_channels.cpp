#include "tools/terminal/display_channels.hpp"

#include <algorithm>
#include <utility>

namespace annals::terminal {

// -- what the other end says --------------------------------------------------------------------------------------------------------

bool display_channels::hear(schema::DisplayWord::Reader word) {
  if (word.getAt() > position_) return false;
  if (word.getAt() < position_) return true;  // it has come before
  ++position_;
  return obey(word);
}

bool display_channels::obey(schema::DisplayWord::Reader word) {
  const auto id = word.getChannel();
  if (word.isOpened()) {
    if (id <= last_opened_ || channels_.size() >= limits::display_connections) return false;
    last_opened_ = id;
    channels_[id];
    fresh_.push_back(id);
    return true;
  }
  const auto at = channels_.find(id);
  if (at == channels_.end() || at->second.gone_there) return false;
  auto& c = at->second;
  switch (word.which()) {
    case schema::DisplayWord::BYTES: return hear_bytes(c, word.getBytes());
    case schema::DisplayWord::TAKEN:
      c.credit += word.getTaken();
      return c.credit <= limits::display_window_bytes;
    case schema::DisplayWord::CLOSED:
      c.gone_there = true;
      if (c.gone_told) channels_.erase(at);
      return true;
    case schema::DisplayWord::OPENED: break;
  }
  return false;
}

bool display_channels::hear_bytes(channel& c, capnp::Data::Reader bytes) {
  if (c.gone) return true;  // nobody wants them
  if (c.for_socket.size() + c.owed + bytes.size() > limits::display_window_bytes) return false;
  c.for_socket += bytes_of(bytes);
  return true;
}

// -- what is said --------------------------------------------------------------------------------------------------------------------

bool display_channels::taken(std::uint64_t position) {
  if (position > ever_said_) return false;
  while (begin_ < position) {
    kept_.pop_front();
    said_ -= std::min<std::size_t>(said_, 1);  // it may be of what was said over an earlier connection
    ++begin_;
  }
  return true;
}

bool display_channels::again_from(std::uint64_t position) {
  if (position < begin_ || !taken(position)) return false;
  said_ = 0;
  told_position_ = position_;  // the first word over the new connection says it
  return true;
}

// What waits for room in the sequence: that bytes were written, and that sockets are closed.
void display_channels::say_what_sockets_did() {
  for (auto at = channels_.begin(); at != channels_.end() && has_room();) {
    auto& [id, c] = *at;
    if (c.owed > 0 && !c.gone_there) add({id, schema::DisplayWord::TAKEN, static_cast<std::uint32_t>(std::exchange(c.owed, 0)), {}});
    if (has_room() && c.gone && !std::exchange(c.gone_told, true)) add({id, schema::DisplayWord::CLOSED, 0, {}});
    if (c.gone_told && c.gone_there) at = channels_.erase(at);
    else ++at;
  }
}

std::vector<schema::sealed_message> display_channels::say() {
  say_what_sockets_did();
  std::vector<schema::sealed_message> words;
  if (position_ > told_position_) {
    told_position_ = position_;
    words.push_back(word([&](auto w) { w.setDisplayTaken(position_); }));
  }
  for (; said_ < kept_.size(); ++said_)
    words.push_back(word([&](auto w) { fill(w.initDisplay(), begin_ + said_, kept_[said_]); }));
  ever_said_ = std::max(ever_said_, begin_ + said_);
  return words;
}

void display_channels::fill(schema::DisplayWord::Builder w, std::uint64_t at, const item& i) {
  w.setAt(at);
  w.setChannel(i.id);
  switch (i.kind) {
    case schema::DisplayWord::OPENED: return w.setOpened();
    case schema::DisplayWord::BYTES: return w.setBytes(data_of(i.bytes));
    case schema::DisplayWord::TAKEN: return w.setTaken(i.amount);
    case schema::DisplayWord::CLOSED: return w.setClosed();
  }
}

// -- connections and their sockets -----------------------------------------------------------------------------------------------------

bool display_channels::may_open() const { return channels_.size() < limits::display_connections && has_room(); }

display_channels::channel_id display_channels::open() {
  const auto id = ++last_opened_;
  channels_[id];
  add({id, schema::DisplayWord::OPENED, 0, {}});
  return id;
}

std::vector<display_channels::channel_id> display_channels::opened() { return std::exchange(fresh_, {}); }

std::size_t display_channels::room(channel_id id) const {
  const auto at = channels_.find(id);
  if (at == channels_.end() || at->second.gone || !has_room()) return 0;
  return std::min(limits::display_piece_bytes, at->second.credit);
}

void display_channels::received(channel_id id, std::string_view bytes) {
  auto& c = channels_.at(id);
  c.credit -= bytes.size();
  if (!c.gone_there && !bytes.empty()) add({id, schema::DisplayWord::BYTES, 0, std::string(bytes)});
}

std::string_view display_channels::for_socket(channel_id id) const {
  const auto at = channels_.find(id);
  return at == channels_.end() ? std::string_view() : std::string_view(at->second.for_socket);
}

void display_channels::wrote(channel_id id, std::size_t bytes) {
  auto& c = channels_.at(id);
  c.for_socket.erase(0, bytes);
  c.owed += bytes;
}

bool display_channels::is_over(channel_id id) const {
  const auto at = channels_.find(id);
  return at == channels_.end() || (at->second.gone_there && at->second.for_socket.empty());
}

void display_channels::closed(channel_id id) {
  const auto at = channels_.find(id);
  if (at == channels_.end()) return;
  at->second.gone = true;
  at->second.for_socket.clear();
}

}  // namespace annals::terminal
