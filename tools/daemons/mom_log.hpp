// The MoM's own log and what it keeps of the server's. A MoM that lost part of its log says so and goes on with a new identity
// of it: the server then knows that it can't know its former runs (docs/design/0009-mom.md, 0028-lost-logs.md).
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <functional>
#include <memory>
#include <string>

#include "events/ports/event_store.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/message.hpp"

namespace annals::daemons {

struct mom_log {
  std::unique_ptr<ports::event_store> store;
  std::string uuid;  // of the log: 16 bytes
};

std::string mom_mark_file(const std::string& priv);  // log.mark: how far the log is durable
std::string mom_uuid_file(const std::string& priv);  // log_uuid: there when the log was opened

// note: what was lost. Throws std::runtime_error when the log can't be used.
mom_log open_mom_log(const std::string& priv, const std::function<void(const std::string&)>& note);

// mom_priv/server_log.mark, in the server's own words. False: there is none, or it can't be read: the MoM is no witness then.
struct server_mark {
  schema::sealed<schema::LogMark> mark;
};
schema::sealed<schema::LogMark> read_server_mark(const std::string& priv);
void write_server_mark(const std::string& priv, const schema::sealed<schema::LogMark>& mark);

}  // namespace annals::daemons

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::daemons::server_mark)
