#include "tools/terminal/server_line.hpp"

#include <algorithm>

namespace annals::terminal {

using std::chrono::milliseconds;

void server_line::look(moment now) {
  if (link_ || now < due_) return;
  try {
    link_.emplace(client::connect_to(address_));
    for (const auto& request : first_()) link_->send(request);
  } catch (const wire::wire_error&) {
    lost(now);
  }
}

std::vector<client::reply> server_line::take(moment now) {
  std::vector<client::reply> came;
  if (!link_) return came;
  try {
    schema::sealed_message message;
    while (link_ && link_->take(message)) {
      client::reply r(std::move(message));
      if ((*r).getId() == 0 && (*r).isRejected()) {
        refused_ = (*r).getRejected().getCode();
        lost(now);
      } else {
        refused_ = 0;
        pause_ = milliseconds(0);
        came.push_back(std::move(r));
      }
    }
  } catch (const wire::wire_error&) {
    lost(now);
  }
  return came;
}

void server_line::say(const std::vector<schema::sealed_message>& words, moment now) {
  try {
    for (const auto& w : words)
      if (link_) link_->send(w);
  } catch (const wire::wire_error&) {
    lost(now);
  }
}

void server_line::lost(moment now) {
  link_.reset();
  pause_ = std::clamp(2 * pause_, milliseconds(limits::terminal_redial_ms_min), milliseconds(limits::terminal_redial_ms_max));
  due_ = now + pause_;
}

}  // namespace annals::terminal
