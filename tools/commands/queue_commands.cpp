// qenable, qdisable, qstart and qstop: whether queues accept jobs, and whether their jobs are run (pbs guide: qenable, ...). Each is a
// program of its own, built from this file with its name in ANNALS_COMMAND. Usage errors are status 1 here, everything that was
// refused is 2.
#include <cstdio>

#include "tools/client/command_main.hpp"
#include "tools/client/operator_command.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/manage.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr std::string_view name = ANNALS_COMMAND;
// There are no letters: a word with a hyphen is the name of a queue, too.
constexpr command switch_queues = {ANNALS_COMMAND,
                                   "Usage: " ANNALS_COMMAND
                                   " [queue][@server] ...\n"
                                   "       " ANNALS_COMMAND " --version\n",
                                   {}};

constexpr const char* attribute = name == "qenable" || name == "qdisable" ? "enabled" : "started";
constexpr const char* value = name == "qenable" || name == "qstart" ? "True" : "False";

int change(const destination& where) {
  try {
    session s = session::open(where.server);
    manage_request request;
    request.kind = schema::ObjectKind::QUEUE;
    request.name = where.queue;
    request.all_of_kind = where.queue.empty();
    request.changes = {{attribute, {}, value}};
    const auto why = manage(s, request);
    return why ? operator_refused(ANNALS_COMMAND, why->code, why->text, where.queue) : 0;
  } catch (const session_error& e) {
    return operator_not_connected(ANNALS_COMMAND, e, where.server);
  }
}

int run(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--version") || argv[1] == std::string_view("--help")))
    parse_options_or_exit(switch_queues, argc, argv);
  if (argc < 2) {
    usage(switch_queues);
    return 1;
  }
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    const auto where = parse_destination(argv[i]);
    if (!where) print_error("%s: illegally formed destination: %s\n", ANNALS_COMMAND, argv[i]);
    if (const int one = where ? change(*where) : 1; one != 0) status = one;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command(ANNALS_COMMAND, [&] { return run(argc, argv); });
}
