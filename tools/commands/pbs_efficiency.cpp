// pbs_efficiency: how much of the cpus that they were given, and of the memory and the walltime that they asked for, one's own jobs made
// use of. PBS has no such command; `pbs_audit efficiency` tells it of all jobs from the log, which only root reads.
#include <pwd.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "events/values/string_list.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/option_values.hpp"
#include "tools/client/options.hpp"
#include "tools/client/print/efficiency.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'F', "format", "json: as data"},
    {'u', "users", "jobs of these users, instead of one's own"},
};
constexpr command efficiency = {"pbs_efficiency",
                                "usage: pbs_efficiency [-F json] [-u users] [--since MOMENT]\n"
                                "       pbs_efficiency [-F json] job...\n"
                                "       pbs_efficiency --version\n",
                                options};
constexpr const char since_help[] = "  --since MOMENT       leave out jobs that ended before\n";

std::string own_name() {
  const passwd* const user = getpwuid(getuid());
  return user ? user->pw_name : std::to_string(getuid());
}

class report {
 public:
  // Answers the exit status; what could not be told has been said.
  int ask_about(stat_question q, const std::string& server) {
    q.history = schema::History::ALSO;
    q.subjobs = true;
    q.wanted = attributes_of_efficiency();
    session connection = session::to_read_with_first_request(server);
    const auto outcome = ask(connection, q, [&](const object_view& job) {
      if (auto run = efficiency_of(job)) runs_.push_back(std::move(*run));
    });
    if (outcome.refused) return print_refusal("pbs_efficiency", outcome.refused->code, outcome.refused->text);
    int status = 0;
    for (const auto& u : outcome.unknown) status = print_refusal("pbs_efficiency", u.code, u.text, u.name);
    return status;
  }

  bool empty() const { return runs_.empty(); }
  int print(bool json, const std::string& server) const {
    output out;
    if (json) put_efficiency_json(out.text(), runs_, std::time(nullptr), pbs_version(), short_server_name(server));
    else values::put_efficiency_table(out.text(), runs_);
    out.flush();
    return out.failed() ? 1 : 0;
  }

 private:
  std::vector<job_efficiency> runs_;
};

stat_question of_users(const command_line& line, std::int64_t since_s) {
  stat_question q;
  q.since_s = since_s;
  const auto* users = line.find('u');
  if (users == nullptr) q.users = {own_name()};
  else
    for (const auto& user : values::split_trimmed(*users)) q.users.emplace_back(user);
  return q;
}

int tell(const command_line& line, std::int64_t since_s) {
  const auto server = server_name();
  report told;
  const auto about = [&](const job_name& job) {
    stat_question q;
    q.names = {job.id};
    return told.ask_about(std::move(q), job.server);
  };
  const bool named = !line.words.empty();
  const int status = named ? for_each_job("pbs_efficiency", line.words, server, about) : told.ask_about(of_users(line, since_s), {});
  if (status != 0 && told.empty()) return status;
  const int printed = told.print(line.has('F'), server);
  return status != 0 ? status : printed;
}

std::optional<std::string> check(const given& g) {
  const bool good = g.letter == 'F' ? g.value == "json" : !g.value.empty();
  return good ? std::nullopt : std::optional<std::string>("");
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") return std::puts(version_line().c_str()) < 0;
  if (arguments.size() == 1 && arguments[0] == "--help") return std::printf("%s%s", help_text(efficiency).c_str(), since_help) < 0;
  std::int64_t since_s = 0;
  const auto since = take_long_option(arguments, "--since");
  if (since) {
    const auto at = parse_moment(*since);
    if (!at || at->what != moment::kind::wall_time || at->wall_ns <= 0) {
      print_error("%s", time_error("pbs_efficiency", "--since", *since).c_str());
      return usage(efficiency);
    }
    since_s = at->seconds_or(0);
  }
  command_line line = parse_options(efficiency, arguments, check);
  if (!line.words.empty() && (since || line.has('u'))) line.problems.push_back("pbs_efficiency: conflicting options: jobs are named.");
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  return line.problems.empty() ? tell(line, since_s) : usage(efficiency);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_efficiency", [&] { return run(argc, argv); });
}
