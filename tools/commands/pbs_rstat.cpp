// pbs_rstat: the status of reservations (pbs guide: pbs_rstat), now or at a moment of the past (--at).
#include <cstdio>
#include <ctime>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/print/reservations.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/output.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/reservation_options.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'f', nullptr, "every attribute"},
    {'F', nullptr, "every attribute"},
    {'B', nullptr, "ids only"},
    {'S', nullptr, "a table, as without options"},
};
constexpr command rstat = {"pbs_rstat",
                           "Usage:\n"
                           "\tpbs_rstat [-fFBS] [reservation-id]\n"
                           "\tpbs_rstat --version\n",
                           options};

// PBS's own exit status of a wrong option here.
int wrong_usage() {
  usage(rstat);
  return 1;
}

object_form_ptr form_of(const command_line& line, std::int64_t now) {
  if (line.has('f') || line.has('F')) return reservation_full_form();
  if (line.has('B')) return reservation_names_form();
  return reservation_table_form(now);
}

int show(const command_line& line, const moment& at) {
  const std::string server = server_name();
  stat_question q;
  q.kind = schema::ObjectKind::RESERVATION;
  q.at = at;
  std::string asked;
  for (const auto& word : line.words) {
    const auto name = parse_reservation_name(word, server);
    if (!name) return print_ill_formed_reservation("pbs_rstat", word);
    q.names.push_back(name->id);
    asked = name->server;
  }
  const auto form = form_of(line, at.seconds_or(std::time(nullptr)));
  q.wanted = form->wanted();
  output out;
  session connection = session::to_read_with_first_request(asked);
  const auto outcome = ask(
      connection, q, [&](const object_view& o) { form->put(out.text(), o); }, [&] { out.flush_if_large(); });
  out.flush();
  if (outcome.refused) return print_refusal("pbs_rstat", outcome.refused->code, outcome.refused->text);
  // The exit status of PBS's pbs_rstat is 0 all the same.
  for (const refused_name& u : outcome.unknown) print_refusal("pbs_rstat", u.code, u.text);
  return out.failed() ? 1 : 0;
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") return std::puts(version_line().c_str()) < 0;
  if (arguments.size() == 1 && arguments[0] == "--help") return std::printf("%s%s", help_text(rstat).c_str(), moment_help.c_str()) < 0;
  std::string bad;
  const auto at = take_moment(arguments, &bad);
  if (!at) {
    print_error("%s", moment_error("pbs_rstat", "--at", bad).c_str());
    return wrong_usage();
  }
  const command_line line = parse_options(rstat, arguments);
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  return line.problems.empty() ? show(line, *at) : wrong_usage();
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_rstat", [&] { return run(argc, argv); });
}
