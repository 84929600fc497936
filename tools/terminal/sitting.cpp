#include "tools/terminal/sitting.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "tools/client/job_ids.hpp"
#include "tools/terminal/display_sockets.hpp"
#include "tools/terminal/escapes.hpp"
#include "tools/terminal/server_line.hpp"
#include "tools/terminal/user_end.hpp"

namespace annals::terminal {

namespace {

using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a qsub whose job waits looks for a server that went away: long enough for an administrator to bring it back.
constexpr std::chrono::hours waiting_patience{24};
constexpr std::uint64_t attach_id = 1, wait_id = 2;

sigset_t judged_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}) sigaddset(&signals, s);
  return signals;
}

void print(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const auto n = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody sees it any more
    done += static_cast<std::size_t>(n);
  }
}

// The user's terminal, whose keys are the job's while it is raw.
class keyboard {
 public:
  keyboard() { good_ = tcgetattr(STDIN_FILENO, &before_) == 0; }
  ~keyboard() { restore(); }
  keyboard(const keyboard&) = delete;
  keyboard& operator=(const keyboard&) = delete;

  void make_raw() {
    termios raw = before_;
    cfmakeraw(&raw);
    raw_ = good_ && tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
  }
  void restore() {
    if (raw_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    raw_ = false;
  }
  bool is_raw() const { return raw_; }
  char suspend_key() const { return good_ ? static_cast<char>(before_.c_cc[VSUSP]) : '\x1a'; }

  user_terminal facts() const {
    user_terminal t;
    if (const char* term = std::getenv("TERM")) t.term = std::string(term).substr(0, limits::terminal_name_bytes);
    for (const int key : {VINTR, VQUIT, VERASE, VKILL, VEOF, VSUSP}) t.keys += static_cast<char>(before_.c_cc[key]);
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return t;
    t.rows = size.ws_row;
    t.columns = size.ws_col;
    return t;
  }

 private:
  termios before_{};
  bool good_ = false, raw_ = false;
};

class sitter {
 public:
  sitter(const client::server_address& server, std::string job, const std::optional<x_forwarding>& forwarding)
      : server_(server), job_(std::move(job)), line_(server, [this] { return first_requests(); }), escapes_(keys_.suspend_key()) {
    if (forwarding) forward(*forwarding);
    const sigset_t signals = judged_signals();
    signals_ = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  }
  ~sitter() { close(signals_); }

  int sit() {
    line_.look(now());  // from here on the server sees when we are gone
    print("qsub: waiting for job " + job_ + " to start\n");
    while (!status_) {
      line_.look(now());
      wait();
      take_signals_that_came();
      take_typed();
      hear();
      show();
      if (display_) display_->move();
      if (!asking_) line_.say(end_.say(facts()), now());
      if (line_.open()) {
        lost_since_.reset();
      } else {
        end_.lost();
        if (!lost_since_) lost_since_ = now();
      }
      look_at_clock();
    }
    return *status_;
  }

 private:
  static moment now() { return clock_type::now(); }
  std::string named(const char* behind) const { return "qsub: job " + job_ + behind; }

  void forward(const x_forwarding& x) {
    cookie_ = x.made_cookie;
    display_.emplace(end_.display(), x.display.host, x.display.number, x.made_cookie, x.real_cookie);
  }

  user_terminal facts() const {
    auto t = keys_.facts();
    t.cookie = cookie_;
    return t;
  }

  std::vector<schema::sealed_message> first_requests() const {
    return {schema::make<schema::Request>([&](schema::Request::Builder r) {
              r.setId(attach_id);
              r.initAttachTerminal().setJob(job_);
            }),
            schema::make<schema::Request>([&](schema::Request::Builder r) {
              r.setId(wait_id);
              r.initWaitJob().setJob(job_);
            })};
  }

