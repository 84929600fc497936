// pbsdsh: runs a program on the nodes of the job it is called in (pbs guide: pbsdsh).
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/task_manager.hpp"
#include "tools/client/task_signals.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'c', "copies", "run on the first nodes, so many copies; from the first one again when there are more"},
    {'n', "node_index", "run on this node only: a line of the node file, from 0"},
    {'h', "hostname", "run on this host only"},
    {'u', nullptr, "run once on each host"},
    {'s', nullptr, "one after the other: each when the one before has ended"},
    {'o', nullptr, "do not wait for the end; what the tasks write goes to the job's output"},
    {'v', nullptr, "say what is done"},
};
constexpr command pbsdsh = {"pbsdsh",
                            "Usage: pbsdsh [-c copies][-s][-v][-o] -- program [args...]\n"
                            "       pbsdsh [-n node_index][-s][-v][-o] -- program [args...]\n"
                            "       pbsdsh --version\n"
                            "Where -c copies =  run a copy of \"program\" on the first \"copies\" nodes,\n"
                            "      -n node_index = run a copy of \"program\" on the \"node_index\"-th node,\n"
                            "      -h hostname = run a copy of \"program\" on the node named by hostname,\n"
                            "      -s = forces synchronous execution,\n"
                            "      -v = forces verbose output.\n"
                            "      -o = no obits are waited for.\n",
                            options, true};

int usage_error(const command_line& line) {
  for (const auto& p : line.problems) print_error("%s\n", p.c_str());
  usage(pbsdsh);
  return 1;
}

std::optional<std::uint32_t> number(const std::string& text) {
  std::uint32_t n = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (bad != std::errc() || end != text.data() + text.size()) return {};
  return n;
}

struct no_such_node {
  std::string text;
};

// The nodes to run on, in this order; a node may stand there more than once.
std::vector<std::uint32_t> chosen_nodes(const command_line& line, const task_manager& mom) {
  const auto count = static_cast<std::uint32_t>(mom.hosts().size());
  if (count == 0) throw no_such_node{"the job has no nodes"};
  std::vector<std::uint32_t> nodes;
  if (const auto* index = line.find('n')) {
    const auto n = number(*index);
    if (!n || *n >= count) throw no_such_node{"no node " + *index + ": the job has " + std::to_string(count)};
    nodes.push_back(*n);
  } else if (const auto* host = line.find('h')) {
    const auto n = mom.node_of(*host);
    if (!n) throw no_such_node{"no host " + *host + " in the job"};
    nodes.push_back(*n);
  } else {
    std::set<std::string> seen;
    const auto copies = line.has('c') ? number(*line.find('c')).value_or(0) : count;
    for (std::uint32_t i = 0; i < copies; ++i)
      if (!line.has('u') || seen.insert(mom.hosts()[i % count]).second) nodes.push_back(i % count);
  }
  return nodes;
}

int exit_status_of(int status) { return status >= 256 ? 128 + (status - 256) % 128 : status & 255; }

class shell {
 public:
  shell(const command_line& line, task_manager& mom) : line_(line), mom_(mom) { mom_.wait_with(signals_.mask()); }
  ~shell() { mom_.wait_with(nullptr); }
  shell(const shell&) = delete;
  shell& operator=(const shell&) = delete;

  int run(const std::vector<std::uint32_t>& nodes) {
    for (const auto node : nodes) {
      if (told_to_end_) break;
      spawn(node);
      if (line_.has('s')) wait();
    }
    wait();
    return status_;
  }

 private:
  struct spawning {
    std::uint32_t node;
    std::vector<int> signals;  // that came since it was asked for
  };

  void spawn(std::uint32_t node) {
    const auto question = mom_.ask([&](schema::TmRequest::Builder r) {
      auto s = r.initSpawn();
      s.setNode(node);
      s.setOutput(!line_.has('o'));
      auto argv = s.initArgv(static_cast<unsigned>(line_.words.size()));
      for (unsigned i = 0; i < argv.size(); ++i) argv.set(i, line_.words[i]);
    });
    spawning_[question] = {node, {}};
  }

