// qdel: deletes jobs, and with -x their history (pbs guide: qdel, transitions).
#include <charconv>
#include <cstdio>
#include <set>
#include <string>

#include "events/attributes/ids.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/directives.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/job_requests.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/server_default.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'W', "force", "force: do not wait for the host; suppress_email=n: mail of the first n deletions; -1: of none"},
    {'x', nullptr, "finished jobs too: remove them from the history"},
};
constexpr command qdel = {"qdel",
                          "usage:\n"
                          "\tqdel [-W force|suppress_email=X] [-x] job_identifier...\n"
                          "\tqdel --version\n",
                          options};

// The number of "suppress_email=n", blanks around '=' allowed. Nothing: another text.
std::optional<int> email_limit(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || values::trimmed(text.substr(0, equals)) != "suppress_email")
    return std::nullopt;
  const std::string_view digits = values::trimmed(text.substr(equals + 1));
  int n = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (bad != std::errc() || end != digits.data() + digits.size() || n < -1) return std::nullopt;
  return n;
}

std::optional<std::string> check(const given& g) {
  if (g.letter != 'W' || g.value == "force" || email_limit(g.value)) return std::nullopt;
  return std::string();
}

// How jobs are deleted: default_qdel_arguments, and what was given over them.
struct how {
  bool force = false;
  bool history = false;
  int suppress = 0;  // so many deletions are told of by mail; 0: all, -1: none
  std::set<std::string> mailed{};

  void put_over(const command_line& line) {
    history |= line.has('x');
    for (const given& g : line.options) {
      if (g.letter != 'W') continue;
      if (g.value == "force") force = true;
      else suppress = *email_limit(g.value);
    }
  }
};

// The first of them are told of, whichever are there.
bool is_mailed(how& wanted, const std::string& id) {
  if (wanted.suppress == 0 || wanted.mailed.contains(id)) return true;
  if (wanted.suppress < 0 || wanted.mailed.size() >= static_cast<std::size_t>(wanted.suppress)) return false;
  return wanted.mailed.insert(id).second;
}

// Of the default server, as PBS's qdel asks it. What is no option of qdel there is said, and has no effect.
void put_defaults(how& to) {
  session server = session::with_first_request();
  const auto text = server_default(server, attributes::server::default_qdel_arguments);
  const auto line = parse_options(qdel, split_words(text), check);
  for (const auto& problem : line.problems) print_error("%s (default_qdel_arguments)\n", problem.c_str());
  if (line.problems.empty()) to.put_over(line);
}

int run(int argc, char** argv) {
  const command_line line = parse_options_or_exit(qdel, argc, argv, check);
  if (line.words.empty()) return usage(qdel);
  how wanted;
  const auto fill = [&](schema::Request::Builder r, const std::string& id) {
    auto d = r.initDeleteJob();
    d.setJob(id);
    d.setForce(wanted.force);
    d.setPurgeHistory(wanted.history);
    d.setNoMail(!is_mailed(wanted, id));
  };
  try {
    put_defaults(wanted);
    wanted.put_over(line);
    return request_for_each_job({"qdel", fill, true, true}, line.words);
  } catch (const session_error& e) {
    if (e.asked_for.empty()) throw;
    print_error("%s\nCouldn't connect to cluster: %s\n", e.what(), e.asked_for.c_str());
    return exit_status(e.code);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("qdel", [&] { return run(argc, argv); });
}
