#include "actors/mom/shepherd/guard.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/shepherd/reaping.hpp"

namespace annals::shepherd {
namespace {

constexpr std::int64_t look_ms = 300;  // that its last process has ended is seen after this
constexpr int gather_rounds_max = 10;
constexpr std::int64_t kill_repeat_ms = 50;  // what forked while it was killed is there in the next round

class guardian {
 public:
  guardian(const mom::shepherd_order& order, journal_file& journal)
      : order_(order), journal_(journal), cgroup_(order.cgroup_roots, order.cgroup_parent, order.key) {}

  void run() {
    const auto attached = mom::read_process(static_cast<std::int64_t>(order_.attached_pid));
    if (!attached || attached->start_ticks != order_.attached_ticks || attached->session != session_ || session_ <= 1 ||
        !is_the_users(*attached))
      return journal_.append_last(mom::line_of(mom::journal_failed{-2, "the process has ended"}));
    // Whoever finds us dead knows the session by its leader, if there is one.
    const auto leader = mom::read_process(session_);
    started_ms_ = mom::boottime_ms();
    make_cgroup(cgroup_, order_, journal_);
    gather();
    journal_.append(mom::forking_line());
    journal_.append(
        mom::line_of(mom::journal_started{attached->pid, session_, leader ? leader->start_ticks : attached->start_ticks, started_ms_}));
    while (look(0)) {
      const auto w = wait_for_signal(killing_ ? kill_repeat_ms : look_ms);
      if (w.what == wake::stop || (w.what == wake::request && w.signal == SIGKILL)) killing_ = true;
      else if (w.what == wake::request) look(w.signal);
      if (killing_) look(SIGKILL);
    }
    cgroup_.freeze(false);
    top_process none;
    empty_cgroup(cgroup_, none);
    const auto used = cgroup_.usage();
    cgroup_.remove();
    const mom::journal_ended end{0, std::max(cpu_ms_, used.cpu_ms.value_or(0)), mom::boottime_ms() - started_ms_,
                                 used.mem_kb.value_or(0), used.vmem_kb.value_or(0)};
    journal_.append(mom::exited_line(end));
    journal_.append_last(mom::line_of(end));
  }

 private:
  // A session may hold processes of others (root became the user in it): they are none of the job's, and who orders a session
  // attached may be another host.
  bool is_the_users(const mom::process& p) const {
    return mom::user_of(p.pid) == (order_.change_user ? order_.uid : static_cast<std::uint32_t>(getuid()));
  }

  // The session moves into its cgroup. Who forks meanwhile leaves a child outside: looked for until nobody new is found.
  void gather() const {
    const auto doors = cgroup_.open_doors();
    std::vector<std::int64_t> inside;
    bool more = !doors.empty();
    for (int round = 0; more && round < gather_rounds_max; ++round) {
      more = false;
      const auto table = mom::process_table::now();
      for (const auto* p : table.of_session(session_)) {
        if (p->state == 'Z' || !is_the_users(*p) || std::find(inside.begin(), inside.end(), p->pid) != inside.end()) continue;
        inside.push_back(p->pid);
        more = true;
        const auto pid = std::to_string(p->pid);
        for (const int door : doors) [[maybe_unused]] const auto n = write(door, pid.data(), pid.size());  // it may have ended
      }
    }
    for (const int door : doors) close(door);
  }

  // Whether a process is left; each gets the signal, if there is one.
  bool look(int signal) {
    const std::uint64_t tick_ms = 1000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    const auto table = mom::process_table::now();
    std::uint64_t ticks = 0;
    bool any = false;
    for (const auto* p : table.of_session(session_)) {
      if (!is_the_users(*p)) continue;
      ticks += p->cpu_ticks + p->children_cpu_ticks;
      if (p->state == 'Z') continue;
      any = true;
      if (signal != 0) kill(static_cast<pid_t>(p->pid), signal);
    }
    cpu_ms_ = std::max(cpu_ms_, ticks * tick_ms);
    cgroup_.follow(signal);
    return any;
  }

  const mom::shepherd_order& order_;
  journal_file& journal_;
  const std::int64_t session_ = static_cast<std::int64_t>(order_.attached_session);
  const mom::job_cgroup cgroup_;
  bool killing_ = false;
  std::uint64_t started_ms_ = 0, cpu_ms_ = 0;
};

}  // namespace

void guard(const mom::shepherd_order& order, journal_file& journal) { guardian(order, journal).run(); }

}  // namespace annals::shepherd
