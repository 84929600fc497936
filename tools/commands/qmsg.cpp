// qmsg: writes a message into the output files of running jobs (pbs guide: qmsg).
#include <span>

#include "tools/client/command_main.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'E', nullptr, "into the standard error file (the default)"},
    {'O', nullptr, "into the standard output file"},
};
constexpr command qmsg = {"qmsg",
                          "usage: qmsg [-O] [-E] msg_string job_identifier...\n"
                          "       qmsg --version\n",
                          options};

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(qmsg, argc, argv);
  if (line.words.size() < 2) return usage(qmsg);
  const auto fill = [&](schema::Request::Builder r, const std::string& id) {
    auto m = r.initMessageJob();
    m.setJob(id);
    m.setText(line.words.front());
    m.setToErrors(line.has('E') || !line.has('O'));
    m.setToOutput(line.has('O'));
  };
  return request_for_each_job({"qmsg", fill}, std::span(line.words).subspan(1));
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qmsg", [&] { return run(argc, argv); });
}
