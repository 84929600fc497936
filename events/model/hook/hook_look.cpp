#include "events/model/hook/hook_look.hpp"

#include "events/schema/message.hpp"

namespace annals::model {

std::optional<look> look_at(schema::Event::Reader event) {
  if (schema::is(event, schema::JobEvent::QUEUED)) return look{"postqueuejob", true, {}};
  if (schema::is(event, schema::JobEvent::EXITED)) return look{"jobobit", true, {}};
  if (schema::is(event, schema::HostEvent::CAME_UP) || schema::is(event, schema::HostEvent::WENT_DOWN))
    return look{"modifyvnode", false, {}};
  if (schema::is(event, schema::HostEvent::VNODE_CHANGED))
    return look{"modifyvnode", false, schema::str(event.getHost().getVnodeChanged().getVnode())};
  return std::nullopt;
}

}  // namespace annals::model
