// Thousands of commands at once: how many are answered, how many are told why not, and how long root waits meanwhile.
// Usage: bench_crowd COUNT [USER] (PBS_CONF_FILE names the cluster; with USER, as root, the crowd is that user's).
// Each client is a thread with a connection of its own that asks what `qstat -B` asks, as the commands do; all begin at once.
// Exit status 1: somebody was neither answered nor told. test/bench/cluster.py crowd runs it; figures: docs/performance.md.
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tools/client/job_ids.hpp"
#include "tools/client/session.hpp"

using namespace annals;
using steady = std::chrono::steady_clock;

namespace {

constexpr unsigned clients_per_process = 100;

enum class outcome { answered,
                     told,
                     neither };
struct result {
  outcome what;
  double ms;
  char text[96];
};
static_assert(sizeof(result) <= 512, "written to a pipe in one piece");

result ask() {
  result r{outcome::neither, 0, ""};
  const auto start = steady::now();
  try {
    auto server = client::session::open();
    const auto answer = server.call([](schema::Request::Builder b) { b.initStat().setKind(schema::ObjectKind::SERVER); });
    r.what = (*answer).isRejected() ? outcome::neither : outcome::answered;
  } catch (const client::session_error& e) {
    r.what = e.code == client::pbs_error::no_connections ? outcome::told : outcome::neither;
    std::snprintf(r.text, sizeof r.text, "%s", e.what());
  } catch (const std::exception& e) {
    std::snprintf(r.text, sizeof r.text, "%s", e.what());
  }
  r.ms = std::chrono::duration<double, std::milli>(steady::now() - start).count();
  return r;
}

// The clients of one process: they wait for the end of `go`, and write what happened to `out`.
[[noreturn]] void be_clients(unsigned count, const passwd* who, int go, int out) {
  if (who && (setgid(who->pw_gid) != 0 || setuid(who->pw_uid) != 0)) std::_Exit(1);
  std::vector<std::thread> all;
  char none;
  while (read(go, &none, 1) > 0) {}
  for (unsigned i = 0; i < count; ++i)
    all.emplace_back([out] {
      const result r = ask();
      if (write(out, &r, sizeof r) != sizeof r) std::_Exit(1);
    });
  for (auto& t : all) t.join();
  std::_Exit(0);
}

bool read_result(int in, result& r) {
  std::size_t have = 0;
  while (have < sizeof r) {
    const auto n = read(in, reinterpret_cast<char*>(&r) + have, sizeof r - have);
    if (n <= 0) return false;
    have += static_cast<std::size_t>(n);
  }
  return true;
}

void print(const char* what, std::vector<double> ms) {
  if (ms.empty()) return;
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double share) { return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))]; };
  std::printf("%s: %zu, ms p50 %.0f p99 %.0f max %.0f\n", what, ms.size(), at(0.5), at(0.99), ms.back());
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned count = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
  const passwd* who = argc > 2 ? getpwnam(argv[2]) : nullptr;
  if (count == 0 || (argc > 2 && !who)) return std::fprintf(stderr, "usage: %s COUNT [USER]\n", argv[0]), 2;
  int go[2], results[2];
  if (pipe(go) != 0 || pipe(results) != 0) return std::perror("pipe"), 1;
  std::vector<pid_t> children;
  for (unsigned left = count; left > 0;) {
    const unsigned here = std::min(left, clients_per_process);
    left -= here;
    const pid_t pid = fork();
    if (pid < 0) return std::perror("fork"), 1;
    if (pid == 0) {
      close(go[1]);
      close(results[0]);
      be_clients(here, who, go[0], results[1]);
    }
    children.push_back(pid);
  }
  close(go[0]);
  close(results[1]);
  std::atomic<bool> over{false};
  std::vector<double> beside;
  close(go[1]);
  std::thread self([&] {
    while (!over) {
      const auto r = ask();
      if (r.what == outcome::answered) beside.push_back(r.ms);
      else std::printf("beside the crowd: %s\n", r.text);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  std::map<outcome, std::vector<double>> of;
  std::map<std::string, unsigned> texts;
  for (result r; read_result(results[0], r);) {
    of[r.what].push_back(r.ms);
    if (r.what != outcome::answered) ++texts[r.text];
  }
  over = true;
  self.join();
  for (const auto child : children) waitpid(child, nullptr, 0);
  print("answered", of[outcome::answered]);
  print("told why not", of[outcome::told]);
  print("neither", of[outcome::neither]);
  print("beside them, one after the other", beside);
  for (const auto& [text, times] : texts) std::printf("  %u times: %s\n", times, text.c_str());
  return of[outcome::answered].size() + of[outcome::told].size() == count ? 0 : 1;
}
