// qorder: two jobs change places in their queues (pbs guide: qorder).
#include <cstdio>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr command qorder = {"qorder",
                            "usage: qorder job_identifier job_identifier\n"
                            "       qorder --version\n",
                            {}};

int run(int argc, char** argv) {
  if (argc == 2 && (argv[1] == std::string_view("--version") || argv[1] == std::string_view("--help")))
    parse_options_or_exit(qorder, argc, argv);
  const command_line line = parse_options(qorder, std::vector<std::string>(argv + 1, argv + argc));
  if (!line.problems.empty() || line.words.size() != 2) return usage(qorder);
  const std::string own = server_name();
  std::optional<job_name> jobs[2];
  for (int i = 0; i < 2; ++i) {
    jobs[i] = parse_job_name(line.words[static_cast<std::size_t>(i)], own);
    if (jobs[i]) continue;
    print_error("qorder: illegally formed job identifier: %s\n", line.words[static_cast<std::size_t>(i)].c_str());
    return 1;
  }
  session s = session::open(jobs[0]->server);
  const reply r = s.call([&](schema::Request::Builder request) {
    auto o = request.initOrderJobs();
    o.setFirst(jobs[0]->id);
    o.setSecond(jobs[1]->id);
  });
  if (!(*r).isRejected()) return 0;
  const auto why = (*r).getRejected();
  return print_refusal("qorder", why, why.getCode() == pbs_error::job_has_finished ? "" : jobs[0]->id + " or " + jobs[1]->id);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qorder", [&] { return run(argc, argv); });
}
