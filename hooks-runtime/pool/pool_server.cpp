// The pool's thread: waiting, reading, deadlines. What runs where is decided in pool_dispatch.cpp, what stays in
// pool_keeping.cpp.
#include "hooks-runtime/pool/pool_server.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "hooks-runtime/protocol/reply_check.hpp"

namespace annals::hooks {

namespace {
constexpr std::chrono::milliseconds guard_patience{worker_process::guard_patience_ms};
constexpr const char* bad_reply = "the hook's process sent what is no reply";

// What epoll tells us of: a worker's number and which of its two ends, or the call to wake up.
constexpr std::uint64_t woken = 0;
std::uint64_t socket_of(std::uint64_t id) { return id << 1; }
std::uint64_t process_of(std::uint64_t id) { return id << 1 | 1; }

// 0, or why not.
int set_watch(int epoll, int what, int fd, std::uint32_t events, std::uint64_t tells) {
  epoll_event e{events, {}};
  e.data.u64 = tells;
  return ::epoll_ctl(epoll, what, fd, &e) == 0 ? 0 : errno;
}
}  // namespace

pool_server::pool_server(pool_settings settings)
    : settings_(std::move(settings)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (const int error = set_watch(epoll_, EPOLL_CTL_ADD, wake_, EPOLLIN, woken); error != 0)
    throw std::system_error(error, std::generic_category(), "pool of hook workers");
  if (settings_.workers_max == 0) settings_.workers_max = limits::hook_workers_max;
  if (settings_.at_once_max == 0) settings_.at_once_max = limits::hook_runs_at_once_max;
  if (settings_.runs_max == 0) settings_.runs_max = limits::hook_worker_runs_max;
}

pool_server::~pool_server() {
  {
    const std::lock_guard lock(guard_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  ::close(wake_);
  ::close(epoll_);
}

void pool_server::post(std::function<void()> work) {
  bool first = false;
  {
    const std::lock_guard lock(guard_);
    first = posted_.empty();
    posted_.push_back(std::move(work));
    // A daemon without hooks has no thread for them.
    if (!thread_.joinable() && !stopping_) thread_ = std::thread([this] { loop(); });
  }
  if (first) wake();
}

void pool_server::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto woken = ::write(wake_, &one, sizeof one);
}

pool_figures pool_server::figures() const {
  return {runs_, started_, alarms_, deaths_, bad_replies_, worker_count_, waiting_count_};
}

void pool_server::loop() {
  pthread_setname_np(pthread_self(), "hook.pool");
  if (settings_.on_thread_start) settings_.on_thread_start();
  for (;;) {
    std::vector<std::function<void()>> work;
    bool stop = false;
    {
      const std::lock_guard lock(guard_);
      work.swap(posted_);
      stop = stopping_;
    }
    {
      const std::lock_guard state(state_);
      for (auto& w : work) w();
      if (stop) break;
      check_deadlines();
      dispatch();
      worker_count_ = static_cast<unsigned>(workers_.size());
      waiting_count_ = static_cast<unsigned>(waiting_.size());
    }
    tell_callers();
    wait();
    tell_callers();
  }
  refuse_everything();
  tell_callers();
}

void pool_server::refuse_everything() {
  const std::lock_guard state(state_);
  ended_ = true;
  for (auto& w : workers_) w.process.ask_to_end();  // all at once, then one after the other
  for (auto& w : workers_)
    if (w.work) refuse(*w.work, protocol::Verdict::ERROR, "the daemon is ending", 0);
  for (auto& w : waiting_) refuse(w, protocol::Verdict::ERROR, "the daemon is ending", 0);
  workers_.clear();
}

void pool_server::tell_callers() {
  std::vector<std::function<void()>> callers;
  {
    const std::lock_guard state(state_);
    callers.swap(to_tell_);
  }
  for (auto& caller : callers) caller();
}

// An appointment once made is kept: a run that begins meanwhile mostly ends later and need not wake this thread.
int pool_server::wait_ms() {
  const auto now = clock::now();
  auto next = wakes_at_ > now ? wakes_at_ : clock::time_point::max();
  for (const auto& w : workers_) next = std::min(next, w.deadline);
  if (!waiting_.empty() && no_start_before_ > now) next = std::min(next, no_start_before_);
  wakes_at_ = next;
  if (next == clock::time_point::max()) return -1;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 3'600'000));
}

