#include "events/model/scheduler/places.hpp"

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/refuse.hpp"

namespace annals::model {

namespace ids = attributes::scheduler;

bool same_host(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto& longer = a.size() > b.size() ? a : b;
  const auto& shorter = a.size() > b.size() ? b : a;
  return !shorter.empty() && longer.starts_with(shorter) && longer[shorter.size()] == '.';
}

bool is_on(const scheduler_state& scheduler) {
  return scheduler.exists && scheduler.attributes.get(ids::scheduling).value_or("") == "True";
}

namespace {

bool has_work(const scheduler_state& scheduler) {
  return scheduler.name == "default" || !scheduler.attributes.get(ids::partition).value_or("").empty();
}

}  // namespace

bool is_to_run(const scheduler_state& scheduler) { return is_on(scheduler) && has_work(scheduler); }

bool lacks_partition(const scheduler_state& scheduler) { return is_on(scheduler) && !has_work(scheduler); }

bool is_elsewhere(const scheduler_state& scheduler, std::string_view server_host) {
  const auto host = scheduler.attributes.get(ids::sched_host).value_or("");
  return !host.empty() && !same_host(host, server_host);
}

std::string start_host(const scheduler_state& scheduler, const std::string& server_host,
                       const std::function<bool(const std::string& host)>& reachable) {
  if (!is_elsewhere(scheduler, server_host)) return server_host;
  const std::string host(*scheduler.attributes.get(ids::sched_host));
  return reachable(host) ? host : server_host;
}

std::optional<rejection> unknown_host(schema::Manage::Reader asked, std::string_view server_host,
                                      const std::function<bool(std::string_view host)>& is_node) {
  for (auto c : asked.getChanges()) {
    const auto* row = attributes::find(schema::ObjectKind::SCHEDULER, schema::text(c.getName()));
    const auto host = schema::text(c.getValue());
    if (!row || row->id != ids::sched_host || host.empty() || same_host(host, server_host) || is_node(host)) continue;
    return refuse(values::pbs_error::bad_host, std::string(values::pbs_error_text(values::pbs_error::bad_host)) + ": " +
                                                   std::string(host) + " is neither a node nor the server's host");
  }
  return std::nullopt;
}

bool may_come_from(const scheduler_state& scheduler, std::string_view host, std::string_view server_host) {
  return scheduler.left_host.empty() || same_host(host, server_host) || !same_host(host, scheduler.left_host);
}

}  // namespace annals::model
