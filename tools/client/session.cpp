#include "tools/client/session.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <thread>

#include "tools/client/job_ids.hpp"

namespace annals::client {

namespace {

using clock = std::chrono::steady_clock;

std::array<std::uint8_t, 16> fresh_command_id() {
  std::array<std::uint8_t, 16> id;
  std::size_t have = 0;
  while (have < id.size()) {
    const ssize_t n = getrandom(id.data() + have, id.size() - have, 0);
    if (n > 0)
      have += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return id;
}

std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool changes_state(schema::Request::Which what) {
  using which = schema::Request::Which;
  switch (what) {
    case which::STAT:
    case which::SELECT_JOBS:
    case which::WAIT_JOB:
    case which::HELLO:
      return false;
    default:
      return true;
  }
}

// What PBS says about a server that can't be reached; a socket that may not be opened is told apart from one without
// server.
std::string first_line_of(const wire::wire_error& e) {
  return std::string_view(e.what()).find("ermission denied") != std::string_view::npos ? "Permission denied"
                                                                                       : "Connection refused";
}

bool is_last(schema::Reply::Reader r) { return !r.isObjects() || r.getObjects().getLast(); }

}  // namespace

std::string short_server_name(std::string_view name) { return std::string(name.substr(0, name.find_first_of(".:"))); }

std::string this_host() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "localhost";
  return short_server_name(name);
}

int print_session_error(std::string_view command, const session_error& error) {
  const std::string name = error.server.empty() ? server_name() : error.server;
  std::fprintf(stderr, "%s\n%s: cannot connect to server %s (errno=%u)\n", error.what(), std::string(command).c_str(),
               name.c_str(), error.code);
  return exit_status(error.code);
}

session::session(server_address address, std::chrono::milliseconds patience)
    : address_(std::move(address)), patience_(patience) {}

session session::open_at(server_address address, std::chrono::milliseconds patience) {
  session s(std::move(address), patience);
  try {
    s.link_.emplace(wire::blocking_client::connect_unix(s.address_.socket));
  } catch (const wire::wire_error& e) {
    throw session_error(pbs_error::system_error, first_line_of(e), s.address_.name);
  }
  return s;
}

std::uint64_t session::send(const request_fill& fill) {
  const std::uint64_t id = ++last_id_;
  auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(id);
    r.setSentAtNs(wall_ns());
    fill(r);
    if (changes_state(r.which())) {
      const auto command_id = fresh_command_id();
      r.setCommandId(capnp::Data::Reader(command_id.data(), command_id.size()));
    }
  });
  waiting_.emplace(id, waiting{request, false});
  try {
    link_->send(request);
  } catch (const wire::wire_error& e) {
    reconnect_and_resend(e.what());
  }
  return id;
}

reply session::receive() {
  while (true) {
    try {
      reply r(link_->receive());
      const auto at = waiting_.find((*r).getId());
      if (at == waiting_.end()) continue;  // the answer to a request that was sent twice
      if (is_last(*r))
        waiting_.erase(at);
      else
        at->second.partly_answered = true;
      return r;
    } catch (const wire::wire_error& e) {
      reconnect_and_resend(e.what());
    }
  }
}

reply session::call(const request_fill& fill) {
  const std::uint64_t id = send(fill);
  while (true) {
    reply r = receive();
    if ((*r).getId() == id && is_last(*r)) return r;
  }
}

void session::query(const request_fill& fill, const std::function<void(schema::Reply::Reader)>& piece) {
  const std::uint64_t id = send(fill);
  while (true) {
    const reply r = receive();
    if ((*r).getId() != id) continue;
    piece(*r);
    if (is_last(*r)) return;
  }
}

// An answer of which a part is already printed can't be asked for again.
void session::reconnect_and_resend(const std::string& why) {
  const auto lost = [&](const std::string& line) {
    return session_error(pbs_error::system_error, line, address_.name);
  };
  for (const auto& [id, w] : waiting_)
    if (w.partly_answered) throw lost(why);
  const auto deadline = clock::now() + patience_;
  for (auto pause = std::chrono::milliseconds(10);; pause = std::min(2 * pause, std::chrono::milliseconds(200))) {
    try {
      link_.reset();
      link_.emplace(wire::blocking_client::connect_unix(address_.socket));
      ++reconnections_;
      for (const auto& [id, w] : waiting_) link_->send(w.request);
      return;
    } catch (const wire::wire_error& e) {
      if (clock::now() + pause > deadline) throw lost(first_line_of(e));
      std::this_thread::sleep_for(pause);
    }
  }
}

}  // namespace annals::client
