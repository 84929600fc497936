// pbs_enroll: gives a host, a login host, a follower or a scheduler its certificate. Run on the server's host by the owner of PBS_HOME;
// prints the text of a daemon.pem (CA, certificate, key), or writes it into a file that nobody else can read. It goes to the host's
// mom_priv/daemon.pem, to a login host's server_priv/comm/SERVER.pem, to a follower's follow_priv/daemon.pem or to the scheduler's
// sched_priv/daemon.pem with mode 600 (docs/design/0003-links.md). Nothing is kept: enrolling again gives another certificate.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "actors/link/wire/wire.hpp"
#include "events/model/host/vnode_names.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/version.hpp"

using namespace annals;

namespace {

constexpr const char usage[] =
    "usage: pbs_enroll [-o file] host\n"
    "       pbs_enroll [-o file] --login host\n"
    "       pbs_enroll [-o file] --follower host\n"
    "       pbs_enroll [-o file] [host] --scheduler name\n"
    "       pbs_enroll --version\n";

struct asked {
  std::string host, scheduler, file;  // no file: standard output
  bool for_scheduler = false, for_login = false, for_follower = false;

  int purposes() const { return int{for_scheduler} + int{for_login} + int{for_follower}; }
};

// False: not understood.
bool parse(int argc, char** argv, asked& a) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    constexpr std::string_view scheduler = "--scheduler";
    if (word == scheduler && i + 1 < argc) {
      a.for_scheduler = true;
      a.scheduler = argv[++i];
    } else if (word.starts_with("--scheduler=")) {
      a.for_scheduler = true;
      a.scheduler = word.substr(scheduler.size() + 1);
    } else if (word == "-o" && i + 1 < argc && a.file.empty()) {
      a.file = argv[++i];
    } else if (word == "--login" && !a.for_login) {
      a.for_login = true;
    } else if (word == "--follower" && !a.for_follower) {
      a.for_follower = true;
    } else if (word.starts_with("-") || !a.host.empty()) {
      return false;
    } else {
      a.host = word;
    }
  }
  return a.purposes() <= 1 && (a.for_scheduler || !a.host.empty());
}

// Mode 600 from the beginning; what stood there before is there until the new text is whole.
void write_private(const std::string& file, const std::string& text) {
  const std::string made = file + ".new";
  ::unlink(made.c_str());
  wire::create_private_file(made, text);
  if (std::rename(made.c_str(), file.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  ::unlink(made.c_str());
  throw wire::wire_error(file + ": " + why);
}

// A shell made the file, and its umask says who may read it.
void warn_of_readers() {
  struct stat s {};
  if (::fstat(STDOUT_FILENO, &s) == 0 && S_ISREG(s.st_mode) && (s.st_mode & 077) != 0)
    client::print_error("pbs_enroll: others can read or write the file that standard output is; -o FILE makes one that they can't\n");
}

void warn_of_address(const asked& a) {
  if (a.purposes() == 0 && (model::is_address(a.host) || model::has_colon(a.host)))
    client::print_error("pbs_enroll: %s is an address, and no node can be created by that name: enrol the host by its name\n",
                        a.host.c_str());
}

int enroll(const asked& a) {
  const auto conf = client::read_pbs_conf();
  const std::string dir = conf.pbs_home + "/server_priv/ca";
  if (::access(conf.pbs_home.c_str(), F_OK) != 0) {
    client::print_error("pbs_enroll: no PBS_HOME at %s (%s): run this on the server's host\n", conf.pbs_home.c_str(),
                        conf.file.c_str());
    return 1;
  }
  warn_of_address(a);
  // The server makes the CA on its first start; whoever comes before it makes the same one.
  const auto ca = wire::authority::open_or_create(dir);
  const auto issued = a.for_scheduler  ? ca.issue(wire::identity::kind::scheduler, a.scheduler)
                      : a.for_login    ? ca.issue(wire::identity::kind::comm, a.host)
                      : a.for_follower ? ca.issue(wire::identity::kind::follower, a.host)
                                       : ca.issue(wire::identity::kind::mom, a.host);
  if (!a.file.empty()) {
    write_private(a.file, issued.bundle());
    return 0;
  }
  warn_of_readers();
  std::fputs(issued.bundle().c_str(), stdout);
  if (std::fflush(stdout) == 0) return 0;
  std::perror("pbs_enroll: standard output");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view only = argc == 2 ? argv[1] : "";
  if (only == "--version") return std::puts(client::version_line().c_str()) < 0;
  if (only == "--help") return std::fputs(usage, stdout) < 0;
  asked a;
  if (!parse(argc, argv, a)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return enroll(a);
  } catch (const wire::wire_error& e) {
    client::print_error("pbs_enroll: %s\n", e.what());
    return 1;
  }
}
