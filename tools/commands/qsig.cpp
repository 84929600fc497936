// qsig: sends a signal to the processes of running jobs; "suspend", "resume", "admin-suspend" and "admin-resume" are
// signals too (pbs guide: qsig). The job's host knows which signals there are.
#include "tools/client/command_main.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'s', "signal", "name with or without SIG, number, suspend, resume, admin-suspend or admin-resume (default SIGTERM)"}};
constexpr command qsig = {"qsig",
                          "usage: qsig [-s signal] job_identifier...\n"
                          "       qsig --version\n",
                          options};

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(qsig, argc, argv);
  if (line.words.empty()) return usage(qsig);
  const std::string* given = line.find('s');
  const std::string signal = given != nullptr ? *given : "SIGTERM";
  const auto fill = [&](schema::Request::Builder r, const std::string& id) {
    auto s = r.initSignalJob();
    s.setJob(id);
    s.setSignal(signal);
  };
  return request_for_each_job({"qsig", fill}, line.words);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qsig", [&] { return run(argc, argv); });
}
