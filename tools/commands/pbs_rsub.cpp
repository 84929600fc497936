// pbs_rsub: asks for a reservation and prints its id (pbs guide: pbs_rsub). Options and checks are
// tools/client/reservation_options.hpp; this file reads the world and talks to the server.
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "events/attributes/ids.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/reservation_options.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;
using namespace annals::client;

reservation_asker this_asker(std::int64_t now) {
  reservation_asker who{
      .now = now, .user = {}, .group = {}, .host = this_host(), .environment_value = own_environment, .server = server_name()};
  if (const passwd* user = getpwuid(getuid())) {
    who.user = user->pw_name;
    if (const group* g = getgrgid(user->pw_gid)) who.group = g->gr_name;
  }
  return who;
}

int complain(const complaint& c) {
  print_error("%s\n", c.line.c_str());
  return c.with_usage ? usage(rsub_command) : c.status;
}

// The first host of --hosts that has no vnodes.
std::optional<std::string> unknown_host(session& server, const std::vector<std::string>& hosts) {
  static constexpr attributes::attribute_id wanted[] = {attributes::node::resources_available};
  std::vector<std::string> known;
  stat_question q;
  q.kind = schema::ObjectKind::NODE;
  q.wanted = wanted;
  ask(server, q, [&](const object_view& vnode) { known.emplace_back(value_of(vnode, attributes::node::resources_available, "host")); });
  for (const auto& host : hosts)
    if (std::find(known.begin(), known.end(), host) == known.end()) return host;
  return std::nullopt;
}

int submit(session& server, const reservation_request& what) {
  const reply r = server.call([&](schema::Request::Builder request) {
    auto s = request.initSubmitReservation();
    fill(s.initAttributes(static_cast<unsigned>(what.attributes.size())), what.attributes);
    auto hosts = s.initHosts(static_cast<unsigned>(what.hosts.size()));
    for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, what.hosts[i]);
    s.setSubmitHost(this_host());
  });
  if ((*r).isRejected()) return print_refusal("pbs_rsub", (*r).getRejected());
  if (!(*r).isReservation()) return print_refusal("pbs_rsub", values::refuse(pbs_error::protocol));
  const auto answer = (*r).getReservation();
  print_text("%s %s\n", answer.getReservation().cStr(), std::string(answer_word(answer.getState())).c_str());
  return 0;
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--version") return std::puts(version_line().c_str()) < 0;
  if (arguments.size() == 1 && arguments[0] == "--help")
    return std::printf("%s%s", help_text(rsub_command).c_str(), rsub_long_help) < 0;
  const std::int64_t now = std::time(nullptr);
  const long_options longs = take_long_options(arguments);
  const command_line line =
      parse_options(rsub_command, arguments, [&](const given& g) { return judge_reservation_option(rsub_command, g, now); });
  for (const std::string& p : line.problems) print_error("%s\n", p.c_str());
  if (!line.problems.empty() || !line.words.empty() || argc == 1) return usage(rsub_command);
  const auto made = make_reservation(line, longs, this_asker(now));
  if (const auto* bad = std::get_if<complaint>(&made)) return complain(*bad);
  session server = session::with_first_request(server_of(line));
  if (longs.has_hosts) {
    if (const auto host = unknown_host(server, longs.hosts)) return complain({"pbs_rsub: Host with resources not found: " + *host, 2});
  }
  return submit(server, std::get<reservation_request>(made));
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_rsub", [&] { return run(argc, argv); });
}
