// A site hook: its settings, its script and its configuration file. What it does when it runs is no part of this; the runs
// that no other event tells of stand in its stream. Source: pbs guide, "hooks"; requirements RS-112, RU-07.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/schema/message_names.hpp"

namespace annals::model {

struct hook_content {
  std::string hash;  // 32 bytes; empty: not imported
  std::uint64_t size = 0;
  bool operator==(const hook_content&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hash, self.size);
  }
};

struct hook_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  std::uint64_t order = 0;  // sequence of its creation: the order of listings
  bool exists = false;
  std::string name;
  attributes::attribute_set attributes;  // with their defaults
  hook_content code, config;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.serial, self.version, self.order, self.exists, self.name, self.attributes, self.code, self.config);
  }

  bool enabled() const;
  bool has_event(std::string_view event) const;
  bool runs_at(std::string_view event) const;              // it is turned on and has a script for it
  std::int64_t number(attributes::attribute_id id) const;  // alarm, freq, order
};

// -- what may be asked of a hook ---------------------------------------------------------------------------------------

// The gateway adds the hash of what is imported.
struct manage_hook {
  schema::sealed<schema::Request> request;
  std::string content_hash;
};
// Runs to be written down: of the server (position 0), or told by a MoM.
struct hook_ran {
  schema::sealed<schema::HookRan> what;
};
using hook_command = std::variant<manage_hook, hook_ran>;

outcome decide(const hook_state& hook, const hook_command& command, const stamp& now, const settings& settings);
void apply(hook_state& hook, const event_place& at, schema::HookEvent::Reader event);
inline void apply(hook_state& hook, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isHook(), "an event of another kind in a hook's stream");
  apply(hook, at, event.getHook());
}

inline constexpr std::string_view one_provision_hook =
    "Event provision is exclusive with other events, and only one provision hook allowed";

// Attributes as `list hook` shows them: freq only where it means something.
attributes::attribute_set shown_attributes(const hook_state& hook);

// Why this requester may not even look at hooks; code 0: it may (pbs guide: only root on the server's host).
rejection may_touch_hooks(const requester& by, const settings& settings);
rejection may_touch_hooks(const requester& by, std::string_view server_name);

// Every event a hook may name, in the order in which PBS lists them.
std::span<const std::string_view> hook_event_names();
bool is_mom_event(std::string_view event);

// Tells by the type and the file's suffix whether an import is Python, which is compiled before it is taken.
bool is_python(std::string_view type, std::string_view file);
// Returns the text of the refusal of an import that does not compile.
std::string not_taken(std::string_view type, std::string_view hook);
// Why nothing of this type is imported or exported; code 0: it is.
rejection content_type_refusal(std::string_view type);
inline constexpr std::string_view python_content = "application/x-python", config_content = "application/x-config";

}  // namespace annals::model
