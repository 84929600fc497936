// A hook worker: reads one Bind, puts on its sandbox, compiles the script, then runs it once for each Request until the
// daemon closes the pipe. Started by the pool with the pipe as descriptor 3 (docs/design/0019-hook-workers.md) and, on the server,
// the directory in which its scratch directory is to be made.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>

#include "hooks-runtime/pbs_module/refusals.hpp"
#include "hooks-runtime/pbs_module/script.hpp"
#include "hooks-runtime/protocol/frames.hpp"
#include "hooks-runtime/protocol/hook_limits.hpp"
#include "hooks-runtime/worker/cpu_budget.hpp"
#include "hooks-runtime/worker/guard.hpp"
#include "hooks-runtime/worker/sandbox.hpp"
#include "hooks-runtime/worker/scratch.hpp"

using namespace annals;
using namespace annals::hooks;

namespace {

constexpr int daemon_pipe = 3;

// The daemon's end of the pipe. Whatever goes wrong with it ends the process: without the daemon there is nothing to
// do.
class daemon_link {
 public:
  schema::sealed<protocol::ToWorker> read() {
    schema::sealed_message message;
    for (;;) {
      const auto found = in_.next(message);
      if (found == frame_reader::found::message) return schema::sealed<protocol::ToWorker>(std::move(message));
      if (found == frame_reader::found::garbage) ::_exit(EXIT_FAILURE);
      // Who sleeps in read() on such a socket is also woken when the daemon takes a reply off it, just to sleep again.
      pollfd something{daemon_pipe, POLLIN, 0};
      (void)::poll(&something, 1, -1);
      std::byte buffer[64 * 1024];
      const ssize_t n = ::read(daemon_pipe, buffer, sizeof buffer);
      if (n == 0 || (n < 0 && errno != EINTR)) ::_exit(n == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
      if (n > 0) in_.feed({buffer, static_cast<std::size_t>(n)});
    }
  }

  template <class Fill>
  void write(std::uint64_t nonce, Fill&& fill) {
    capnp::MallocMessageBuilder message(kj::arrayPtr(bootstrap_events_.data(), bootstrap_events_.size()));
    auto from = message.initRoot<protocol::FromWorker>();
    from.setNonce(nonce);
    fill(from);
    const std::string bytes = framed(message);
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::write(daemon_pipe, bytes.data() + at, bytes.size() - at);
      if (n < 0 && errno != EINTR) ::_exit(EXIT_FAILURE);
      if (n > 0) at += static_cast<std::size_t>(n);
    }
  }

 private:
  frame_reader in_{limits::hook_request_bytes_max};
  std::array<capnp::word, 512> bootstrap_events_{};  // of what is written; most replies need no more. Zero between messages
};

// The configuration as a file that goes away with the process and that a changed user can still open.
std::string configuration_file(capnp::Data::Reader bytes) {
  const int fd = ::memfd_create("hook_configuration", 0);
  if (fd < 0) return {};
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.begin() + at, bytes.size() - at);
    if (n <= 0) return {};
    at += static_cast<std::size_t>(n);
  }
  ::fchmod(fd, 0444);
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd);
}

hook_home home_of(protocol::Bind::Reader bind) {
  hook_home home;
  home.hook_name = schema::str(bind.getHookName());
  home.local_node = schema::str(bind.getLocalNode());
  home.on_mom = bind.getOnMom();
  home.may_start_processes = bind.getSandbox().getProcesses();
  home.may_use_network = bind.getSandbox().getNetwork();
  home.output_bytes_max = bind.getLimits().getOutputBytes();
  if (bind.getHasConfiguration()) home.configuration_file = configuration_file(bind.getConfiguration());
  for (const auto pair : bind.getPbsConf())
    home.pbs_conf.emplace_back(schema::str(pair.getName()), schema::str(pair.getValue()));
  for (const auto r : bind.getResources())
    home.resources.create(schema::text(r.getName()), schema::text(r.getType()), "");
  return home;
}

std::uint64_t cpu_micros() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(used.tv_nsec) / 1000;
}

void run_one(const script& hook, const hook_home& home, const schema::sealed<protocol::ToWorker>& message, daemon_link& daemon) {
  const auto request = message.get().getRequest();
  const auto ask = [&](const schema::sealed<protocol::Question>& question) {
    daemon.write(request.getNonce(), [&](protocol::FromWorker::Builder b) { b.setQuestion(question.get()); });
    const auto answer = daemon.read();
    if (!answer.get().isAnswer()) ::_exit(EXIT_FAILURE);
    return schema::copy_of<protocol::Answer>(answer.get().getAnswer());
  };
  const auto say = [&](const run_state::line& said) {
    daemon.write(request.getNonce(), [&](protocol::FromWorker::Builder b) {
      auto line = b.initLine();
      line.setLevel(said.level);
      line.setJob(said.job);
      line.setMessage(said.message);
    });
  };
  run_state run(home, request, ask, say);
  const auto cpu_before = request.getMeasureCpu() ? cpu_micros() : 0;
  hook.run(run);
  const auto cpu = request.getMeasureCpu() ? cpu_micros() - cpu_before : 0;
  daemon.write(request.getNonce(), [&](protocol::FromWorker::Builder b) {
    run.write(b.initReply());
    b.getReply().setCpuMicros(cpu);
  });
}

[[noreturn]] void serve(const scratch_directory& scratch, int to_guard) {
  daemon_link daemon;
  if (!start_python(true)) ::_exit(EXIT_FAILURE);
  const auto first = daemon.read();
  if (!first.get().isBind()) ::_exit(EXIT_FAILURE);
  const auto bind = first.get().getBind();
  const hook_home home = home_of(bind);
  set_environment("PBS_HOOK_CONFIG_FILE", home.configuration_file);
  if (!bind.getSandbox().getCapabilities()) set_environment("TMPDIR", scratch.path);
  std::string trouble = put_on_sandbox(bind, scratch, to_guard);
  ::close(to_guard);
  tell_of_refusals(home);
  script hook;
  const auto source = bind.getSource();
  if (trouble.empty())
    trouble = hook.compile({reinterpret_cast<const char*>(source.begin()), source.size()}, home.hook_name);
  daemon.write(0, [&](protocol::FromWorker::Builder b) { b.setBound(trouble); });
  for (;;) {
    grant_cpu_seconds(bind.getLimits().getCpuSeconds());  // of the next run; while nobody waits for it
    const auto message = daemon.read();
    if (!message.get().isRequest()) ::_exit(EXIT_FAILURE);
    run_one(hook, home, message, daemon);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::close_range(daemon_pipe + 1, ~0u, 0);
  // A program that a script starts does not get the pipe.
  ::fcntl(daemon_pipe, F_SETFD, FD_CLOEXEC);
  if (::chdir("/") != 0) return EXIT_FAILURE;
  ::umask(022);
  scratch_directory scratch;
  const int to_guard = stand_guard(argc > 1 ? argv[1] : "", scratch);
  if (to_guard < 0) return EXIT_FAILURE;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with the guard
  serve(scratch, to_guard);
}
