// qrerun: takes running jobs back into their queue (pbs guide: qrerun). For operators and managers; the server decides.
#include "tools/client/command_main.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'W', "force", "do not wait for the host to stop the job; also jobs that are not rerunnable"}};
constexpr command qrerun = {"qrerun",
                            "usage: qrerun [-W force] job_identifier...\n"
                            "       qrerun --version\n",
                            options};

std::optional<std::string> check(const given& g) {
  if (g.value == "force") return std::nullopt;
  return std::string();
}

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(qrerun, argc, argv, check);
  if (line.words.empty()) return usage(qrerun);
  const auto fill = [force = line.has('W')](schema::Request::Builder r, const std::string& id) {
    auto rerun = r.initRerunJob();
    rerun.setJob(id);
    rerun.setForce(force);
  };
  return request_for_each_job({"qrerun", fill}, line.words);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qrerun", [&] { return run(argc, argv); });
}
