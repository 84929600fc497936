// The pool's thread: waiting, reading, deadlines. What runs where is decided in pool_dispatch.cpp.
#include "hooks-runtime/pool/worker_pool.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "hooks-runtime/pool/pool_server.hpp"
#include "hooks-runtime/protocol/reply_check.hpp"

namespace annals::hooks {

namespace {
constexpr std::chrono::milliseconds guard_patience{worker_process::guard_patience_ms};
constexpr const char* bad_reply = "the hook's process sent what is no reply";
}  // namespace

worker_pool::server::server(pool_settings settings)
    : settings_(std::move(settings)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (settings_.workers_max == 0) settings_.workers_max = limits::hook_workers_max;
  if (settings_.runs_max == 0) settings_.runs_max = limits::hook_worker_runs_max;
}

worker_pool::server::~server() {
  {
    const std::lock_guard lock(guard_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  ::close(wake_);
}

void worker_pool::server::post(std::function<void()> work) {
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

void worker_pool::server::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto woken = ::write(wake_, &one, sizeof one);
}

pool_figures worker_pool::server::figures() const {
  return {runs_, started_, alarms_, deaths_, bad_replies_, worker_count_, waiting_count_};
}

void worker_pool::server::loop() {
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

void worker_pool::server::refuse_everything() {
  const std::lock_guard state(state_);
  ended_ = true;
  for (auto& w : workers_) w.process.ask_to_end();  // all at once, then one after the other
  for (auto& w : workers_)
    if (w.work) refuse(*w.work, protocol::Verdict::ERROR, "the daemon is ending", 0);
  for (auto& w : waiting_) refuse(w, protocol::Verdict::ERROR, "the daemon is ending", 0);
  workers_.clear();
}

void worker_pool::server::tell_callers() {
  std::vector<std::function<void()>> callers;
  {
    const std::lock_guard state(state_);
    callers.swap(to_tell_);
  }
  for (auto& caller : callers) caller();
}

void worker_pool::server::wait() {
  std::unique_lock state(state_);
  std::vector<pollfd> fds{{wake_, POLLIN, 0}};
  std::vector<worker_at> whose;
  const auto now = clock::now();
  // An appointment once made is kept: a run that begins meanwhile mostly ends later and need not wake this thread.
  auto next = wakes_at_ > now ? wakes_at_ : clock::time_point::max();
  for (auto w = workers_.begin(); w != workers_.end(); ++w) {
    const short events =
        static_cast<short>(w->now == phase::ending ? 0 : POLLIN | (w->process.has_to_write() ? POLLOUT : 0));
    // A socket that is closed would wake the loop for ever while its worker ends.
    fds.push_back({w->now == phase::ending ? -1 : w->process.socket(), events, 0});
    fds.push_back({w->process.pidfd(), POLLIN, 0});
    whose.push_back(w);
    next = std::min(next, w->deadline);
  }
  if (!waiting_.empty() && no_start_before_ > now) next = std::min(next, no_start_before_);
  wakes_at_ = next;
  int timeout_ms = -1;
  if (next != clock::time_point::max())
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(
        std::chrono::ceil<std::chrono::milliseconds>(next - now).count(), 0, 3'600'000));
  state.unlock();
  const int ready = ::poll(fds.data(), fds.size(), timeout_ms);
  if (ready <= 0) return;
  state.lock();
  if (fds[0].revents) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto drained = ::read(wake_, &count, sizeof count);
  }
  for (std::size_t i = 0; i < whose.size(); ++i) serve(whose[i], fds[1 + 2 * i].revents, fds[2 + 2 * i].revents);
}

void worker_pool::server::serve(worker_at w, short socket_events, short process_events) {
  if (socket_events & POLLOUT) w->process.write_some();
  if (socket_events & (POLLIN | POLLHUP | POLLERR)) read(w);
  if (process_events) bury(w);
}

void worker_pool::server::read(worker_at w) {
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

void worker_pool::server::got(worker_at w, const schema::sealed_message& message) {
  const auto from = message.root<protocol::FromWorker>();
  const bool bound = from.isBound() && w->now == phase::binding;
  const bool of_run = !from.isBound() && w->now == phase::running && !w->asking && from.getNonce() == w->nonce;
  if (!bound && !of_run) {  // uncalled for: left over from an earlier run, or made up
    ++bad_replies_;
    return end(w, protocol::Verdict::ERROR, bad_reply);
  }
  if (of_run) return from.isQuestion() ? got_question(w, from.getQuestion()) : got_reply(w, from.getReply());
  const std::string trouble = schema::str(from.getBound());
  if (w->work->compiled) {
    tell(std::exchange(w->work, std::nullopt)->compiled, trouble);
    return end(w, protocol::Verdict::ERROR, {});  // a worker that compiled is bound to nothing useful
  }
  if (!trouble.empty()) return end(w, protocol::Verdict::ERROR, trouble);
  begin(w);
}

void worker_pool::server::got_question(worker_at w, protocol::Question::Reader question) {
  w->asking = true;
  const auto answer = [this, id = w->id, nonce = w->nonce](sealed_answer a) {
    post([this, id, nonce, a = std::move(a)] {
      const auto w = std::find_if(workers_.begin(), workers_.end(), [&](const worker& x) { return x.id == id; });
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
    });
  };
  if (!w->work->order.ask) return answer({});
  to_tell_.push_back([ask = w->work->order.ask, asked = schema::copy_of<protocol::Question>(question), answer] { ask(asked, answer); });
}

void worker_pool::server::got_reply(worker_at w, protocol::Reply::Reader reply) {
  const auto now = clock::now();
  capnp::MallocMessageBuilder copy(static_cast<unsigned>(reply.totalSize().wordCount + 8));
  copy.setRoot(reply);
  copy.getRoot<protocol::Reply>().setDurationMicros(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now - w->began).count()));
  w->debug.ended(copy.getRoot<protocol::Reply>().asReader());
  auto work = std::exchange(w->work, std::nullopt);
  w->now = phase::idle;
  w->deadline = clock::time_point::max();
  w->used = now;
  ++runs_;
  const bool worn = ++w->runs >= settings_.runs_max;
  // Programs and threads that outlive their run could speak in the name of the next one.
  if (worn || w->in.left() != 0 || (work->rules.processes && w->process.has_leftovers()))
    end(w, protocol::Verdict::ERROR, {});
  tell(std::move(work->done), sealed_reply(schema::sealed_message::from_builder(copy)));
}

void worker_pool::server::end(worker_at w, protocol::Verdict verdict, std::string why) {
  w->now = phase::ending;
  w->verdict = verdict;
  w->why = std::move(why);
  w->deadline = clock::now() + guard_patience;
  w->process.ask_to_end();
}

worker_pool::server::worker_at worker_pool::server::bury(worker_at w) {
  const std::string how = w->process.reaped();
  const bool called_for = w->now == phase::ending && !w->work;
  if (!called_for && w->verdict != protocol::Verdict::ALARM) ++deaths_;
  if (w->work) {
    const auto took = w->began == clock::time_point{} ? clock::duration{} : clock::now() - w->began;
    const auto micros = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    const std::string& why = w->why.empty() ? how : w->why;
    w->debug.ended(reply_of(w->verdict, why, micros).get());
    refuse(*w->work, w->verdict, why, micros);
  }
  return workers_.erase(w);
}

void worker_pool::server::check_deadlines() {
  const auto now = clock::now();
  for (auto w = workers_.begin(); w != workers_.end(); ++w) {
    if (w->deadline > now) continue;
    if (w->now == phase::ending) {
      w->process.insist();
      w->deadline = now + guard_patience;
    } else if (w->now == phase::running) {
      ++alarms_;
      end(w, protocol::Verdict::ALARM, "not done in time");
    } else {
      end(w, protocol::Verdict::ERROR, "the hook's process did not become ready in time");
    }
  }
}

// -- the public face ------------------------------------------------------------------------------------------------

worker_pool::worker_pool(pool_settings settings) : server_(std::make_unique<server>(std::move(settings))) {}
worker_pool::~worker_pool() = default;

void worker_pool::run(hook_run order, run_done done) {
  server::pending work{std::move(order), std::move(done), {}, {}, {}};
  if (server_->begin_at_once(work)) return;
  server_->post([s = server_.get(), work = std::move(work)]() mutable { s->take(std::move(work)); });
}

void worker_pool::compile(std::shared_ptr<const hook_code> code, std::function<void(std::string)> done) {
  server_->post([s = server_.get(), code = std::move(code), done = std::move(done)]() mutable {
    hook_run order;
    order.code = std::move(code);
    s->take({std::move(order), {}, std::move(done), {}, {}});
  });
}

void worker_pool::know_resources(std::vector<resource_type> custom) {
  server_->post([s = server_.get(), custom = std::move(custom)]() mutable { s->know_resources(std::move(custom)); });
}

pool_figures worker_pool::figures() const { return server_->figures(); }

}  // namespace annals::hooks