  void wait() {
    while (!spawning_.empty() || !running_.empty()) {
      if (const int signal = signals_.taken()) hand_on(signal);
      if (spawning_.empty() && signalling_.empty()) signals_.settled();
      if (const auto reply = mom_.next(-1)) take(reply->get());
    }
  }

  void take(schema::TmReply::Reader r) {
    if (r.isOutput()) return mom_.print(r.getOutput());
    if (const auto asked = spawning_.extract(r.getQuestion())) return spawned(r, asked.mapped());
    if (const auto sent = signalling_.extract(r.getQuestion())) return signalled(r, sent.mapped());
    const auto watched = running_.extract(r.getQuestion());
    if (!watched) return;
    if (r.isFailed()) return failed("error on obit: " + schema::str(r.getFailed().getText()));
    const int status = exit_status_of(r.getOver());
    if (status != 0) status_ = status;
    if (status != 0 || line_.has('v')) print_error("pbsdsh: task 0x%08X exit status %d\n", watched.mapped(), status);
  }

  void spawned(schema::TmReply::Reader r, const spawning& asked) {
    if (r.isFailed()) return failed("error on spawn: " + mom_.hosts()[asked.node] + ": " + schema::str(r.getFailed().getText()));
    const auto task = r.getSpawned();
    if (line_.has('v')) print_error("pbsdsh: spawned task 0x%08X on logical node %u\n", task, asked.node);
    for (const int s : asked.signals) signal(task, s);
    if (line_.has('o')) return;
    running_[mom_.ask([&](schema::TmRequest::Builder b) { b.setWatch(task); })] = task;
  }

  // Nobody waits for a task that can't be told to end. One that has ended meanwhile is another matter: its end is on its way.
  void signalled(schema::TmReply::Reader r, std::uint32_t task) {
    if (!r.isFailed() || r.getFailed().getCode() != tm_system_error) return;
    const auto waited_for = [&](const auto& one) { return one.second == task; };
    if (std::erase_if(running_, waited_for) > 0) failed("error on signal: " + schema::str(r.getFailed().getText()));
  }

  void failed(const std::string& why) {
    print_error("pbsdsh: %s\n", why.c_str());
    status_ = 1;
  }

  // A task may run, and even have written something, before it is known by its number.
  void hand_on(int s) {
    told_to_end_ = true;
    for (const auto& [question, task] : running_) signal(task, s);
    for (auto& [question, asked] : spawning_) asked.signals.push_back(s);
  }

  void signal(std::uint32_t task, int s) {
    print_error("pbsdsh: killing task 0x%08X signal %d\n", task, s);
    signalling_[mom_.ask([&](schema::TmRequest::Builder r) {
      r.initSignal().setTask(task);
      r.getSignal().setSignal(s);
    })] = task;
  }

  const command_line& line_;
  task_manager& mom_;
  task_signals signals_{"pbsdsh"};
  bool told_to_end_ = false;                           // by a signal: nothing more is started
  std::map<std::uint64_t, spawning> spawning_;         // by question
  std::map<std::uint64_t, std::uint32_t> running_;     // question for the end -> task
  std::map<std::uint64_t, std::uint32_t> signalling_;  // question that hands a signal on -> task
  int status_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)parse_options_or_exit(pbsdsh, argc, argv);
  const auto line = parse_options(pbsdsh, arguments);
  const int placements = line.has('c') + line.has('n') + line.has('h') + line.has('u');
  const bool copies_good = !line.has('c') || number(*line.find('c')).value_or(0) > 0;
  if (!line.problems.empty() || line.words.empty() || placements > 1 || !copies_good) return usage_error(line);
  try {
    auto mom = task_manager::join();
    return shell(line, mom).run(chosen_nodes(line, mom));
  } catch (const no_such_node& n) {
    print_error("pbsdsh: %s\n", n.text.c_str());
  } catch (const std::exception& e) {
    print_error("pbsdsh: %s\n", e.what());
  }
  return 1;
}
