// pbs_tmrsh: runs a command on a host of the job, as rsh would: its output and its exit status come back. What MPI launchers
// use in the place of ssh (pbs guide: pbs_tmrsh).
#include <fcntl.h>
#include <poll.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/client/printed.hpp"
#include "tools/client/task_input.hpp"
#include "tools/client/task_manager.hpp"
#include "tools/client/task_signals.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;

constexpr int failed = 255;  // rsh's own failures

int usage() {
  std::fputs(
      "usage: pbs_tmrsh [-n][-l username] host [-n][-l username] command\n"
      "       pbs_tmrsh --version\n",
      stderr);
  return failed;
}

struct call {
  std::vector<std::string> users;
  std::string host, command;
  bool input_at_once = false, no_input = false;
};

// How our input becomes that of the command.
enum class passing { none,
                     at_need,
                     at_once };

// ssh's and rsh's options that have no effect: a task has no connection of its own, no keys and no terminal.
constexpr std::string_view plain_options = "46AaCKkqTtvXxYy", options_with_value = "bceFimp";
// Those that ask for what a task of a job can't give.
constexpr std::string_view refused_options = "DEfGgIJLMNOQRSsVWw";

// The words of the command line, read from the left.
class reader {
 public:
  explicit reader(const std::vector<std::string>& words) : words_(words) {}

  // Options may stand before the host and after it; what follows the first other word is the command, whatever it looks like.
  bool read(call& c) {
    if (!options(c) || at_ == words_.size()) return false;
    c.host = words_[at_++];
    if (const auto sign = c.host.rfind('@'); sign != std::string::npos) {
      c.users.push_back(c.host.substr(0, sign));
      c.host.erase(0, sign + 1);
    }
    if (!options(c) || at_ == words_.size()) return false;
    for (; at_ < words_.size(); ++at_) c.command += (c.command.empty() ? "" : " ") + words_[at_];
    return true;
  }

 private:
  bool options(call& c) {
    for (; at_ < words_.size() && words_[at_].starts_with('-') && words_[at_].size() > 1; ++at_) {
      if (words_[at_] == "--") {
        ++at_;
        return true;
      }
      if (words_[at_] == "--input") c.input_at_once = true;
      else if (!option_word(c)) return false;
    }
    return true;
  }

  // "-n", "-qx", "-nl name", "-oBatchMode=yes"
  bool option_word(call& c) {
    const std::string_view word = words_[at_];
    for (std::size_t letter = 1; letter < word.size(); ++letter) {
      const char o = word[letter];
      if (o == 'n') c.no_input = true;
      if (o == 'n' || is_of(plain_options, o)) continue;
      if (is_of(refused_options, o)) client::print_error("pbs_tmrsh: -%c: not for a task of a job\n", o);
      if (o != 'l' && o != 'o' && !is_of(options_with_value, o)) return false;
      if (letter + 1 == word.size() && ++at_ == words_.size()) return false;
      return take(c, o, letter + 1 == word.size() ? words_[at_] : std::string(word.substr(letter + 1)));
    }
    return true;
  }

  static bool is_of(std::string_view letters, char letter) { return letters.find(letter) != letters.npos; }

  static bool take(call& c, char option, const std::string& value) {
    if (option == 'l') c.users.push_back(value);
    if (option != 'o') return true;
    const auto end = value.find_first_of("= ");
    const auto begin = value.find_first_not_of("= ", end);
    if (end == 0 || begin == std::string::npos) {
      client::print_error("pbs_tmrsh: -o: not Name=value: %s\n", value.c_str());
      return false;
    }
    if (strcasecmp(value.substr(0, end).c_str(), "user") == 0) c.users.push_back(value.substr(begin));
    return true;
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
};

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

int exit_status_of(int status) { return status >= 256 ? 128 + (status - 256) % 128 : status & 255; }

// A task of a job is its user's.
bool is_good_user(const std::string& user) {
  return user == variable("PBS_O_LOGNAME", "") || user == variable("USER", "") || user == variable("LOGNAME", "");
}

// Beside bin, where this program is, on each host.
std::string input_program() {
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return (bin.parent_path() / "libexec" / "pbs_task_input").string();
}

// A terminal and a device such as /dev/null are nobody's input but ours.
bool holds_bytes_for_a_task() {
  struct stat input {};
  const int flags = ::fcntl(0, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && ::fstat(0, &input) == 0 &&
         (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode) || S_ISREG(input.st_mode));
}

passing passing_of(const call& c) {
  if (c.no_input) return passing::none;
  if (!c.input_at_once) return holds_bytes_for_a_task() ? passing::at_need : passing::none;
  if (::isatty(0)) throw std::runtime_error("--input: a terminal can't be the input of a task");
  return passing::at_once;
}

std::vector<std::string> words_of_task(const call& c, client::task_manager& mom, passing how, const client::input_door* door) {
  std::vector<std::string> words{variable("SHELL", "/bin/sh"), "-c", c.command};
  if (!door) return words;
  const auto here = mom.node_of("localhost");
  if (!here && how == passing::at_once) throw std::runtime_error("which host of the job this is can't be told, so it can have no input");
  words.insert(words.begin(),
               {input_program(), how == passing::at_once ? "take" : "offer", here ? std::to_string(*here) : "unknown", door->name()});
  return words;
}

// The task that the command becomes, from the question for it to its end.
class remote_command {
 public:
  remote_command(client::task_manager& mom, std::optional<client::input_door>& door) : mom_(mom), door_(door) {
    mom_.wait_with(signals_.mask());
  }
  ~remote_command() { mom_.wait_with(nullptr); }
  remote_command(const remote_command&) = delete;
  remote_command& operator=(const remote_command&) = delete;

