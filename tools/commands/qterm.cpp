// qterm: stops the server (pbs guide: qterm). Usage errors are status 1 here, everything the server refuses is 2.
#include <cstdio>

#include "tools/client/command_main.hpp"
#include "tools/client/operator_command.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'t', "immediate|delay|quick", "quick: jobs go on (default); immediate: they are requeued; delay: waited for"},
    {'s', nullptr, "schedulers too"},
    {'m', nullptr, "MoMs too"},
    {'f', nullptr, "the secondary server too"},
    {'i', nullptr, "the idle secondary server too"},
    {'F', nullptr, "the secondary server only"},
};
constexpr command qterm = {"qterm",
                           "Usage: qterm [-t immediate|delay|[quick]] [-m] [-s] [-f|-i] [server ...]\n"
                           "       qterm --version\n",
                           options};

int wrong_usage(const command_line& line) {
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  usage(qterm);
  return 1;
}

struct others {
  bool schedulers, moms;
};

int stop(const std::string& how, others too, const std::string& server) {
  try {
    session s = session::open(server);
    const reply r = s.call([&](schema::Request::Builder request) {
      auto shutdown = request.initShutdown();
      shutdown.setHow(how);
      shutdown.setSchedulers(too.schedulers);
      shutdown.setMoms(too.moms);
    });
    if (!(*r).isRejected()) return 0;
    const auto why = (*r).getRejected();
    return operator_refused("qterm", why.getCode(), schema::str(why.getText()), server);
  } catch (const session_error& e) {
    return operator_not_connected("qterm", e, server);
  }
}

int run(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--version") || argv[1] == std::string_view("--help"))) {
    parse_options_or_exit(qterm, argc, argv);
  }
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const command_line line = parse_options(qterm, arguments);
  const std::string how = line.has('t') ? *line.find('t') : "quick";
  const bool both = line.has('f') && line.has('i');
  if (!line.problems.empty() || both || (how != "quick" && how != "immediate" && how != "delay"))
    return wrong_usage(line);
  if (line.has('f') || line.has('i') || line.has('F')) {
    // There is no standby.
    print_refusal("qterm", values::refuse(pbs_error::no_support));
    return 2;
  }
  const others too{line.has('s'), line.has('m')};
  if (line.words.empty()) return stop(how, too, "");
  int status = 0;
  for (const std::string& server : line.words)
    if (stop(how, too, server) != 0) status = 2;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qterm", [&] { return run(argc, argv); });
}
