// qsub: submits a job and prints its id (pbs guide: qsub). Options, directives and checks are
// tools/client/submission.hpp; this file reads the world, talks to the server and, with -W block=true, waits for the
// job's end. With -I it becomes the job's terminal (tools/terminal/sitting.hpp).
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <variant>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/directives.hpp"
#include "tools/client/job_script.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/queue_job.hpp"
#include "tools/client/server_default.hpp"
#include "tools/client/session.hpp"
#include "tools/client/submission.hpp"
#include "tools/client/this_process.hpp"
#include "tools/terminal/sitting.hpp"

namespace {

using namespace annals;
using namespace annals::client;

// How long a waiting qsub looks for a server that went away: long enough for an administrator to bring it back.
constexpr std::chrono::hours waiting_patience{24};

std::optional<std::string> environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

int complain(const complaint& c) {
  if (!c.line.empty()) print_error("%s\n", c.line.c_str());
  if (c.with_usage) usage(qsub_command);
  return c.status;
}

// A submission with these default_qsub_arguments.
using make_with = std::function<std::variant<submission, complaint>(const std::string& defaults)>;

// INT, TERM and HUP take a job away whose end is waited for. They are blocked before the job exists, so that none comes
// between its submission and the wait, and are awaited by one thread.
sigset_t waited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, s);
  return signals;
}

