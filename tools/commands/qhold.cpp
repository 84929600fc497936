// qhold: sets holds on jobs (pbs guide: qhold, qrls). Who may do it with which hold is the server's business.
#include "events/values/hold_set.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/hold_list.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {{'h', "hold_list", "holds to set: u, o, s or p, together or alone (default u); n: none"}};
constexpr command qhold = {"qhold",
                           "usage: qhold [-h hold_list] job_identifier...\n"
                           "       qhold --version\n",
                           options};

std::optional<std::string> check(const given& g) {
  if (values::parse_hold_set(g.value)) return std::nullopt;
  return std::string();
}

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(qhold, argc, argv, check);
  if (line.words.empty()) return usage(qhold);
  const std::string* list = line.find('h');
  const values::hold_set holds = *values::parse_hold_set(list != nullptr ? *list : "u");
  return request_for_each_job(
      {"qhold", [&](schema::Request::Builder r, const std::string& id) { fill(r.initHoldJob(), id, holds); }},
      line.words);
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qhold", [&] { return run(argc, argv); });
}
