#include "tools/daemons/sched_object.hpp"

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/values/number.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/daemons/sched_limits.hpp"

namespace annals::daemons {

namespace ids = attributes::scheduler;

namespace {

std::optional<sched_object> ask_now(const std::string& server, const std::string& socket, const std::string& name) {
  std::optional<sched_object> found;
  try {
    auto session = client::session::open_at({server, socket}, std::chrono::milliseconds(0));
    client::stat_question question;
    question.kind = schema::ObjectKind::SCHEDULER;
    question.names = {name};
    sched_object object;
    const auto read = [&](const client::object_view& o) {
      object.exists = true;
      client::for_each_attribute(o.packed, [&](const attributes::entry& e) {
        if (e.id == ids::sched_priv) object.priv = e.value;
        if (e.id == ids::sched_log) object.logs = e.value;
        if (e.id == ids::partition && e.value != "None") object.partition = e.value;
        if (e.id == ids::sched_port) object.port = static_cast<std::uint16_t>(values::parse_integer(e.value).value_or(0));
      });
    };
    if (!client::ask(session, question, read).refused) found = object;
  } catch (const std::exception&) {
    return std::nullopt;  // there is no server, or it went away
  }
  return found;
}

}  // namespace

std::optional<sched_object> ask_for_object(const std::string& server, const std::string& socket, const std::string& name) {
  const auto answer = std::make_shared<std::promise<std::optional<sched_object>>>();
  auto coming = answer->get_future();
  std::thread([=] { answer->set_value(ask_now(server, socket, name)); }).detach();
  if (coming.wait_for(std::chrono::milliseconds(limits::scheduler_start_ms)) != std::future_status::ready) return std::nullopt;
  return coming.get();
}

}  // namespace annals::daemons
