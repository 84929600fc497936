// qmgr's input: whatever is typed, a command or a problem inside the line comes out. A command that was printed from
// its parts is parsed to the same parts again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tools/client/print/manager_text.hpp"
#include "tools/client/query/manager_command.hpp"

using namespace annals::client;

namespace {

void check_change_survives(const attribute_change& change) {
  const bool both_quotes = change.value.find('"') != std::string::npos && change.value.find('\'') != std::string::npos;
  if (both_quotes || change.op != annals::schema::AttributeOp::SET || change.value.empty()) return;
  const std::string name = change.resource.empty() ? change.name : change.name + "." + change.resource;
  const auto again = parse_manager_command("set node n " + name + "=" + quoted(change.value));
  const auto* command = std::get_if<manager_command>(&again);
  if (!command || command->changes.size() != 1 || !(command->changes.front() == change)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& line : split_manager_input(text)) {
    const auto parsed = parse_manager_command(line);
    if (const auto* problem = std::get_if<manager_problem>(&parsed)) {
      if (problem->position > line.size()) std::abort();
      problem_text(*problem, line);
      continue;
    }
    const auto& command = std::get<manager_command>(parsed);
    if (command.object != manager_object::node || command.verb != manager_verb::set) continue;
    for (const attribute_change& change : command.changes) check_change_survives(change);
  }
  return 0;
}
