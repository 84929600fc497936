#include "events/values/exec_host.hpp"

#include <algorithm>
#include <charconv>

namespace annals::values {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || after != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<host_slot> parse_slot(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == 0 || slash == std::string_view::npos) return std::nullopt;
  host_slot out;
  out.host = text.substr(0, slash);
  if (out.host.find_first_of("* \t\n") != std::string::npos) return std::nullopt;
  std::string_view rest = text.substr(slash + 1);
  if (const auto star = rest.find('*'); star != std::string_view::npos) {
    const auto cpus = number(rest.substr(star + 1));
    if (!cpus) return std::nullopt;
    out.cpus = *cpus;
    rest = rest.substr(0, star);
  }
  const auto slot = number(rest);
  if (!slot) return std::nullopt;
  out.slot = *slot;
  return out;
}

}  // namespace

std::optional<exec_host_spec> parse_exec_host(std::string_view text) {
  exec_host_spec spec;
  for (;;) {
    const auto plus = text.find('+');
    auto slot = parse_slot(text.substr(0, plus));
    if (!slot) return std::nullopt;
    spec.push_back(std::move(*slot));
    if (plus == std::string_view::npos) return spec;
    text = text.substr(plus + 1);
  }
}

std::string print(const exec_host_spec& spec) {
  std::string out;
  for (const host_slot& slot : spec) {
    if (&slot != &spec.front()) out += '+';
    out += slot.host + '/' + std::to_string(slot.slot);
    if (slot.cpus != 1) out += '*' + std::to_string(slot.cpus);
  }
  return out;
}

std::vector<std::string> hosts_of(const exec_host_spec& spec) {
  std::vector<std::string> out;
  for (const host_slot& slot : spec)
    if (std::find(out.begin(), out.end(), slot.host) == out.end()) out.push_back(slot.host);
  return out;
}

}  // namespace annals::values
