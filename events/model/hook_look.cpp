#include "events/model/hook_look.hpp"

#include "events/schema/message.hpp"

namespace annals::model {

std::optional<look> look_at(schema::Event::Reader event) {
  using which = schema::Event::Which;
  switch (event.which()) {
    case which::JOB_QUEUED: return look{"postqueuejob", true, {}};
    case which::JOB_EXITED: return look{"jobobit", true, {}};
    case which::HOST_CAME_UP:
    case which::HOST_WENT_DOWN: return look{"modifyvnode", false, {}};
    case which::VNODE_CHANGED: return look{"modifyvnode", false, schema::str(event.getVnodeChanged().getVnode())};
    default: return std::nullopt;
  }
}

}  // namespace annals::model
