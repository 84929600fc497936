// qrun: runs jobs now, at a place that the scheduler finds or that -H names (pbs guide: qrun). For operators and managers.
#include <cstdio>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'a', nullptr, "do not wait until the host has the job"},
    {'H', "vnode_specification", "(vnode:resource=n...)+..., or vnode+vnode: run it there; -: where it ran before"},
};
constexpr command qrun = {"qrun",
                          "Usage: qrun [-a] [-H vnode_specification ] job_identifier_list\n"
                          "       qrun [-a] [-H - ] job_identifier_list\n"
                          "       qrun --version\n",
                          options};

int wrong_usage(const command_line& line) {
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  usage(qrun);
  return 1;
}

// PBS names the job behind every refusal but these.
std::string object_of(schema::Rejection::Reader why, const std::string& id) {
  return why.getCode() == pbs_error::job_has_finished || why.getCode() == pbs_error::unknown_node ? std::string() : id;
}

int run_one(const job_name& job, const std::string& where) {
  session s = session::open(job.server);
  const reply r = s.call([&](schema::Request::Builder request) {
    auto run = request.initRunJob();
    run.setJob(job.id);
    run.setExecVnode(where);
  });
  if (!(*r).isRejected()) return 0;
  print_refusal("qrun", (*r).getRejected(), object_of((*r).getRejected(), job.id));
  return 2;
}

int run(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--version") || argv[1] == std::string_view("--help")))
    parse_options_or_exit(qrun, argc, argv);
  const command_line line = parse_options(qrun, std::vector<std::string>(argv + 1, argv + argc));
  if (!line.problems.empty() || line.words.empty()) return wrong_usage(line);
  const std::string* where = line.find('H');
  return for_each_job("qrun", line.words, server_name(),
                      [&](const job_name& job) { return run_one(job, where != nullptr ? *where : ""); });
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qrun", [&] { return run(argc, argv); });
}
