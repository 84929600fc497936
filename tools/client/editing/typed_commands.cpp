#include "tools/client/editing/typed_commands.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "events/values/number.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/manager_command.hpp"

namespace annals::client {

namespace {

std::string home() {
  if (const char* set = std::getenv("HOME"); set && *set != '\0') return set;
  const auto* who = getpwuid(getuid());
  return who ? who->pw_dir : "/";
}

std::string user_name() {
  const auto* who = getpwuid(getuid());
  return who ? who->pw_name : std::to_string(getuid());
}

}  // namespace

typed_commands::typed_commands()
    : history_(home() + "/.pbs_qmgr_history", read_pbs_conf().pbs_home + "/spool/.pbs_qmgr_history_" + user_name()), editor_("qmgr") {
  if (!history_.problem().empty())
    print_error("%sqmgr: commands are not remembered for the next time\n", history_.problem().c_str());
  for (const auto& command : history_.commands()) editor_.remember(command);
}

// Lines that go on are joined, so that the command is one line of the history.
std::optional<std::string> typed_commands::type() {
  auto text = editor_.line("Qmgr: ");
  while (text && is_continued(*text)) {
    text->pop_back();
    const auto more = editor_.line("> ");
    if (!more) break;
    *text += *more;
  }
  return text;
}

std::string typed_commands::recall(const std::string& number) {
  const auto wanted = values::parse_integer(number);
  const auto* command = wanted && *wanted > 0 ? history_.find(static_cast<std::size_t>(*wanted)) : nullptr;
  if (!command) {
    print_error("qmgr: no such command in the history: !%s\n", number.c_str());
    return {};
  }
  print_text("%s\n", command->c_str());
  return *command;
}

std::optional<std::string> typed_commands::next() {
  auto text = type();
  if (!text) std::puts("");  // what comes next begins a line
  if (text && text->starts_with('!')) text = recall(text->substr(1));
  if (!text || text->find_first_not_of(" \t") == std::string::npos) return text;
  history_.add(*text);
  editor_.remember(*text);
  return text;
}

}  // namespace annals::client
