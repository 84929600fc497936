#include "tools/client/job_environment.hpp"

#include <algorithm>
#include <string_view>

#include "events/values/string_list.hpp"

namespace annals::client {

namespace {

const std::string* find(const std::vector<assignment>& list, std::string_view name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const assignment& a) { return a.name == name; });
  return at == list.end() ? nullptr : &at->value;
}

std::vector<assignment> origin(const submitter& who) {
  std::vector<assignment> out;
  for (const char* name : {"HOME", "LANG", "LOGNAME", "PATH", "MAIL", "SHELL", "TZ"}) {
    if (const std::string* value = find(who.environment, name)) out.push_back({std::string("PBS_O_") + name, *value});
  }
  const std::string* method = find(who.environment, "PBS_INTERACTIVE_AUTH_METHOD");
  out.push_back({"PBS_O_INTERACTIVE_AUTH_METHOD", method == nullptr ? "resvport" : *method});
  out.push_back({"PBS_O_INTERACTIVE_ENCRYPT_METHOD", ""});
  out.push_back({"PBS_O_WORKDIR", who.working_directory});
  out.push_back({"PBS_O_SYSTEM", who.system});
  return out;
}

}  // namespace

std::string variable_list(const submitter& who, const std::vector<assignment>& chosen, bool everything) {
  std::vector<assignment> all = origin(who);
  all.insert(all.end(), chosen.begin(), chosen.end());
  if (everything) {
    // A qsub inside a job: the outer job's PBS_O_ variables are not this one's.
    for (const assignment& a : who.environment) {
      if (!a.name.starts_with("PBS_O_") && find(chosen, a.name) == nullptr) all.push_back(a);
    }
  }
  std::string text;
  for (const assignment& a : all) {
    if (!text.empty()) text += ',';
    text += values::escape_element(a.name + "=" + a.value);
  }
  return text;
}

}  // namespace annals::client
