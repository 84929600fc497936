// The sockets behind the X connections of an interactive job: at the job's end those of its programs, at the user's end those to his X
// server. One thread, which waits for other things besides (poll).
#pragma once

#include <poll.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/terminal/display_channels.hpp"
#include "tools/terminal/x_setup.hpp"

struct addrinfo;

namespace annals::terminal {

class display_sockets {
 public:
  explicit display_sockets(display_channels& channels) : channels_(channels) {}
  ~display_sockets();
  display_sockets(const display_sockets&) = delete;
  display_sockets& operator=(const display_sockets&) = delete;

  // What to wait for, behind what the caller waits for.
  void add_to(std::vector<pollfd>& waits) const;
  // Moves what can be moved, in both directions.
  void move();

 protected:
  // Of this connection nothing is looked at (the job's end), or it must show the session's cookie first.
  void add(display_channels::channel_id id, int fd, std::optional<x_setup> setup);
  display_channels& channels_;

 private:
  struct connection {
    int fd;
    std::optional<x_setup> setup;
    std::string passed;  // by the setup, and not written yet
  };
  bool read_from(display_channels::channel_id id, connection& c);
  bool write_to(display_channels::channel_id id, connection& c);

  std::map<display_channels::channel_id, connection> connections_;
};

// The job's end: the display that its programs see.
class offered_display : public display_sockets {
 public:
  using display_sockets::display_sockets;
  ~offered_display();
  // Takes the first number that nobody has; 0: none is free.
  unsigned listen();
  void add_to(std::vector<pollfd>& waits) const;
  void move();

 private:
  std::vector<int> listeners_;  // IPv4 and IPv6
};

// The user's end.
class users_display : public display_sockets {
 public:
  users_display(display_channels& channels, std::string host, unsigned number, std::string made_cookie, std::string real_cookie);
  ~users_display();
  void move();

 private:
  int connect_to_server() const;

  std::string host_, made_cookie_, real_cookie_;
  unsigned number_;
  addrinfo* addresses_ = nullptr;
};

}  // namespace annals::terminal
