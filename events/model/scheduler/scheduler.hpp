// A scheduler object: attributes that qmgr sets, and what its scheduler says of its cycles.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "events/attributes/attribute_set.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/scheduler/fairshare.hpp"
#include "events/model/scheduler/scheduler_state.hpp"
#include "events/model/settings.hpp"
#include "events/schema/message_names.hpp"

namespace annals::model {

// The partition that it schedules (MS-29, MS-35); empty: none. The default one has what is in none, and none itself (MS-37).
std::string_view placed_partition(const scheduler_state& scheduler);

struct scheduler_came {
  std::string host, version;
  std::uint32_t pid = 0;
  std::uint16_t port = 0;  // where it listens; 0: nowhere
};
// The server wanted it started, and no process came of it.
struct scheduler_not_started {
  std::string text;
  // Not empty: what has to be put right first. It becomes the comment, and nobody tries again until scheduling is set (MS-14, MS-19).
  std::string trouble;
};
struct scheduler_gone {
  std::string why;
};
struct scheduler_said {
  schema::sealed<schema::FromScheduler> message;
};  // cycleBegan, reasons, cycleEnded, directories, fairshare
// The job's rules, a hook or the ledger did not let a job run that it proposed.
struct proposal_refused {
  schema::sealed<schema::FromScheduler> proposal;  // its run
  std::string why;
};
// A request is a manage or a fairshare.
using scheduler_command = std::variant<schema::sealed<schema::Request>, scheduler_came, scheduler_gone, scheduler_said,
                                       scheduler_not_started, trim_fairshare, proposal_refused>;
outcome decide(const scheduler_state& scheduler, const scheduler_command& command, const stamp& now, const settings& settings);
void apply(scheduler_state& scheduler, const event_place& at, schema::SchedulerEvent::Reader event);
// What lists show. A new object says `partition = None` (MS-05); one whose partition was taken away has none to show, as every
// attribute that was unset (MS-55).
attributes::attribute_set shown_attributes(const scheduler_state& scheduler);
inline void apply(scheduler_state& scheduler, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isScheduler(), "an event of another kind in a scheduler's stream");
  apply(scheduler, at, event.getScheduler());
}

}  // namespace annals::model