void block_signals() {
  const sigset_t signals = waited_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// Whoever sets it first ends the process and tells why: the thread that a signal woke, or the one that waits for the
// job's end. A job that a signal takes away ends too.
std::atomic_flag ending;

// The thread asks the server over a connection of its own and ends the process.
void delete_job_on_signal(const server_address& where, const std::string& id) {
  std::thread([where, id] {
    const sigset_t signals = waited_signals();
    int signal = 0;
    sigwait(&signals, &signal);
    if (ending.test_and_set()) return;
    try {
      session server = session::open_at(where);
      server.call([&](schema::Request::Builder r) { r.initDeleteJob().setJob(id); });
      print_text("Job %s is being deleted\n", id.c_str());
      std::fflush(stdout);
    } catch (const session_error& e) {
      print_session_error("qsub", e);
    }
    print_error("qsub: wait for job %s interrupted by signal %d\n", id.c_str(), signal);
    _exit(2);
  }).detach();
}

// Over the connection on which the job was submitted: a server that went away just then is waited for as one that goes later.
int wait_for_end(session& server, const std::string& id) {
  delete_job_on_signal(server.address(), id);
  server.be_patient(waiting_patience);
  const reply r = server.call([&](schema::Request::Builder request) { request.initWaitJob().setJob(id); });
  while (ending.test_and_set()) pause();
  if ((*r).isRejected()) return print_refusal("qsub", (*r).getRejected(), id);
  if (!(*r).isJobEnded()) return print_refusal("qsub", values::refuse(pbs_error::protocol), id);
  const auto ended = (*r).getJobEnded();
  if (ended.getText().size() == 0 && ended.getHasExitStatus()) return blocked_exit_status(ended.getExitStatus());
  const std::string why = ended.getText().size() > 0 ? schema::str(ended.getText()) : "Job ended without an exit status";
  print_error("qsub: %s %s\n", id.c_str(), why.c_str());
  return 3;
}

// What -X needs is found before the job exists; nothing: X is not forwarded.
using forwarding = std::optional<terminal::x_forwarding>;
std::variant<forwarding, complaint> forwarding_of(const submission& what) {
  if (!what.forwards_x) return forwarding();
  auto found = terminal::find_display(environment_value("DISPLAY").value_or(""));
  if (const auto* wrong = std::get_if<std::string>(&found)) return complaint{"qsub: " + *wrong, 1};
  return forwarding(std::get<terminal::x_forwarding>(std::move(found)));
}

// How often in a row the defaults may change while a job is submitted.
constexpr int defaults_max = 5;

// The server's answer to what a submission was made with: it has other defaults now.
bool has_other_defaults(const reply& r) { return (*r).isRejected() && (*r).getRejected().hasDefaults(); }

// Most servers have no defaults, so none are presumed, and one question is enough; the server says when there are some.
int submit(session& server, std::variant<submission, complaint> made, const make_with& make, const std::string* script) {
  std::string defaults;
  if (std::holds_alternative<complaint>(made))
    made = make(defaults = server_default(server, attributes::server::default_qsub_arguments));  // perhaps they mend it
  const auto command = session::new_command();
  for (int times = 1;; ++times) {
    if (const auto* bad = std::get_if<complaint>(&made)) return complain(*bad);
    const auto& what = std::get<submission>(made);
    if (what.block) block_signals();
    auto x = forwarding_of(what);
    if (const auto* bad = std::get_if<complaint>(&x)) return complain(*bad);
    if (what.interactive) terminal::take_signals();
    const reply r = queue_job(server, {what.where.queue, what.attributes, script, defaults}, command);
    if (has_other_defaults(r) && times < defaults_max) {
      made = make(defaults = schema::str((*r).getRejected().getDefaults()));
      continue;
    }
    if ((*r).isRejected()) return print_refusal("qsub", (*r).getRejected());
    if (!(*r).isDone()) return print_refusal("qsub", values::refuse(pbs_error::protocol));
    const std::string id = schema::str((*r).getDone());
    if (what.interactive) return terminal::sit_at(server.address(), id, std::get<forwarding>(x));
    if (!what.quiet) {
      print_text("%s\n", id.c_str());
      std::fflush(stdout);
    }
    return what.block ? wait_for_end(server, id) : 0;
  }
}

int qsub(int argc, char** argv) {
  submit_context context;
  context.paths = real_path_facts();
  context.now = std::time(nullptr);
  context.environment_value = environment_value;
  const judge check = [&](const given& g) { return judge_job_option(asker::qsub, g, context.now, context.paths); };
  const command_line line = parse_options_or_exit(qsub_command, argc, argv, check);

  auto source = source_of(line);
  if (auto* bad = std::get_if<complaint>(&source)) return complain(*bad);
  const auto& program = std::get<program_source>(source);
  const submit_facts facts{isatty(STDIN_FILENO) && isatty(STDOUT_FILENO), std::getenv("DISPLAY") != nullptr,
                           environment_value};
  job_options typed;
  typed.put_over(line);
  if (auto bad = check_interactive(typed, facts)) return complain(*bad);

  std::optional<std::string> script;
  job_options options;
  const bool typed_at = is_interactive(typed) && program.from == program_source::kind::standard_input;  // by the user of the job
  if (program.from != program_source::kind::executable && !typed_at) {
    auto bytes = read_job_script(program);
    if (auto* bad = std::get_if<complaint>(&bytes)) return complain(*bad);
    script = std::move(std::get<std::string>(bytes));
    auto directives = read_directives(*script, directive_prefix(line, std::getenv("PBS_DPREFIX")), check);
    if (auto* bad = std::get_if<complaint>(&directives)) return complain(*bad);
    options.put_over(std::get<command_line>(directives));
  }
  options.put_over(line);
  if (auto bad = check_submission(options, facts)) return complain(*bad);
  if (is_interactive(options)) {
    print_whole_error(interactive_warnings(options));
    script.reset();  // its directives are all that was wanted of it
  }

  context.who = this_process(context.paths.working_directory);
  for (int i = 1; i < argc; ++i)
    if (*argv[i] != '\0') context.arguments += (context.arguments.empty() ? "" : " ") + std::string(argv[i]);
  const auto make = [&](const std::string& defaults) -> std::variant<submission, complaint> {
    job_options complete;  // the defaults are the weakest of all
    complete.put_over(parse_options(qsub_command, split_words(defaults), check));
    complete.put_over(options);
    if (auto bad = check_submission(complete, facts)) return *bad;
    return make_submission(complete, program, context);
  };
  auto made = make("");
  const std::string* queue = options.find('q');
  session server = session::with_first_request(queue != nullptr ? parse_destination(*queue)->server : "");
  return submit(server, std::move(made), make, script ? &*script : nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qsub", [&] { return qsub(argc, argv); });
}
