#include "tools/client/session.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <system_error>
#include <thread>

#include "tools/client/job_ids.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"

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

constexpr std::chrono::milliseconds first_crowd_pause{20}, last_crowd_pause{320};
constexpr std::chrono::milliseconds pause_after_break{50};  // of a connection that was made anew a moment ago

// Between half and one and a half of it: those who were turned away together must not come back together.
std::chrono::milliseconds scattered(std::chrono::milliseconds pause) {
  thread_local std::minstd_rand chance = [] {
    const auto id = fresh_command_id();
    std::uint32_t seed = 0;
    std::memcpy(&seed, id.data(), sizeof seed);
    return std::minstd_rand(seed);
  }();
  return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(pause.count() / 2, pause.count() * 3 / 2)(chance));
}

bool is_last(schema::Reply::Reader r) { return r.isObjects() ? r.getObjects().getLast() : !r.getMore(); }

}  // namespace

std::string short_server_name(std::string_view name) { return std::string(name.substr(0, name.find_first_of(".:"))); }

std::string this_host() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "localhost";
  return short_server_name(name);
}

int print_session_error(std::string_view command, const session_error& error) {
  const std::string name = error.server.empty() ? server_name() : error.server;
  print_error("%s\n%s: cannot connect to server %s (errno=%u)\n", error.what(), std::string(command).c_str(),
              name.c_str(), error.code);
  return exit_status(error.code);
}

wire::blocking_client connect_to(const server_address& address) {
  if (!address.through) return wire::blocking_client::connect_unix(address.socket);
  std::string why;
  for (const auto& home : mom_homes()) {
    try {
      auto link = wire::blocking_client::connect_unix(command_socket(home));
      link.send(schema::make<schema::CommandOfJob>([&](schema::CommandOfJob::Builder c) {
        c.setJob(address.through->id);
        c.setCookie(address.through->cookie);
      }));
      return link;
    } catch (const wire::wire_error& e) {
      why = e.what();
    }
  }
  throw wire::wire_error(why);
}

session::session(server_address address, std::chrono::milliseconds patience)
    : address_(std::move(address)), patience_(patience) {}

session session::open_at(server_address address, std::chrono::milliseconds patience) {
  session s(std::move(address), patience);
  s.connect();
  return s;
}

// What PBS says about a server that can't be reached; a socket that may not be opened is told apart from one without
// server.
std::string session::first_line_of(const wire::wire_error& e) const {
  if (address_.through) return "This host's MoM can't be asked: " + std::string(e.what());
  if (address_.by_follower)
    return "This host's pbs_follow can't be asked: " + std::string(e.what()) + " (PBS_READ_FROM=server asks the server)";
  if (address_.by_comm) return "This host's pbs_comm can't be asked: " + std::string(e.what());
  const std::string_view what = e.what();
  if (what.find("ermission denied") != std::string_view::npos) return "Permission denied";
  const auto host = this_host(), server = short_server_name(address_.name);
  // The server makes its socket anew at each start; the directory is there as long as the home is.
  const auto directory = address_.socket.substr(0, address_.socket.rfind('/') + 1);
  const bool is_elsewhere = server != host && server != "localhost" && ::access(directory.c_str(), F_OK) != 0;
  if (is_elsewhere)
    return host + " is no login host of server " + server + ": `pbs_enroll --login " + host + "` on " + server +
           " begins that (pbs_enroll(8))";
  return "Connection refused";
}

void session::connect() {
  try {
    link_.emplace(connect_to(address_));
  } catch (const wire::wire_error& e) {
    throw session_error(pbs_error::system_error, first_line_of(e), address_.name);
  }
}

session::command_name session::new_command() { return {fresh_command_id(), wall_ns()}; }

std::uint64_t session::send(const request_fill& fill) { return send(new_command(), fill); }

