// The thread behind worker_pool: who runs what, and what becomes of it. It alone adds and removes workers; a caller's thread
// may only give a run to one that is idle (begin_at_once), which saves the run one change of threads.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "hooks-runtime/pool/debug_files.hpp"
#include "hooks-runtime/pool/hook_runner.hpp"
#include "hooks-runtime/pool/pool_settings.hpp"
#include "hooks-runtime/pool/sandbox_profile.hpp"
#include "hooks-runtime/pool/worker_process.hpp"
#include "hooks-runtime/protocol/hook_limits.hpp"

namespace annals::hooks {

class pool_server {
 public:
  explicit pool_server(pool_settings settings);
  ~pool_server();

  struct pending {
    hook_run order;
    run_done done;                              // unset for a compilation
    std::function<void(std::string)> compiled;  // unset for a run
    std::string key;                            // what a worker must be bound to
    sandbox_profile profile = sandbox_profile::server;
  };
  // From any thread.
  void post(std::function<void()> work);  // does the work on the pool's thread
  bool begin_at_once(pending& work);      // false: no worker is idle for it, or the pool is busy; nothing was done
  // The rest on the pool's thread.
  void take(pending work);
  void know_resources(std::vector<resource_type> custom);
  void know_hooks(std::set<known_hook> hooks);
  pool_figures figures() const;

 private:
  using clock = std::chrono::steady_clock;
  enum class phase : std::uint8_t { unbound,
                                    binding,
                                    idle,
                                    running,
                                    ending };
  struct worker {
    worker(const std::string& program, const std::string& scratch, std::uint64_t number)
        : process(program, scratch), in(limits::hook_reply_bytes_max), id(number) {}
    worker_process process;
    frame_reader in;
    std::uint64_t id;
    phase now = phase::unbound;
    std::string key;
    std::shared_ptr<const hook_code> code;  // unset: it is unbound
    bool known = true;                      // its hook is on, and this is its code
    sandbox_rules rules;
    std::optional<pending> work;
    std::uint64_t nonce = 0;
    unsigned runs = 0, resources_version = 0;
    bool asking = false;
    bool asks = false;                                    // some run of it has asked
    std::vector<schema::sealed<protocol::LogLine>> said;  // by the run that goes on
    std::uint64_t said_bytes = 0;
    bool attended = false;
    std::uint32_t watched = 0;  // epoll's events of the socket
    debug_files debug;          // of the run that is going on
    clock::time_point deadline = clock::time_point::max(), began{}, used{};
    // Why it is ending, and what the caller is told.
    protocol::Verdict verdict = protocol::Verdict::ERROR;
    std::string why;  // empty: as the guard says
  };
  using worker_at = std::list<worker>::iterator;

  void loop();
  void wait();
  int wait_ms();
  void wake();
  void refuse_everything();
  // Callers are told when state_ is free again: they may have a next run at once.
  template <class Callback, class Answer>
  void tell(Callback callback, Answer answer) {
    to_tell_.push_back([callback = std::move(callback), answer = std::move(answer)] { callback(answer); });
  }
  void tell_callers();
  worker_at find(std::uint64_t id);
  std::string begin_watch(worker_at w);  // empty, or why it can't be
  void watch(worker_at w);               // as its phase wants; after whatever changes what is to be waited for
  void serve(std::uint64_t what, std::uint32_t events);
  void attend(worker_at w);  // for a moment; what is not done then is the pool's thread's
  void read(worker_at w);
  void got(worker_at w, const schema::sealed_message& message);
  void got_question(worker_at w, protocol::Question::Reader question);
  void got_line(worker_at w, protocol::LogLine::Reader line);
  void got_reply(worker_at w, const schema::sealed_message& message);
  // Words that a copy of what stands in this message needs, with something around it.
  static unsigned room_for(const schema::sealed_message& message) {
    return static_cast<unsigned>(message.bytes().size() / sizeof(capnp::word) + 16);
  }
  static bool name_worker(pending& work);
  std::uint64_t new_nonce();
  void bind(worker_at w, pending work);
  void begin(worker_at w);
  void end(worker_at w, protocol::Verdict verdict, std::string why);
  worker_at bury(worker_at w);
  void check_deadlines();
  void dispatch();
  bool place(pending& work);
  worker_at idle_for(const pending& work, bool& others_run);  // the end: there is none, or no more may run at once
  static bool is_at_work(const worker& w) { return w.now == phase::binding || w.now == phase::running; }
  bool is_known(const hook_code& code) const { return !hooks_ || hooks_->contains({code.name, code.hash}); }
  bool has_fellow(worker_at w) const;  // another worker of the same hook
  void rest(worker_at w);
  void has_rested(worker_at w);
  std::size_t places() const;  // of workers, whatever they do
  worker_at start_worker();
  void make_room();
  void keep_one_ready();
  static sealed_reply reply_of(protocol::Verdict verdict, const std::string& why, std::uint64_t micros,
                               const std::vector<schema::sealed<protocol::LogLine>>& said = {});
  void refuse(pending& work, protocol::Verdict verdict, const std::string& why, std::uint64_t micros);

  pool_settings settings_;
  std::mutex state_;  // of everything down to to_tell_
  std::vector<resource_type> resources_;
  unsigned resources_version_ = 0;
  std::optional<std::set<known_hook>> hooks_;  // unset: nobody has said; every hook is known then
  std::list<worker> workers_;
  std::deque<pending> waiting_;
  std::uint64_t next_id_ = 1;
  clock::time_point no_start_before_{};  // after a start that failed
  std::string no_start_why_;
  clock::time_point wakes_at_ = clock::time_point::max();  // when the thread looks at deadlines again
  bool ended_ = false;
  std::array<std::uint64_t, 32> nonces_{};  // drawn, the first so many of them unused
  std::size_t nonces_left_ = 0;
  std::vector<std::function<void()>> to_tell_;

  int wake_ = -1, epoll_ = -1;
  std::mutex guard_;  // of posted_ and stopping_
  std::vector<std::function<void()>> posted_;
  bool stopping_ = false;
  std::atomic<std::uint64_t> runs_{0}, started_{0}, alarms_{0}, deaths_{0}, bad_replies_{0};
  std::atomic<unsigned> worker_count_{0}, waiting_count_{0};
  std::thread thread_;
};

}  // namespace annals::hooks
