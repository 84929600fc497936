#include "events/values/node_state.hpp"

#include "events/values/string_list.hpp"

namespace annals::values {
namespace {

// In the order of printing. A vnode that its MoM took offline prints the same word at another place.
constexpr struct {
  std::uint32_t bit;
  std::string_view name;
} names[] = {
    {node_state::unknown, "state-unknown"},
    {node_state::down, "down"},
    {node_state::stale, "Stale"},
    {node_state::offline, "offline"},
    {node_state::job_busy, "job-busy"},
    {node_state::job_exclusive, "job-exclusive"},
    {node_state::busy, "busy"},
    {node_state::initializing, "initializing"},
    {node_state::provisioning, "provisioning"},
    {node_state::wait_provisioning, "wait-provisioning"},
    {node_state::resv_exclusive, "resv-exclusive"},
    {node_state::unresolvable, "unresolvable"},
    {node_state::offlined_by_mom, "offline"},
    {node_state::maintenance, "maintenance"},
    {node_state::sleep, "sleep"},
};

std::optional<std::uint32_t> bit_named(std::string_view name) {
  if (name == "free") return node_state::free;
  for (const auto& n : names)
    if (n.name == name) return n.bit;
  return std::nullopt;
}

}  // namespace

std::string print_node_state(std::uint32_t bits) {
  // Both kinds of offline together are one word.
  if (bits & node_state::offline) bits &= ~node_state::offlined_by_mom;
  std::string out;
  for (const auto& n : names) {
    if (!(bits & n.bit)) continue;
    if (!out.empty()) out += ',';
    out += n.name;
  }
  return out.empty() ? "free" : out;
}

std::optional<std::uint32_t> parse_node_state(std::string_view text) {
  std::uint32_t bits = 0;
  for (;;) {
    const auto comma = text.find(',');
    const auto bit = bit_named(trimmed(text.substr(0, comma)));
    if (!bit) return std::nullopt;
    bits |= *bit;
    if (comma == std::string_view::npos) return bits;
    text = text.substr(comma + 1);
  }
}

std::optional<std::uint32_t> parse_settable_node_state(std::string_view text) {
  const auto bits = parse_node_state(text);
  if (!bits || (*bits & ~node_state::settable)) return std::nullopt;
  return bits;
}

}  // namespace annals::values