std::uint64_t session::send(const command_name& command, const request_fill& fill) {
  const std::uint64_t id = ++last_id_;
  bool of_a_wait = false;
  auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(id);
    r.setSentAtNs(command.asked_at_ns);
    fill(r);
    of_a_wait = r.which() == schema::Request::WAIT_JOB;
    if (changes_state(r.which())) r.setCommandId(capnp::Data::Reader(command.id.data(), command.id.size()));
  });
  if (const auto size = request.bytes().size(); size > limits::client_frame_bytes_max)
    throw request_too_large("a request of " + std::to_string(size) + " bytes is larger than the server's limit of " +
                            std::to_string(limits::client_frame_bytes_max) + " bytes");
  if (!link_) {
    connect();
    if (last_id_ > 1) ++reconnections_;
  }
  waiting_.emplace(id, waiting{request, of_a_wait});
  try {
    link_->send(request);
  } catch (const wire::wire_error& e) {
    reconnect_and_resend(e.what());
  }
  return id;
}

reply session::receive() {
  while (true) {
    if (!link_) throw given_up(pbs_error::system_error, "Connection refused");
    try {
      reply r(link_->receive());
      if ((*r).getId() == 0 && (*r).isRejected()) {
        turned_away(*r);
        continue;
      }
      answered_ = true;
      broken_since_.reset();
      crowded_until_.reset();
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

reply session::call(const request_fill& fill) { return answer_to(send(fill)); }
reply session::call(const command_name& command, const request_fill& fill) { return answer_to(send(command, fill)); }

reply session::answer_to(std::uint64_t id) {
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

void session::connect_and_resend() {
  link_.reset();
  link_.emplace(connect_to(address_));
  ++reconnections_;
  connected_at_ = clock::now();
  for (const auto& [id, w] : waiting_) link_->send(w.request);
}

// What its caller was told has failed must not be done after all.
session_error session::given_up(std::uint32_t code, const std::string& line) {
  waiting_.clear();
  link_.reset();
  broken_since_.reset();
  crowded_until_.reset();
  return session_error(code, line, address_.name);
}

// An answer of which a part is already printed can't be asked for again. Nor is an answer at which the server breaks every connection asked
// for without end.
void session::reconnect_and_resend(const std::string& why) {
  const auto lost = [&](const std::string& line) { return given_up(pbs_error::system_error, line); };
  for (const auto& [id, w] : waiting_)
    if (w.partly_answered) throw lost(why);
  const auto now = clock::now();
  if (!broken_since_ || now - connected_at_ > patience_) broken_since_ = now;
  else std::this_thread::sleep_for(pause_after_break);
  const auto deadline = now + patience_;
  const bool awaits_answer = std::ranges::any_of(waiting_, [](const auto& w) { return !w.second.of_a_wait; });
  if (awaits_answer && now > *broken_since_ + patience_) throw lost(why);
  for (auto pause = std::chrono::milliseconds(10);; pause = std::min(2 * pause, std::chrono::milliseconds(200))) {
    try {
      return connect_and_resend();
    } catch (const wire::wire_error& e) {
      if (clock::now() + pause > deadline) throw lost(first_line_of(e));
      std::this_thread::sleep_for(pause);
    }
  }
}

// The server's word about the connection, which it closes; or the MoM's. Room there may be in a moment, and a server that we have lost may
// be back. Anything else is final.
void session::turned_away(schema::Reply::Reader why) {
  const auto code = why.getRejected().getCode();
  const auto text = schema::str(why.getRejected().getText());
  const bool was_there = answered_ || reconnections_ > 0;
  if (code != pbs_error::no_connections && !(code == pbs_error::system_error && was_there)) throw given_up(code, text);
  const auto now = clock::now();
  if (!crowded_until_) {
    crowded_until_ = now + (was_there ? patience_ : std::min<std::chrono::milliseconds>(patience_, crowd_patience));
    crowd_pause_ = first_crowd_pause;
  }
  const auto pause = scattered(crowd_pause_);
  crowd_pause_ = std::min(2 * crowd_pause_, last_crowd_pause);
  if (now + pause > *crowded_until_) throw given_up(code, text);
  std::this_thread::sleep_for(pause);
  try {
    connect_and_resend();
  } catch (const wire::wire_error& e) {
    reconnect_and_resend(e.what());
  }
}

}  // namespace annals::client
