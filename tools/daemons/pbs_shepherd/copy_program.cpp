#include "tools/daemons/pbs_shepherd/copy_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/daemons/pbs_shepherd/launch.hpp"
#include "tools/daemons/pbs_shepherd/text_file.hpp"

namespace annals::shepherd {
namespace {

std::string without_last_newlines(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

std::string remote_name(const mom::user_request& request, const std::string& host, const std::string& path) {
  return (request.user.empty() ? "" : request.user + '@') + host + ':' + path;
}

attempt run_copy(const std::vector<std::string>& program_words, const std::vector<std::string>& operands, const mom::user_request& request) {
  if (program_words.empty()) return {.wrong = "no copy program", .command = {}};
  std::vector<std::string> arguments = program_words;
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  attempt a;
  for (const auto& word : arguments) a.command += (a.command.empty() ? "" : " ") + word;
  const std::vector<std::string> environment{"HOME=" + request.home, "USER=" + request.user, "LOGNAME=" + request.user,
                                             "PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/sh"};
  int said[2];
  if (pipe2(said, O_CLOEXEC) != 0) return {.wrong = strerror(errno), .command = a.command};
  program p;
  p.path = arguments.front().c_str();
  p.argv = pointers(arguments);
  p.envp = pointers(environment);
  p.directory = "/";
  p.own_session = false;  // who ends this process ends the copying with it
  p.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  p.out = said[1];
  p.err = said[1];
  const launched l = launch(p);
  close(p.in);
  close(said[1]);
  a.wrong = without_last_newlines(read_text(said[0]));
  close(said[0]);
  int status = 0;
  while (l.pid > 0 && waitpid(l.pid, &status, 0) < 0 && errno == EINTR) {
  }
  a.status = l.pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  if (l.pid > 0 && status == 0) a.wrong.clear();
  else if (a.wrong.empty()) a.wrong = "exit status " + std::to_string(a.status);
  return a;
}

}  // namespace annals::shepherd