void pool_server::wait() {
  std::unique_lock state(state_);
  const int timeout_ms = wait_ms();
  state.unlock();
  std::array<epoll_event, 64> events;
  const int ready = ::epoll_wait(epoll_, events.data(), events.size(), timeout_ms);
  state.lock();
  for (int i = 0; i < ready; ++i) serve(events[static_cast<std::size_t>(i)].data.u64, events[static_cast<std::size_t>(i)].events);
}

pool_server::worker_at pool_server::find(std::uint64_t id) {
  return std::ranges::find_if(workers_, [&](const worker& w) { return w.id == id; });
}

std::string pool_server::begin_watch(worker_at w) {
  const int error = set_watch(epoll_, EPOLL_CTL_ADD, w->process.pidfd(), EPOLLIN, process_of(w->id));
  if (error != 0) return std::string("its end can't be waited for: ") + std::strerror(error);
  watch(w);
  return w->now == phase::ending ? w->why : std::string();
}

void pool_server::serve(std::uint64_t what, std::uint32_t events) {
  if (what == woken) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto drained = ::read(wake_, &count, sizeof count);
    return;
  }
  const auto w = find(what >> 1);
  if (w == workers_.end()) return;  // buried a moment ago
  if (what == process_of(w->id)) {
    read(w);  // its last words
    bury(w);
    return;
  }
  if (events & EPOLLOUT) w->process.write_some();
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read(w);
  watch(w);
}

// A socket that is closed would wake the loop for ever while its worker ends. One that rests stays as it is: it is read
// before it is used again, and one that attended runs alone use is never watched.
void pool_server::watch(worker_at w) {
  if (w->now == phase::idle) return;
  const std::uint32_t wanted = w->now == phase::ending || w->attended ? 0
                               : w->process.has_to_write()            ? EPOLLIN | EPOLLOUT
                                                                      : EPOLLIN;
  if (wanted == w->watched) return;
  const int change = wanted == 0 ? EPOLL_CTL_DEL : w->watched == 0 ? EPOLL_CTL_ADD
                                                                   : EPOLL_CTL_MOD;
  const int error = set_watch(epoll_, change, w->process.socket(), wanted, socket_of(w->id));
  if (error != 0 && wanted != 0)
    return end(w, protocol::Verdict::ERROR, std::string("the hook's process can't be listened to: ") + std::strerror(error));
  w->watched = wanted;
}

// Looks again and again instead of sleeping: whoever else wants this processor goes first.
void pool_server::attend(worker_at w) {
  const auto until = clock::now() + settings_.attendance_max;
  while (w->now == phase::running && !w->asking && !w->process.has_to_write() && clock::now() < until) {
    read(w);
    if (w->now == phase::running) ::sched_yield();
  }
  watch(w);
}

void pool_server::read(worker_at w) {
  const bool open = w->process.read_some(w->in) == worker_process::io::good;
  while (w->now != phase::ending) {
    schema::sealed_message message;
    const auto found = w->in.next(message);
    if (found == frame_reader::found::nothing) break;
    if (found == frame_reader::found::garbage || !is_sound(message.root<protocol::FromWorker>())) {
      ++bad_replies_;
      return end(w, protocol::Verdict::ERROR, bad_reply);
    }
    got(w, message);
  }
  if (!open && w->now != phase::ending) end(w, protocol::Verdict::ERROR, {});
}

void pool_server::got(worker_at w, const schema::sealed_message& message) {
  const auto from = message.root<protocol::FromWorker>();
  const bool bound = from.isBound() && w->now == phase::binding;
  const bool of_run = !from.isBound() && w->now == phase::running && !w->asking && from.getNonce() == w->nonce;
  if (!bound && !of_run) {  // uncalled for: left over from an earlier run, or made up
    ++bad_replies_;
    return end(w, protocol::Verdict::ERROR, bad_reply);
  }
  if (of_run) return from.isQuestion() ? got_question(w, from.getQuestion())
                     : from.isLine()   ? got_line(w, from.getLine())
                                       : got_reply(w, message);
  const std::string trouble = schema::str(from.getBound());
  if (w->work->compiled) {
    tell(std::exchange(w->work, std::nullopt)->compiled, trouble);
    return end(w, protocol::Verdict::ERROR, {});  // a worker that compiled is bound to nothing useful
  }
  if (!trouble.empty()) return end(w, protocol::Verdict::ERROR, trouble);
  begin(w);
}

