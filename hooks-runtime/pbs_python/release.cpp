#include "hooks-runtime/pbs_python/release.hpp"

#include "events/schema/message.hpp"
#include "events/values/exec_host.hpp"

namespace annals::hooks {

namespace {

hook_object read(protocol::Object::Reader job) {
  hook_object out{job.getKind(), schema::str(job.getName()), {}};
  for (const auto a : job.getAttributes())
    out.attributes.push_back({schema::str(a.getName()), schema::str(a.getResource()), schema::str(a.getValue())});
  return out;
}

model::allocation allocation_of(const hook_object& job) {
  const auto text = [&](std::string_view name, std::string_view resource = {}) {
    const auto* a = job.find(name, resource);
    return a ? a->value : std::string();
  };
  const auto slots = values::parse_exec_host(text("exec_host")).value_or(values::exec_host_spec{});
  return {text("exec_vnode"), text("exec_host"), values::hosts_of(slots), text("Resource_List", "place")};
}

std::vector<std::string> failed_in(protocol::Request::Reader event) {
  std::vector<std::string> out;
  for (const auto p : event.getParameters())
    if (p.isObjects() && schema::text(p.getName()) == "vnode_list_fail")
      for (const auto vnode : p.getObjects()) out.push_back(schema::str(vnode.getName()));
  return out;
}

}  // namespace

void answer_release(protocol::ReleaseNodes::Reader asked, protocol::Object::Reader job, protocol::Request::Reader event,
                    const line_taker& log, protocol::Answer::Builder to) {
  auto shown = read(job);
  const auto planned = plan_release(asked, {allocation_of(shown), {failed_in(event), {}}, shown_by(shown)}, {}, log);
  if (!planned) return to.setNone();
  put(planned->change, shown);
  fill(shown, to.initObject());
}

}  // namespace annals::hooks
