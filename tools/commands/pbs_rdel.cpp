// pbs_rdel: deletes reservations with all their jobs (pbs guide: pbs_rdel).
#include <cstdio>

#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/reservation_options.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {{'q', "dest", "the server to ask: @server, or one of its queues"}};
constexpr command rdel = {"pbs_rdel",
                          "usage:\tpbs_rdel [-q dest] resv_identifier...\n"
                          "      \tpbs_rdel --version\n",
                          options};

std::optional<std::string> check(const given& g) {
  if (parse_destination(g.value)) return std::nullopt;
  return std::string();
}

int delete_one(const std::string& text, const std::string& server) {
  const auto name = parse_reservation_name(text, server_name());
  if (!name) return print_ill_formed_reservation("pbs_rdel", text);
  session connection = session::with_first_request(name->server.empty() ? server : name->server);
  const reply r = connection.call([&](schema::Request::Builder request) { request.initDeleteReservation().setReservation(name->id); });
  return (*r).isRejected() ? print_refusal("pbs_rdel", (*r).getRejected(), name->id) : 0;
}

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(rdel, argc, argv, check);
  if (line.words.empty()) return usage(rdel);
  int status = 0;
  for (const auto& word : line.words)
    if (const int one = delete_one(word, server_of(line))) status = one;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_rdel", [&] { return run(argc, argv); });
}