void pool_server::got_question(worker_at w, protocol::Question::Reader question) {
  w->asking = w->asks = true;
  const auto answer = [this, id = w->id, nonce = w->nonce](sealed_answer a) {
    post([this, id, nonce, a = std::move(a)] {
      const auto w = find(id);
      if (w == workers_.end() || w->now != phase::running || w->nonce != nonce || !w->asking) return;  // too late
      w->asking = false;
      w->debug.answered(a);
      capnp::MallocMessageBuilder message;
      auto to = message.initRoot<protocol::ToWorker>();
      if (a)
        to.setAnswer(a.get());
      else
        to.initAnswer().setNone();
      w->process.send(framed(message));
      watch(w);
    });
  };
  if (!w->work->order.ask) return answer({});
  to_tell_.push_back([ask = w->work->order.ask, asked = schema::copy_of<protocol::Question>(question), answer] { ask(asked, answer); });
}

// Told at once, and kept for a reply that the pool has to write itself.
void pool_server::got_line(worker_at w, protocol::LogLine::Reader line) {
  w->said_bytes += line.totalSize().wordCount * sizeof(capnp::word);
  if (w->said_bytes <= limits::hook_said_bytes_max) {
    w->said.push_back(schema::copy_of<protocol::LogLine>(line));
    if (w->work->order.said) w->work->order.said(line);
    return;
  }
  ++bad_replies_;
  end(w, protocol::Verdict::ERROR, bad_reply);
}

void pool_server::got_reply(worker_at w, const schema::sealed_message& message) {
  const auto now = clock::now();
  capnp::MallocMessageBuilder copy(room_for(message));
  copy.setRoot(message.root<protocol::FromWorker>().getReply());
  copy.getRoot<protocol::Reply>().setDurationMicros(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now - w->began).count()));
  w->debug.ended(copy.getRoot<protocol::Reply>().asReader());
  auto work = std::exchange(w->work, std::nullopt);
  w->used = now;
  rest(w);
  ++runs_;
  const bool worn = ++w->runs >= settings_.runs_max;
  // Programs and threads that outlive their run could speak in the name of the next one.
  if (worn || w->in.left() != 0 || (w->rules.processes && w->process.has_leftovers()))
    end(w, protocol::Verdict::ERROR, {});
  tell(std::move(work->done), sealed_reply(schema::sealed_message::from_builder(copy)));
}

void pool_server::end(worker_at w, protocol::Verdict verdict, std::string why) {
  w->now = phase::ending;
  w->verdict = verdict;
  w->why = std::move(why);
  w->deadline = clock::now() + guard_patience;
  watch(w);
  w->process.ask_to_end();
}

pool_server::worker_at pool_server::bury(worker_at w) {
  const std::string how = w->process.reaped();
  const bool called_for = w->now == phase::ending && !w->work;
  if (!called_for && w->verdict != protocol::Verdict::ALARM) ++deaths_;
  if (w->work) {
    const auto took = w->began == clock::time_point{} ? clock::duration{} : clock::now() - w->began;
    const auto micros = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    const std::string& why = w->why.empty() ? how : w->why;
    const auto reply = reply_of(w->verdict, why, micros, w->said);
    w->debug.ended(reply.get());
    if (w->work->compiled) refuse(*w->work, w->verdict, why, micros);
    else tell(std::move(w->work->done), reply);
  }
  return workers_.erase(w);
}

void pool_server::check_deadlines() {
  const auto now = clock::now();
  for (auto w = workers_.begin(); w != workers_.end(); ++w) {
    if (w->deadline > now) continue;
    if (w->now == phase::ending) {
      w->process.insist();
      w->deadline = now + guard_patience;
    } else if (w->now == phase::running) {
      read(w);  // its last words
      if (w->now != phase::running) continue;
      ++alarms_;
      end(w, protocol::Verdict::ALARM, "not done in time");
    } else if (w->now == phase::idle) {
      has_rested(w);
    } else {
      end(w, protocol::Verdict::ERROR, "the hook's process did not become ready in time");
    }
  }
}

}  // namespace annals::hooks
