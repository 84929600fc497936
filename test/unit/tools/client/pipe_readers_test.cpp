#include "tools/client/pipe_readers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "actors/link/wire/socket_path.hpp"

using namespace annals;
using namespace annals::client;

namespace {

struct a_pipe {
  a_pipe() {
    int ends[2];
    BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    out = wire::unique_fd(ends[0]);
    in = wire::unique_fd(ends[1]);
  }
  std::string name() const { return name_of_open_file(in.get()); }
  wire::unique_fd out, in;
};

// A process below this one; it is killed in the end.
class child {
 public:
  explicit child(const std::function<void()>& does) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    does();
    ::_exit(0);
  }
  ~child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  // Until it sleeps in a call.
  void rests() const {
    for (std::string line; line.find(") S ") == line.npos; std::this_thread::yield())
      std::getline(std::ifstream("/proc/" + std::to_string(pid_) + "/stat"), line);
  }

  // Its exit status.
  int end() const {
    siginfo_t how{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOWAIT);
    return how.si_status;
  }

 private:
  pid_t pid_;
};

// As descriptor 0, and nowhere else.
void becomes_input(const a_pipe& p) {
  ::dup2(p.out.get(), 0);
  ::close(p.out.get());
  ::close(p.in.get());
}

using doing = std::function<void()>;

// Comes back when a process that does so waits for the pipe.
void comes_to_wait(const doing& does) {
  const a_pipe p;
  const child c([&] {
    becomes_input(p);
    does();
  });
  while (!someone_waits_for(p.name(), ::getpid())) std::this_thread::yield();
}

// Of a process that does so and has come to rest.
bool waits(const doing& does) {
  const a_pipe p;
  const child c([&] {
    becomes_input(p);
    does();
  });
  c.rests();
  return someone_waits_for(p.name(), ::getpid());
}

void rest() {
  while (true) ::pause();
}

int epoll_of(int watched, std::uint32_t events) {
  const int all = ::epoll_create1(0);
  epoll_event e{.events = events, .data = {}};
  if (::epoll_ctl(all, EPOLL_CTL_ADD, watched, &e) != 0) std::abort();
  return all;
}

void wait_with_epoll(int watched, std::uint32_t events) {
  epoll_event e{};
  ::epoll_wait(epoll_of(watched, events), &e, 1, -1);
}

void wait_with_select(int watched) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(watched, &set);
  ::select(watched + 1, &set, nullptr, nullptr, nullptr);
}

void wait_with_poll(int watched, short events) {
  std::array<pollfd, 3> p{{{-1, POLLIN, 0}, {watched, events, 0}, {-1, POLLIN, 0}}};
  ::poll(p.data(), p.size(), -1);
}

char byte;
iovec part{&byte, 1};

void read_from(int fd) { [[maybe_unused]] const auto n = ::read(fd, &byte, 1); }

}  // namespace

BOOST_AUTO_TEST_SUITE(pipe_readers)

BOOST_AUTO_TEST_CASE(who_is_in_a_call_that_reads_the_pipe_waits_for_it) {
  comes_to_wait([] { read_from(0); });
  comes_to_wait([] { ::readv(0, &part, 1); });
  comes_to_wait([] { ::preadv2(0, &part, 1, -1, 0); });
  comes_to_wait([] {
    const a_pipe other;
    ::splice(0, nullptr, other.in.get(), nullptr, 1, 0);
  });
  comes_to_wait([] {
    const int copy = ::fcntl(0, F_DUPFD, 70);
    ::close(0);
    read_from(copy);
  });
}

BOOST_AUTO_TEST_CASE(who_waits_until_the_pipe_can_be_read_waits_for_it) {
  comes_to_wait([] { wait_with_poll(0, POLLIN); });
  comes_to_wait([] { wait_with_select(0); });
  comes_to_wait([] { wait_with_select(::fcntl(0, F_DUPFD, 200)); });
  comes_to_wait([] { wait_with_epoll(0, EPOLLIN); });
  comes_to_wait([] { wait_with_poll(epoll_of(0, EPOLLIN), POLLIN); });
}

BOOST_AUTO_TEST_CASE(who_has_set_the_pipe_so_that_reading_never_waits_means_to_read_it) {
  comes_to_wait([] {
    ::fcntl(0, F_SETFL, O_NONBLOCK);
    rest();
  });
}

BOOST_AUTO_TEST_CASE(any_thread_of_any_descendant_counts) {
  comes_to_wait([] {
    std::thread([] { read_from(0); }).detach();
    rest();
  });
  comes_to_wait([] {
    const child inner([] { read_from(0); });
    rest();
  });
}

BOOST_AUTO_TEST_CASE(who_can_not_be_looked_at_is_taken_to_wait) {
  const a_pipe p;
  const child other_user([&] {
    if (::setuid(65534) != 0 && ::geteuid() == 0) ::_exit(2);
    const child hidden([&] {
      becomes_input(p);
      ::prctl(PR_SET_DUMPABLE, 0);  // as a program that runs with another user's rights
      rest();
    });
    hidden.rests();
    ::_exit(someone_waits_for(p.name(), ::getpid()) ? 0 : 1);
  });
  BOOST_TEST(other_user.end() == 0);
}

BOOST_AUTO_TEST_CASE(who_waits_for_something_else_does_not_wait_for_the_pipe) {
  const auto with_another = [](void (*waits_for)(int)) {
    return [waits_for] { waits_for(a_pipe().out.get()); };
  };
  BOOST_TEST(!waits(rest));
  BOOST_TEST(!waits([] { ::sleep(1000); }));
  BOOST_TEST(!waits(with_another(read_from)));
  BOOST_TEST(!waits(with_another([](int fd) { wait_with_poll(fd, POLLIN); })));
  BOOST_TEST(!waits(with_another(wait_with_select)));
  BOOST_TEST(!waits(with_another([](int fd) { wait_with_epoll(fd, EPOLLIN); })));
  BOOST_TEST(!waits([] { wait_with_poll(0, 0); }));  // until everybody has closed it
  BOOST_TEST(!waits([] { wait_with_epoll(0, EPOLLHUP); }));
  const a_pipe nobodys;
  comes_to_wait([] { read_from(0); });
  BOOST_TEST(!someone_waits_for(nobodys.name(), ::getpid()));
}

BOOST_AUTO_TEST_SUITE_END()
