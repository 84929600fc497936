#include "hooks-runtime/pool/sandbox_profile.hpp"

#include <nlohmann/json.hpp>

namespace annals::hooks {

sandbox_rules rules_of(sandbox_profile profile, const std::optional<std::string>& configuration) {
  const bool on_host = profile == sandbox_profile::mom;
  sandbox_rules rules{on_host, on_host, on_host, on_host};
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
  return rules;
}

}  // namespace annals::hooks
