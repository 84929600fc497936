// pbs_terminal: owns the terminal of an interactive job on its host, as the job's user, and outlives the MoM. `serve TERMINAL GO` is
// started by the job's shepherd with the terminal's master side and a pipe; it goes to the server as a command of the job does, and
// hands on what the job prints and what the user types. `begin GO PATH NAME [ARGUMENT...]` is the job's program before it begins: it
// waits for what the pipe says. docs/design/0059-interactive-jobs.md.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tools/client/job_ids.hpp"
#include "tools/client/own_job.hpp"
#include "tools/terminal/display_name.hpp"
#include "tools/terminal/display_sockets.hpp"
#include "tools/terminal/job_end.hpp"
#include "tools/terminal/job_program.hpp"
#include "tools/terminal/server_line.hpp"

namespace {

using namespace annals;
using namespace annals::terminal;
using clock_type = std::chrono::steady_clock;

constexpr std::uint64_t offer_id = 1;

std::vector<schema::sealed_message> offer() {
  return {schema::make<schema::Request>([](schema::Request::Builder r) {
    r.setId(offer_id);
    r.initOfferTerminal();
  })};
}

class owner {
 public:
  owner(int master, int go, client::own_job job)
      : master_(master), go_(go), line_({job.server(), {}, std::move(job)}, offer), end_(clock_type::now()) {
    fcntl(master_, F_SETFL, O_NONBLOCK);
  }

  void serve() {
    while (!end_.over(clock_type::now())) {
      line_.look(clock_type::now());
      wait();
      read_terminal();
      hear();
      give();
      display_.move();
      line_.say(end_.say(), clock_type::now());
      if (!line_.open()) end_.lost(clock_type::now(), line_.refused() == client::pbs_error::bad_credential);
    }
  }

 private:
  void wait() {
    const bool wants_more = !printed_all_ && end_.room() > 0;
    const short events = static_cast<short>((wants_more ? POLLIN : 0) | (end_.typed().empty() ? 0 : POLLOUT));
    std::vector<pollfd> fds{{line_.descriptor(), POLLIN, 0}, {events == 0 || printed_all_ ? -1 : master_, events, 0}};
    display_.add_to(fds);
    const auto until = std::min(line_.due(), end_.patience_ends());
    int ms = -1;
    if (until != moment::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_type::now()).count();
      ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000 * limits::terminal_grace_s));
    }
    poll(fds.data(), fds.size(), ms);
  }

  void read_terminal() {
    char bytes[limits::terminal_piece_bytes];
    while (!printed_all_ && end_.room() > 0) {
      const auto n = read(master_, bytes, std::min(sizeof bytes, end_.room()));
      if (n > 0) {
        end_.printed({bytes, static_cast<std::size_t>(n)});
        continue;
      }
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      printed_all_ = true;  // EIO: no process has it open
      end_.all_printed();
    }
  }

  void hear() {
    const auto now = clock_type::now();
    for (const auto& reply : line_.take(now)) {
      if ((*reply).isTerminal()) obey(end_.hear((*reply).getTerminal(), now));
      else line_.close(now);
    }
  }

  void obey(const job_end::orders& todo) {
    if (todo.size) {
      winsize size{};
      size.ws_row = todo.size->rows;
      size.ws_col = todo.size->columns;
      ioctl(master_, TIOCSWINSZ, &size);  // who has the terminal gets SIGWINCH
    }
    if (!todo.begin || go_ < 0) return;
    set_keys(todo.begin->keys);
    const bool forwards = !todo.begin->cookie.empty();
    const auto lines = words_for_program({todo.begin->term, forwards ? display_.listen() : 0, hexadecimal(todo.begin->cookie)});
    [[maybe_unused]] const auto n = write(go_, lines.data(), lines.size());
    close(go_);
    go_ = -1;
  }

  void set_keys(const std::string& keys) const {
    constexpr std::size_t places[] = {VINTR, VQUIT, VERASE, VKILL, VEOF, VSUSP};
    termios modes{};
    if (tcgetattr(master_, &modes) != 0) return;
    for (std::size_t i = 0; i < std::min(keys.size(), std::size(places)); ++i) modes.c_cc[places[i]] = static_cast<cc_t>(keys[i]);
    modes.c_iflag |= IUTF8;
    tcsetattr(master_, TCSANOW, &modes);
  }

  void give() {
    while (!end_.typed().empty()) {
      const auto typed = end_.typed();
      const auto n = write(master_, typed.data(), typed.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN) return;
      end_.gave(n < 0 ? typed.size() : static_cast<std::size_t>(n));  // nobody reads it any more
    }
  }

  int master_, go_;
  server_line line_;
  job_end end_;
  offered_display display_{end_.display()};
  bool printed_all_ = false;
};

int usage(bool asked) {
  std::fputs(
      "usage: pbs_terminal serve TERMINAL GO | begin GO PATH NAME [ARGUMENT...]\n"
      "Started by pbs_shepherd, for an interactive job; of no use by hand.\n",
      asked ? stdout : stderr);
  return asked ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "begin" && argc >= 5) return start_program(std::atoi(argv[2]), argv + 3);
  const auto job = client::job_of_environment();
  if (verb != "serve" || argc != 4 || !job) return usage(verb == "--help" && argc == 2);
  std::signal(SIGPIPE, SIG_IGN);
  owner(std::atoi(argv[2]), std::atoi(argv[3]), *job).serve();
  return 0;
}