  void wait() {
    const bool reads = asking_ || (keys_.is_raw() && has_room());
    std::vector<pollfd> fds{{line_.descriptor(), POLLIN, 0}, {signals_, POLLIN, 0}, {reads ? STDIN_FILENO : -1, POLLIN, 0}};
    if (display_) display_->add_to(fds);
    const auto until = std::min({line_.due(), last_words_due(), notice_due(), gives_up()});
    int ms = -1;
    if (until != moment::max())
      ms = static_cast<int>(std::clamp<std::int64_t>(std::chrono::ceil<milliseconds>(until - now()).count(), 0, 60'000));
    poll(fds.data(), fds.size(), ms);
  }

  // -- what the user does ------------------------------------------------------------------------------------------------------

  void take_signals_that_came() {
    signalfd_siginfo info{};
    while (!status_ && read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      take(static_cast<int>(info.ssi_signo));
  }

  void take(int signal) {
    if (signal == SIGWINCH) return tell_size();
    if (signal == SIGHUP || (signal == SIGTERM && end_.ever_ready())) return die_of(signal);
    if (end_.ever_ready()) return;
    if (signal == SIGTSTP) return print("Sorry, you cannot suspend qsub until the job is started\n");
    if (!std::exchange(asking_, true)) print("Do you wish to terminate the job and exit (y|[n])? ");
  }

  void tell_size() {
    if (end_.now() != user_end::state::ready) return;
    const auto t = keys_.facts();
    line_.say({word([&](auto w) {
                w.initResize().setRows(t.rows);
                w.getResize().setColumns(t.columns);
              })},
              now());
  }

  void take_typed() {
    if (status_ || !(asking_ || keys_.is_raw())) return;
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if ((keys_.is_raw() && !has_room()) || poll(&ready, 1, 0) <= 0) return;
    char bytes[4096];
    const auto n = read(STDIN_FILENO, bytes, keys_.is_raw() ? std::min(sizeof bytes, end_.room() - 1) : sizeof bytes);
    if (n < 0 && errno == EINTR) return;
    const std::string_view typed(bytes, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (asking_) return take_answer(typed);
    if (typed.empty()) return die_of(SIGHUP);
    take_keys(typed);
  }

  // For what is typed next, and a tilde that waited for it.
  bool has_room() const { return end_.room() > 1; }

  void take_keys(std::string_view typed) {
    while (!status_ && !typed.empty()) {
      const auto found = escapes_.read(typed);
      end_.typed(found.for_job);
      if (found.what == escape_reader::wish::hang_up) hang_up();
      if (found.what == escape_reader::wish::suspend) stop();
      typed = found.rest;
    }
  }

  void take_answer(std::string_view line) {
    const char first = line.empty() ? '\n' : line.front();
    if (first == 'y' || first == 'Y') return delete_job();
    if (first == 'n' || first == 'N' || first == '\n') asking_ = false;
    else print("yes or no please\n");
  }

  void delete_job() {
    status_ = ask_to_delete();
    if (*status_ == 0) print("Job " + job_ + " is being deleted\n");
  }

  int ask_to_delete() {
    try {
      auto session = client::session::open_at(server_);
      const auto r = session.call([&](schema::Request::Builder request) { request.initDeleteJob().setJob(job_); });
      if ((*r).isRejected()) return client::print_refusal("qsub", (*r).getRejected(), job_);
      return 0;
    } catch (const client::session_error& e) {
      return client::print_session_error("qsub", e);
    }
  }

  // The job loses its terminal, as if a line was cut. One that is out of reach is deleted.
  void hang_up() {
    keys_.restore();
    int status = 0;
    if (end_.now() == user_end::state::ready) line_.say({word([](auto w) { w.setHangUp(); })}, now());
    else status = ask_to_delete();
    complete();
    status_ = status;
  }

  // As a process that did not catch the signal. The server sees that we are gone.
  void die_of(int signal) {
    if (end_.now() == user_end::state::ready) line_.say({word([](auto w) { w.setHangUp(); })}, now());
    keys_.restore();
    std::signal(signal, SIG_DFL);
    raise(signal);
    const sigset_t signals = judged_signals();
    sigprocmask(SIG_UNBLOCK, &signals, nullptr);
    status_ = 1;
  }

  // Without a shell that could continue us the kernel does not stop us.
  void stop() {
    keys_.restore();
    raise(SIGTSTP);
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stops, nullptr);  // here we stand still
    sigprocmask(SIG_BLOCK, &stops, nullptr);
    keys_.make_raw();
    tell_size();
  }

  // -- what the server says ------------------------------------------------------------------------------------------------------

  void hear() {
    for (const auto& reply : line_.take(now())) {
      const auto r = *reply;
      if (r.isTerminal()) {
        if (!end_.hear(r.getTerminal())) line_.close(now());
      } else if (r.getId() == wait_id) {
        job_ended_ = now();
      } else if (r.isRejected()) {
        refused(r.getRejected());
      }
    }
  }

  // That the job is no more says the other answer, too.
  void refused(schema::Rejection::Reader why) {
    const auto code = why.getCode();
    if (code == client::pbs_error::unknown_job || code == client::pbs_error::job_has_finished) job_ended_ = now();
    else if (!end_.ever_ready()) status_ = client::print_refusal("qsub", why, job_);
  }

  void show() {
    if (end_.now() == user_end::state::away && !away_since_) away_since_ = now();
    if (end_.now() == user_end::state::ready || end_.now() == user_end::state::ended) there_again();
    print(end_.printed());
    if (end_.now() != user_end::state::ended) return;
    line_.say(end_.say(facts()), now());
    complete();
  }

  void there_again() {
    away_since_.reset();
    if (std::exchange(noticed_, false)) print(named(" can be reached again\r\n"));
    if (std::exchange(announced_, true)) return;
    keys_.make_raw();  // before it is told: who types then types to the job
    print(named(" ready\r\n\r\n"));
  }

  void complete() {
    keys_.restore();
    print("\n" + named(" completed\n"));
    status_ = 0;
  }

  // -- time ------------------------------------------------------------------------------------------------------------------------

  moment notice_due() const {
    if (!announced_ || noticed_ || !away_since_) return moment::max();
    return *away_since_ + milliseconds(limits::terminal_notice_ms);
  }
  moment last_words_due() const { return job_ended_ ? last_words_by(*job_ended_, away_since_) : moment::max(); }
  moment gives_up() const {
    if (!lost_since_) return moment::max();
    return *lost_since_ + (announced_ ? std::chrono::seconds(limits::terminal_grace_s) : std::chrono::seconds(waiting_patience));
  }

  void look_at_clock() {
    if (status_) return;
    const auto at = now();
    if (job_ended_ && !announced_ && end_.now() == user_end::state::away) {
      print(named(" apparently deleted\n"));
      status_ = 1;
    } else if (at >= last_words_due()) {
      complete();
    } else if (at >= gives_up()) {
      keys_.restore();
      status_ = client::print_session_error("qsub", {client::pbs_error::system_error, "Connection refused", server_.name});
    } else if (at >= notice_due()) {
      noticed_ = true;
      print("\r\n" + named(" is out of reach, waiting for it (~. ends the session)\r\n"));
    }
  }

  const client::server_address server_;
  const std::string job_;
  server_line line_;
  user_end end_;
  std::string cookie_;                    // that X programs of the job are to show
  std::optional<users_display> display_;  // where X is forwarded
  keyboard keys_;
  escape_reader escapes_;
  int signals_ = -1;
  bool asking_ = false;                                        // whether the job is to be deleted
  bool announced_ = false, noticed_ = false;                   // that it is ready; that it is out of reach
  std::optional<moment> job_ended_, away_since_, lost_since_;  // lost: the server
  std::optional<int> status_;
};

}  // namespace

void take_signals() {
  const sigset_t signals = judged_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

int sit_at(const client::server_address& server, const std::string& job, const std::optional<x_forwarding>& forwarding) {
  return sitter(server, job, forwarding).sit();
}

}  // namespace annals::terminal