  // Its exit status.
  int run(std::uint32_t node, const std::vector<std::string>& words) {
    spawn_ = mom_.ask([&](schema::TmRequest::Builder r) {
      auto s = r.initSpawn();
      s.setNode(node);
      s.setOutput(true);
      auto argv = s.initArgv(static_cast<unsigned>(words.size()));
      for (unsigned i = 0; i < argv.size(); ++i) argv.set(i, words[i]);
    });
    while (!status_) {
      hand_signals_on();
      if (const auto reply = next()) take(reply->get());
    }
    return *status_;
  }

 private:
  // Nothing: a signal came, or the input went its way.
  std::optional<client::tm_reply> next() {
    if (!door_) return mom_.next(-1);
    if (auto reply = mom_.next(0)) return reply;
    pollfd p[2] = {{mom_.descriptor(), POLLIN, 0}, {door_->descriptor(), POLLIN, 0}};
    if (::ppoll(p, 2, nullptr, signals_.mask()) > 0 && p[1].revents && door_->hand_over()) door_.reset();
    return {};
  }

  // Those that come before the task has a number wait for it.
  void hand_signals_on() {
    if (const int signal = signals_.taken()) came_.push_back(signal);
    if (!task_) return;
    for (const int signal : std::exchange(came_, {}))
      signalling_.insert(mom_.ask([&](schema::TmRequest::Builder r) {
        r.initSignal().setTask(*task_);
        r.getSignal().setSignal(signal);
      }));
    if (signalling_.empty()) signals_.settled();
  }

  void take(schema::TmReply::Reader r) {
    if (r.isOutput()) return mom_.print(r.getOutput());
    const auto question = r.getQuestion();
    const bool of_signal = signalling_.erase(question) > 0;
    if (r.isFailed()) return refused(r.getFailed(), of_signal);
    if (question == spawn_) {
      task_ = r.getSpawned();
      mom_.ask([&](schema::TmRequest::Builder b) { b.setWatch(*task_); });
    } else if (r.isOver()) {
      status_ = exit_status_of(r.getOver());
    }
  }

  // A task that can't be told to end is not waited for. One that has ended meanwhile is: its end is on its way.
  static void refused(schema::TmFailure::Reader why, bool of_signal) {
    if (!of_signal || why.getCode() == client::tm_system_error) throw client::tm_failure(why.getCode(), schema::str(why.getText()));
  }

  client::task_manager& mom_;
  std::optional<client::input_door>& door_;
  client::task_signals signals_{"pbs_tmrsh"};
  std::uint64_t spawn_ = 0;             // the question for it
  std::optional<std::uint32_t> task_;   // when it runs
  std::optional<int> status_;           // when it has ended
  std::vector<int> came_;               // signals
  std::set<std::uint64_t> signalling_;  // questions that hand them on
};

int run(const call& c) {
  const auto how = passing_of(c);  // before anything is opened, which could become descriptor 0
  auto mom = client::task_manager::join();
  const auto node = mom.node_of(c.host);
  if (!node) {
    client::print_error("pbs_tmrsh: host \"%s\" is not a node in job <%s>\n", c.host.c_str(), variable("PBS_JOBID", "").c_str());
    return failed;
  }
  std::optional<client::input_door> door;
  if (how != passing::none) door.emplace();
  const auto words = words_of_task(c, mom, how, door ? &*door : nullptr);
  return remote_command(mom, door).run(*node, words);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--version"}) {
    std::puts(client::version_line().c_str());
    return 0;
  }
  call c;
  const bool complete = reader(words).read(c);
  const auto stranger = std::find_if_not(c.users.begin(), c.users.end(), is_good_user);
  if (stranger != c.users.end()) client::print_error("pbs_tmrsh: bad user \"%s\"\n", stranger->c_str());
  if (!complete || stranger != c.users.end()) return usage();
  try {
    return run(c);
  } catch (const std::exception& e) {
    client::print_error("pbs_tmrsh: %s\n", e.what());
    return failed;
  }
}
