// pbsfs: shows and changes the fairshare usage of one scheduler (pbs guide: pbsfs). The tree is the scheduler's resource_group; the
// usage comes from the server, which counts it from its log.
#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/policy.hpp"
#include "events/attributes/ids.hpp"
#include "events/values/number.hpp"
#include "events/values/pbs_error.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/session.hpp"
#include "tools/client/version.hpp"
#include "tools/daemons/fairshare_print.hpp"

namespace {

using namespace annals;
namespace print = fairshare_print;
namespace pbs_error = values::pbs_error;

struct asked {
  char what = 'p';  // the option that counts, the last one; 'w': --why
  std::string scheduler = "default", entity_of_why;
  std::vector<std::string> words;
};

int say(const std::string& line, int status = 1) {
  client::print_error("%s\n", line.c_str());
  return status;
}

// What stands in front of a long option's name alone is its usage; others are told of in getopt's words, and change nothing.
std::optional<int> read_options(int argc, char** argv, asked& a) {
  static char name[] = "pbsfs";
  argv[0] = name;
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0 || word == "--") {
      rest.push_back(argv[i]);
    } else if (word == "--why" && i + 1 < argc) {
      a.what = 'w';
      a.entity_of_why = argv[++i];
    } else if (word == "--version" && argc == 2) {
      std::puts(client::version_line().c_str());
      return 0;
    } else {
      return say("Usage: pbsfs --version");
    }
  }
  rest.push_back(nullptr);
  const int count = static_cast<int>(rest.size()) - 1;
  opterr = 0;  // it prints as it likes
  for (int c = getopt(count, rest.data(), "sgptdceI:"); c != -1; c = getopt(count, rest.data(), "sgptdceI:")) {
    if (c == 'I') a.scheduler = optarg;
    if (c != '?' && c != 'I') a.what = static_cast<char>(c);
    if (c != '?') continue;
    client::print_error("pbsfs: %s -- '%c'\n", optopt == 'I' ? "option requires an argument" : "invalid option", optopt);
    if (optopt != 'I' && a.what == 's') return say("Usage: pbsfs [-I sched_name] -s <fairshare_entity> <usage>");  // "-s e -5"
  }
  for (int i = optind; i < count; ++i) a.words.emplace_back(rest[static_cast<std::size_t>(i)]);
  return std::nullopt;
}

std::optional<int> wrong_usage(const asked& a) {
  const auto n = a.words.size();
  if (a.what == 's' && n != 2) return say("Usage: pbsfs [-I sched_name] -s <fairshare_entity> <usage>");
  if (a.what == 'g' && n != 1) return say("Usage: pbsfs [-I sched_name] -g <fairshare_entity>");
  if (a.what == 'c' && n != 2) return say("Usage: pbsfs [-I sched_name] -c <entity1> <entity2>");
  const bool has_words = a.what == 's' || a.what == 'g' || a.what == 'c';
  if (!has_words && n != 0) return say("Usage: pbsfs -[ptdgcs] [-I sched_name]");
  return std::nullopt;
}

// -- the server ----------------------------------------------------------------------------------------------------------------

client::reply ask_fairshare(client::session& server, const asked& a, const std::function<void(schema::Fairshare::Builder)>& fill) {
  return server.call([&](schema::Request::Builder request) {
    auto f = request.initFairshare();
    f.setScheduler(a.scheduler);
    fill(f);
  });
}

// The status with which the command ends when the server refuses.
std::optional<int> refused(const asked& a, const client::reply& reply) {
  if (!reply.get().isRejected()) return std::nullopt;
  const auto why = reply.get().getRejected();
  if (why.getCode() == pbs_error::unauthorized)
    return say("pbsfs: Must be run by PBS_DAEMON_SERVICE_USER if set or root if not set\n: Success");
  if (why.getCode() == pbs_error::unknown_scheduler) return say("Scheduler " + a.scheduler + " does not exist");
  return say("pbsfs: " + client::refusal_text(why));
}

struct directory {
  std::string path, host;
};
// Nothing: `status` says how to end.
std::optional<directory> scheduler_directory(client::session& server, const asked& a, int& status) {
  client::stat_question question;
  question.kind = schema::ObjectKind::SCHEDULER;
  question.names = {a.scheduler};
  directory found;
  const auto outcome = client::ask(server, question, [&](const client::object_view& object) {
    found.path = client::value_of(object, attributes::scheduler::sched_priv);
    found.host = client::value_of(object, attributes::scheduler::sched_host);
  });
  if (outcome.refused || !outcome.unknown.empty()) status = say("Scheduler " + a.scheduler + " does not exist");
  else if (found.path.empty()) status = say("Scheduler " + a.scheduler + " does not have its sched_priv set");
  else return found;
  return std::nullopt;
}

// -- its files -----------------------------------------------------------------------------------------------------------------

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string up_to_dot(const std::string& host) { return host.substr(0, host.find('.')); }

