#include "tools/client/task_manager.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>

#include "actors/link/wire/wire.hpp"
#include "events/model/run/task_limits.hpp"
#include "tools/client/own_job.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/same_host.hpp"

namespace annals::client {

namespace {

constexpr std::uint32_t system_error = tm_system_error, not_connected = 17002, bad_environment = 17005;

tm_failure lost() { return {not_connected, "the connection to the MoM is lost"}; }

}  // namespace

task_manager::task_manager(const std::string& path) {
  const wire::socket_address address(path);
  fd_ = wire::unique_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  while (!fd_ || ::connect(fd_.get(), address.get(), address.size()) != 0)
    if (!fd_ || errno != EINTR) throw tm_failure(system_error, wire::with_errno(path));
}

task_manager task_manager::connect() {
  std::string why;
  for (const auto& home : mom_homes()) {
    try {
      return task_manager(tm_socket(home));
    } catch (const tm_failure& f) {
      why = f.what();
    } catch (const wire::wire_error& e) {
      why = e.what();
    }
  }
  throw tm_failure(system_error, "cannot connect to the MoM: " + why);
}

task_manager task_manager::join() {
  const auto job = environment_variable("PBS_JOBID"), cookie = environment_variable("PBS_JOBCOOKIE");
  if (job.empty() || cookie.empty()) throw tm_failure(bad_environment, "not executing under PBS");
  auto m = connect();
  const auto opened = m.answer(m.ask([&](schema::TmRequest::Builder r) {
    auto o = r.initOpen();
    o.setJob(job);
    o.setCookie(cookie);
  }));
  if (!opened.get().isOpened()) throw tm_failure(system_error, "an unexpected answer of the MoM");
  for (auto host : opened.get().getOpened().getHosts()) m.hosts_.push_back(schema::str(host));
  return m;
}

std::optional<std::uint32_t> task_manager::node_of(const std::string& host) const { return host_meant(host, hosts_); }

// Takes in what comes while the MoM does not read, so that neither waits for the other.
std::uint64_t task_manager::ask(const tm_fill& fill) {
  const auto request = schema::make<schema::TmRequest>([&](schema::TmRequest::Builder r) {
    r.setQuestion(++last_question_);
    fill(r);
  });
  const auto body = request.bytes();
  if (body.size() > limits::tm_frame_bytes_max)
    throw tm_failure(system_error, "a request of " + std::to_string(body.size()) + " bytes is larger than the MoM's limit of " +
                                       std::to_string(limits::tm_frame_bytes_max) + " bytes");
  const auto header = wire::frame_header(body.size());
  std::string bytes(reinterpret_cast<const char*>(header.data()), header.size());
  bytes.append(reinterpret_cast<const char*>(body.data()), body.size());
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto n = ::send(fd_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) sent += static_cast<std::size_t>(n);
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      read_some();  // the MoM may have said why it closed
      throw lost();
    }
    pollfd p{fd_.get(), POLLIN | POLLOUT, 0};
    if (::ppoll(&p, 1, nullptr, mask_) > 0 && (p.revents & POLLIN)) read_some();
  }
  return last_question_;
}

bool task_manager::read_some() {
  const auto space = in_.space();
  const auto n = ::recv(fd_.get(), space.data(), space.size(), MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) throw lost();
  if (n < 0) return false;
  in_.filled(static_cast<std::size_t>(n));
  return take_in();
}

bool task_manager::take_in() {
  schema::sealed_message message;
  std::string why;
  for (bool any = false;;) {
    switch (in_.next(message, why)) {
      case wire::frame_buffer::found::message:
        received_.emplace_back(std::move(message));
        any = true;
        if (const auto r = received_.back().get(); r.getQuestion() == 0 && r.isFailed())  // of the connection itself
          throw tm_failure(r.getFailed().getCode(), schema::str(r.getFailed().getText()));
        break;
      case wire::frame_buffer::found::heartbeat: break;
      case wire::frame_buffer::found::nothing: return any;
      case wire::frame_buffer::found::garbage: throw tm_failure(not_connected, "the MoM sent garbage: " + why);
    }
  }
}

std::optional<tm_reply> task_manager::next(int timeout_ms) {
  const timespec limit{timeout_ms / 1000, (timeout_ms % 1000) * 1'000'000L};
  while (received_.empty()) {
    if (read_some()) break;
    pollfd p{fd_.get(), POLLIN, 0};
    const int n = ::ppoll(&p, 1, timeout_ms < 0 ? nullptr : &limit, mask_);
    if (n == 0 || (n < 0 && errno == EINTR)) return {};
    if (n < 0) throw lost();
  }
  auto reply = std::move(received_.front());
  received_.pop_front();
  return reply;
}

tm_reply task_manager::answer(std::uint64_t question) {
  std::deque<tm_reply> others;
  std::optional<tm_reply> mine;
  while (!mine) {
    auto reply = next(-1);
    if (!reply) continue;
    if (reply->get().getQuestion() == question && !reply->get().isOutput()) mine = std::move(reply);
    else others.push_back(std::move(*reply));
  }
  for (auto at = others.rbegin(); at != others.rend(); ++at) received_.push_front(std::move(*at));
  if (mine->get().isFailed()) throw tm_failure(mine->get().getFailed().getCode(), schema::str(mine->get().getFailed().getText()));
  return *mine;
}

void task_manager::print(schema::TmOutput::Reader output) {
  auto& printed = printed_[{output.getTask(), output.getErrors()}];
  const auto bytes = output.getBytes();
  const auto end = output.getOffset() + bytes.size();
  const int to = output.getErrors() ? 2 : 1;
  // A piece whose acknowledgement was late comes again. So much as a pipe takes at once is written: it waits with signals let
  // through, never in write().
  for (auto at = std::max<std::uint64_t>(printed, output.getOffset()); at < end;) {
    pollfd p{to, POLLOUT, 0};
    if (::ppoll(&p, 1, nullptr, mask_) < 0 && errno == EINTR) continue;
    const auto n = ::write(to, bytes.begin() + (at - output.getOffset()), std::min<std::uint64_t>(end - at, PIPE_BUF));
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (n < 0) break;  // nobody reads what we print: the task may write on all the same
    at += static_cast<std::uint64_t>(n);
  }
  printed = std::max<std::uint64_t>(printed, end);
  ask([&](schema::TmRequest::Builder r) {
    auto t = r.initOutputTaken();
    t.setTask(output.getTask());
    t.setErrors(output.getErrors());
    t.setUpTo(end);
  });
}

}  // namespace annals::client
