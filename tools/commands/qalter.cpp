// qalter: changes attributes of jobs (pbs guide: qalter). The letters mean what they mean to qsub; who may alter what,
// and when, is decided by the server.
#include <cstdio>
#include <ctime>

#include "events/attributes/table.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/job_options.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'a', "date_time", "not before this time: [[[[CC]YY]MM]DD]hhmm[.SS]"},
    {'A', "account", "account string"},
    {'c', "interval", "checkpoint: n, s, c, c=minutes, w, w=minutes"},
    {'e', "path", "where standard error goes"},
    {'h', "holds", "the job's holds from now on: u, o, s, p; n: none"},
    {'j', "oe|eo|n", "join standard output and error"},
    {'k', "keep", "keep output on the execution host: o, e, oe, n, with d: write directly"},
    {'l', "resources", "resources: name=value,...; an empty value takes one away"},
    {'m', "events", "mail at: a (abort), b (begin), e (end), n (never)"},
    {'M', "users", "who gets the mail"},
    {'N', "name", "job name"},
    {'o', "path", "where standard output goes"},
    {'p', "priority", "-1024 to 1023"},
    {'P', "project", "project"},
    {'r', "y|n", "may the job be rerun"},
    {'R', "o|e|oe", "files to delete instead of delivering them"},
    {'S', "path", "shell that runs the script: path[@host],..."},
    {'u', "users", "user to run as: user[@host],..."},
    {'W', "attributes", "further attributes: name=value,..."},
};
constexpr command qalter = {"qalter",
                            "usage: qalter [-a date_time] [-A account_string] [-c interval] [-e path]\n"
                            "\t[-h hold_list] [-j y|n] [-k keep] [-l resource_list]\n"
                            "\t[-m mail_options] [-M user_list] [-N jobname] [-o path] [-p priority]\n"
                            "\t[-R o|e|oe] [-r y|n] [-S path] [-u user_list] [-W dependency_list]\n"
                            "\t[-P project_name] job_identifier...\n"
                            "       qalter --version\n",
                            options};

// What PBS's qalter refuses for every job without asking the server. (A dotted name is the server's: it may not be a
// job's.)
std::optional<values::refusal> refused_here(const job_options& given_options) {
  for (const assignment& w : given_options.others) {
    if (w.name == "block" || w.name == "interactive") return values::refuse(pbs_error::bad_value);
    if (w.name.find('.') == std::string::npos && attributes::find(schema::ObjectKind::JOB, w.name) == nullptr) {
      return values::refuse(pbs_error::undefined_attribute);
    }
  }
  return std::nullopt;
}

int run(int argc, char** argv) {
  const std::int64_t now = std::time(nullptr);
  const path_facts facts = real_path_facts();
  const command_line line = parse_options_or_exit(
      qalter, argc, argv, [&](const given& g) { return judge_job_option(asker::qalter, g, now, facts); });
  if (line.words.empty()) return usage(qalter);
  job_options wanted;
  wanted.put_over(line);
  if (const auto no = refused_here(wanted)) {
    return for_each_job("qalter", line.words, server_name(),
                        [&](const job_name& job) { return print_refusal("qalter", *no, job.id); });
  }
  const auto changes = attributes_of(asker::qalter, wanted, now, facts);
  const auto fill_request = [&](schema::Request::Builder r, const std::string& id) {
    auto alter = r.initAlterJob();
    alter.setJob(id);
    fill(alter.initChanges(static_cast<unsigned>(changes.size())), changes);
  };
  return request_for_each_job({"qalter", fill_request}, line.words);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qalter", [&] { return run(argc, argv); });
}
