// qmove: moves jobs to another queue (pbs guide: qmove).
#include <cstdio>
#include <span>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr command qmove = {"qmove",
                           "usage: qmove destination job_identifier...\n"
                           "       qmove --version\n",
                           {}};

int run(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--version") || argv[1] == std::string_view("--help")))
    parse_options_or_exit(qmove, argc, argv);
  const command_line line = parse_options(qmove, std::vector<std::string>(argv + 1, argv + argc));
  if (!line.problems.empty() || line.words.size() < 2) return usage(qmove);
  if (!parse_destination(line.words.front())) {
    print_error("qmove: illegally formed destination: %s\n", line.words.front().c_str());
    return 2;
  }
  const auto fill = [&](schema::Request::Builder r, const std::string& id) {
    auto m = r.initMoveJob();
    m.setJob(id);
    m.setDestination(line.words.front());
  };
  return request_for_each_job({"qmove", fill}, std::span(line.words).subspan(1));
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qmove", [&] { return run(argc, argv); });
}
