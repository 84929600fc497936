// pbs_release_nodes: a running job goes on without some of its hosts or vnodes (pbs guide: pbs_release_nodes).
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/own_job.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/release_request.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'j', "job_identifier", "the job; PBS_JOBID of the environment if none is given"},
    {'a', nullptr, "release everything but the job's first host"},
    {'k', "keep", "as -a, but keep what satisfies select=..., or so many hosts beside the first"},
};
constexpr command release_nodes = {"pbs_release_nodes",
                                   "usage: pbs_release_nodes [-j job_identifier] host_or_vnode1 host_or_vnode2 ...\n"
                                   "usage: pbs_release_nodes [-j job_identifier] -a\n"
                                   "usage: pbs_release_nodes [-j job_identifier] -k <select string>\n"
                                   "usage: pbs_release_nodes [-j job_identifier] -k <node count>\n"
                                   "pbs_release_nodes --version\n",
                                   options};

int tell(const std::string& text, int status) {
  print_error("pbs_release_nodes: %s\n", text.c_str());
  return status;
}

int refuse(const values::refusal& why) { return tell(why.text, exit_status(why.code)); }

// 2: the options do not go together; what is to be said is said.
std::optional<int> clash(const command_line& line) {
  if (line.has('a') && line.has('k')) tell("-a and -k options cannot be used together", 2);
  else if (line.has('k') && !line.words.empty()) tell("cannot supply node list with -k option", 2);
  else if (line.has('k') || line.has('a') != !line.words.empty()) return std::nullopt;
  return usage(release_nodes);
}

std::string job_given(const command_line& line) {
  if (const auto* given = line.find('j')) return *given;
  const char* own = std::getenv("PBS_JOBID");
  return own != nullptr ? own : "";
}

// Texts stand without the blank that some of PBS's end in, and name the job only when it is unknown.
values::refusal as_told(schema::Rejection::Reader why, const std::string& id) {
  std::string text = schema::str(why.getText());
  while (text.ends_with(' ')) text.pop_back();
  if (text.empty()) text = "Server returned error " + std::to_string(why.getCode()) + " for job";
  if (why.getCode() == pbs_error::unknown_job) text += ' ' + id;
  return {why.getCode(), text};
}

int ask_for(const job_name& job, const release_request& what) {
  session server = session::open(job.server);
  const reply r = server.call([&](schema::Request::Builder request) {
    fill(request.initReleaseNodes(), job.id, what);
    request.getReleaseNodes().setInJob(is_own_job(job.id));
  });
  if ((*r).isRejected()) return refuse(as_told((*r).getRejected(), job.id));
  if ((*r).isDone() && (*r).getDone().size() > 0) tell("released, but " + schema::str((*r).getDone()), 0);
  return 0;
}

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(release_nodes, argc, argv);
  if (const auto wrong = clash(line)) return *wrong;
  const std::string given = job_given(line);
  if (given.empty()) return tell("No jobid given", 2);
  const auto job = parse_job_name(given, server_name());
  if (!job) return tell("illegally formed job identifier: " + given, 2);
  if (const auto why = why_not_several(job->id)) return refuse(*why);
  const auto what = line.has('k') ? release_but(*line.find('k')) : release_named(line.words);
  return what ? ask_for(*job, *what) : refuse(what.error());
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_release_nodes", [&] { return run(argc, argv); });
}
