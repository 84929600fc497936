#include "hooks-runtime/pool/sandbox_profile.hpp"

#include <nlohmann/json.hpp>

namespace annals::hooks {

namespace {

// What is no text is kept as it is written: no path looks like that.
std::vector<std::string> paths_of(const nlohmann::json& list) {
  const auto text = [](const nlohmann::json& j) { return j.is_string() ? j.get<std::string>() : j.dump(); };
  if (!list.is_array()) return {text(list)};
  std::vector<std::string> out;
  for (const auto& path : list) out.push_back(text(path));
  return out;
}

}  // namespace

sandbox_rules rules_of(sandbox_profile profile, const std::optional<std::string>& configuration) {
  const bool on_host = profile == sandbox_profile::mom;
  sandbox_rules rules{on_host, on_host, on_host, on_host, false, {}};
  if (!configuration) return rules;
  const auto json =
      nlohmann::json::parse(*configuration, nullptr, false);  // sites use other forms too: no JSON, no rules
  const auto asked = json.is_object() ? json.find("annals_sandbox") : json.end();
  if (!json.is_object() || asked == json.end() || !asked->is_object()) return rules;
  const auto allows = [&](const char* what) {
    const auto found = asked->find(what);
    return found != asked->end() && found->is_boolean() && found->get<bool>();
  };
  rules.network = rules.network || allows("network");
  rules.processes = rules.processes || allows("processes");
  rules.process_memory = on_host && allows("process_memory");
  const auto writable = asked->find("writable_paths");
  if (!on_host && writable != asked->end()) rules.writable_paths = paths_of(*writable);
  return rules;
}

}  // namespace annals::hooks
