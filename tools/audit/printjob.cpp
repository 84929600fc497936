// printjob: all that the server knows of jobs, for root (pbs guide: printjob). Attributes are asked of the server; scripts are read
// from its log, so they can be had on its host only, also while it is down.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "tools/audit/job_dump.hpp"
#include "tools/audit/kept_script.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"

namespace {

using namespace annals;

constexpr client::option options[] = {
    {'a', nullptr, "without the attributes"},
    {'s', nullptr, "the job's script instead"},
};
constexpr client::command printjob = {"printjob",
                                      "Usage: printjob [-a] (jobid|file)\n"
                                      "       printjob -s jobid\n"
                                      "       printjob --version\n",
                                      options};

// Root, or whoever the server's files belong to.
bool may_see(const std::string& home) {
  struct stat is {};
  return geteuid() == 0 || (stat((home + "/server_priv").c_str(), &is) == 0 && is.st_uid == geteuid());
}

int not_found(const std::string& word) {
  const auto server = client::server_name();
  const bool whole = word.find('.') != std::string::npos;
  client::print_error("Job %s not found\n", (whole ? word : word + "." + server.substr(0, server.find_first_of(".:"))).c_str());
  return 1;
}

// A subjob that has not begun is no job of its own: the server tells of its array then.
bool is_own(const client::object_view& job) {
  const auto open = job.name.find('[');
  const bool subjob = open != std::string_view::npos && job.name.substr(open, 2) != "[]";
  return !subjob || !client::value_of(job, attributes::job::array_index).empty();
}

// With the history, where the server keeps one.
client::stat_outcome ask(client::session& server, const std::string& id, std::vector<client::kept_object>& found) {
  client::stat_question question;
  question.names = {id};
  question.history = schema::History::ALSO;
  auto outcome = client::ask_all(server, question, found);
  if (!outcome.refused) return outcome;
  question.history = schema::History::LIVE;
  return client::ask_all(server, question, found);
}

int print_job(const std::string& word, bool with_attributes) {
  const auto name = client::parse_job_name(word, client::server_name());
  if (!name) return not_found(word);
  auto server = client::session::open_to_read(name->server);
  std::vector<client::kept_object> found;
  const auto outcome = ask(server, name->id, found);
  if (outcome.refused) return client::print_refusal("printjob", outcome.refused->code, outcome.refused->text);
  if (found.empty() || !is_own(found.front().view())) return not_found(word);
  client::output out;
  for (const auto& job : found) audit::put_job_dump(out.text(), job.view(), with_attributes);
  out.flush();
  return 0;
}

class scripts {
 public:
  explicit scripts(const std::string& home) {
    auto opened = log::open_for_audit(home + "/server_priv/log");
    if (const auto* why = std::get_if<ports::store_status>(&opened)) throw std::runtime_error(why->text);
    store_ = std::get<0>(std::move(opened));
  }

  int print(const std::string& word) const {
    const auto name = client::parse_job_name(word, client::server_name());
    if (!name) return not_found(word);
    const auto script = audit::script_of(*store_, name->id);
    if (!script.known) return not_found(word);
    if (!script.text) return client::print_error("printjob: job %s %s\n", name->id.c_str(), script.why.c_str()), 1;
    client::output out;
    audit::put_title(out.text(), "Jobscript for jobid:" + name->id);
    out.put_content(*script.text + " \n");
    out.flush();
    return 0;
  }

 private:
  std::unique_ptr<log::audit_store> store_;
};

int run(const client::command_line& line, const std::string& home) {
  const auto kept = line.has('s') ? std::make_unique<scripts>(home) : nullptr;
  int status = 0;
  for (const auto& word : line.words) status = std::max(status, kept ? kept->print(word) : print_job(word, !line.has('a')));
  return status;
}

int wrong(client::command_line line) {
  for (auto& problem : line.problems) {
    std::erase(problem, '\'');  // "printjob: invalid option -- x"
    client::print_error("%s\n", problem.c_str());
  }
  client::usage(printjob);
  return 1;
}

int work(int argc, char** argv) {
  const auto home = client::read_pbs_conf().pbs_home;
  if (!may_see(home)) return std::fputs("printjob must be run by root\n", stderr), 1;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)client::parse_options_or_exit(printjob, argc, argv);
  const auto line = client::parse_options(printjob, arguments);
  const bool file = std::any_of(line.words.begin(), line.words.end(), [](const auto& w) { return w.find('/') != std::string::npos; });
  if (!line.problems.empty() || line.words.empty() || (line.has('s') && (line.has('a') || file))) return wrong(line);
  return run(line, home);
}

}  // namespace

int main(int argc, char** argv) {
  return client::run_command("printjob", [&] { return work(argc, argv); });
}
