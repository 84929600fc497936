// pbs_ralter: changes a reservation (pbs guide: pbs_ralter).
#include <cstdio>
#include <ctime>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/reservation_options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

int run(int argc, char** argv) {
  const std::int64_t now = std::time(nullptr);
  const command_line line =
      parse_options_or_exit(ralter_command, argc, argv, [&](const given& g) { return judge_reservation_option(ralter_command, g, now); });
  if (line.words.size() != 1) return usage(ralter_command);
  const auto name = parse_reservation_name(line.words.front(), server_name());
  if (!name) return print_ill_formed_reservation("pbs_ralter", line.words.front());
  const auto made = make_alteration(line, now);
  if (const auto* bad = std::get_if<complaint>(&made)) {
    print_error("%s\n", bad->line.c_str());
    return bad->status;
  }
  const auto& what = std::get<reservation_request>(made);
  session server = session::with_first_request(name->server);
  const reply r = server.call([&](schema::Request::Builder request) {
    auto a = request.initAlterReservation();
    a.setReservation(name->id);
    fill(a.initChanges(static_cast<unsigned>(what.attributes.size())), what.attributes);
    a.setForce(what.force);
  });
  if ((*r).isRejected()) return print_refusal("pbs_ralter", (*r).getRejected());
  if (!(*r).isReservation()) return print_refusal("pbs_ralter", values::refuse(pbs_error::protocol));
  const auto answer = (*r).getReservation();
  print_text("pbs_ralter: %s %s\n", answer.getReservation().cStr(), std::string(answer_word(answer.getState())).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_ralter", [&] { return run(argc, argv); });
}
