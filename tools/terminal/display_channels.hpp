// The connections of X programs of an interactive job, side by side in one sequence of words between both ends of its terminal. Words count
// from the session's beginning, like the bytes of its streams, so that nothing is lost with a connection to the server. Each X connection
// has a window of its own: one that nobody reads does not stop the others. Both ends use this; the job's end opens. Pure: whoever
// has the sockets moves the bytes. docs/design/0059-interactive-jobs.md.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "events/model/run/terminal_limits.hpp"
#include "tools/terminal/words.hpp"

namespace annals::terminal {

class display_channels {
 public:
  using channel_id = std::uint32_t;

  // What the other end says. False: it broke the rules. What throws is no word.
  bool hear(schema::DisplayWord::Reader word);
  bool taken(std::uint64_t position);
  // What is to be said now.
  std::vector<schema::sealed_message> say();

  // Over a new connection: how many of the other's words we have, and that it has so many of ours. False: it can't.
  std::uint64_t position() const { return position_; }
  bool again_from(std::uint64_t position);

  // The job's end: whether one more connection may be, and that there is one.
  bool may_open() const;
  channel_id open();
  // The user's end: those that the other one opened since this was asked.
  std::vector<channel_id> opened();

  // Of the connection's socket: how much may be read from it now, what was read, what is to be written to it, and how much was.
  std::size_t room(channel_id id) const;
  void received(channel_id id, std::string_view bytes);
  std::string_view for_socket(channel_id id) const;
  void wrote(channel_id id, std::size_t bytes);
  // The other side has closed it, and its socket has all that came before.
  bool is_over(channel_id id) const;
  // The socket is closed.
  void closed(channel_id id);

 private:
  struct channel {
    std::string for_socket;
    std::size_t credit = limits::display_window_bytes;  // which the other side has room for
    std::size_t owed = 0;                               // of what was written and is not told
    bool gone = false, gone_told = false;               // its socket; the other side knows
    bool gone_there = false;                            // the other side's
  };
  struct item {
    channel_id id;
    schema::DisplayWord::Which kind;
    std::uint32_t amount = 0;
    std::string bytes;
  };

  bool obey(schema::DisplayWord::Reader word);
  bool hear_bytes(channel& c, capnp::Data::Reader bytes);
  bool has_room() const { return kept_.size() < limits::display_words; }
  void add(item i) { kept_.push_back(std::move(i)); }
  void say_what_sockets_did();
  static void fill(schema::DisplayWord::Builder w, std::uint64_t at, const item& i);

  std::map<channel_id, channel> channels_;
  channel_id last_opened_ = 0;
  std::vector<channel_id> fresh_;

  std::deque<item> kept_;    // that the other end has not taken
  std::uint64_t begin_ = 0;  // position of the first of these
  std::size_t said_ = 0;     // of these
  std::uint64_t ever_said_ = 0;
  std::uint64_t position_ = 0, told_position_ = 0;
};

}  // namespace annals::terminal