std::optional<cycle::parsed_policy> read_policy(const asked& a, const directory& of, int& status) {
  if (access(of.path.c_str(), R_OK | X_OK) != 0) {
    status = say(std::string("Unable to access fairshare data: ") + std::strerror(errno));
    if (!of.host.empty() && up_to_dot(of.host) != client::this_host())
      say("pbsfs: scheduler " + a.scheduler + " runs on " + of.host + ": make its directory " + of.path + " readable here too");
    return std::nullopt;
  }
  const auto config = read_file(of.path + "/sched_config").value_or(""), groups = read_file(of.path + "/resource_group").value_or("");
  return cycle::parse_policy(cycle::policy_text({.sched_config = config, .resource_group = groups}));
}

// -- what is asked -------------------------------------------------------------------------------------------------------------

int no_entity(const std::string& name) { return say("Fairshare Entity " + name + " does not exist."); }

int set_usage(client::session& server, const asked& a, const print::standing& s) {
  const auto& entity = a.words[0];
  if (s.tree.find(entity) == cycle::no_share) return no_entity(entity);
  const auto usage = values::parse_real(a.words[1]);
  if (!usage || *usage < 0) return say("Usage: pbsfs [-I sched_name] -s <fairshare_entity> <usage>");
  if (s.tree.leaf(entity) == cycle::no_share)
    return say("pbsfs: " + entity + " is a group: its usage is that of its entities, and nothing was set", 0);
  const auto reply = ask_fairshare(server, a, [&](schema::Fairshare::Builder f) {
    auto set = f.initSet();
    set.setEntity(entity);
    set.setUsage(*usage);
  });
  return refused(a, reply).value_or(0);
}

int trim(client::session& server, const asked& a, const cycle::share_tree& file) {
  const auto reply = ask_fairshare(server, a, [&](schema::Fairshare::Builder f) {
    const auto& all = file.vertices();
    auto stay = f.initTrim(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < all.size(); ++i) stay.set(i, all[i].name);
  });
  return refused(a, reply).value_or(0);
}

int compare(const asked& a, const print::standing& s) {
  for (const auto& name : a.words)
    if (s.tree.find(name) == cycle::no_share) return no_entity(name);
  const auto first = s.usage.more_deserving(s.tree.find(a.words[0]), s.tree.find(a.words[1]));
  client::print_text("%s\n", s.tree.vertices()[first].name.c_str());
  return 0;
}

int why(client::session& server, const asked& a, const std::string& units) {
  const auto reply = ask_fairshare(server, a, [&](schema::Fairshare::Builder f) { f.setWhy(a.entity_of_why); });
  if (const auto status = refused(a, reply)) return *status;
  client::print_whole(print::why(reply.get().getFairshare(), a.entity_of_why, units));
  return 0;
}

int act(client::session& server, const asked& a, const cycle::policy& policy, schema::FairshareAnswer::Reader answer) {
  const auto& units = policy.sharing.usage_text;
  const auto s = print::standing_of(*policy.sharing.tree, answer.getUsages());
  switch (a.what) {
    case 't': client::print_whole(print::tree(s)); return 0;
    case 'g':
      if (s.tree.find(a.words[0]) == cycle::no_share) return no_entity(a.words[0]);
      client::print_whole(print::details(s, s.tree.find(a.words[0]), units));
      return 0;
    case 'c': return compare(a, s);
    case 's': return set_usage(server, a, s);
    case 'd': return refused(a, ask_fairshare(server, a, [](schema::Fairshare::Builder f) { f.setDecay(); })).value_or(0);
    case 'e': return trim(server, a, *policy.sharing.tree);
    case 'w': return why(server, a, units);
    default: client::print_whole(print::table(s, units)); return 0;
  }
}

int run_with(client::session& server, const asked& a) {
  const auto shown = ask_fairshare(server, a, [](schema::Fairshare::Builder f) { f.setShow(); });
  if (const auto status = refused(a, shown)) return *status;
  if (const auto status = wrong_usage(a)) return *status;
  int status = 1;
  const auto directory = scheduler_directory(server, a, status);
  if (!directory) return status;
  const auto policy = read_policy(a, *directory, status);
  if (!policy) return status;
  client::print_whole_error(print::complaints(policy->group_complaints));
  return act(server, a, policy->value, shown.get().getFairshare());
}

int run(int argc, char** argv) {
  asked a;
  if (const auto status = read_options(argc, argv, a)) return *status;
  // Others are told first that it is not for them, whatever they ask.
  if (geteuid() == 0)
    if (const auto status = wrong_usage(a)) return *status;
  try {
    auto server = client::session::open();
    return run_with(server, a);
  } catch (const client::session_error&) {
    return say("Can't connect to the server");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return annals::client::run_command("pbsfs", [&] { return run(argc, argv); });
}
