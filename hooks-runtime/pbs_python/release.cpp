#include "hooks-runtime/pbs_python/release.hpp"

#include "events/model/vnodes/reduce.hpp"
#include "events/schema/message.hpp"
#include "events/values/exec_host.hpp"

namespace annals::hooks {

namespace {

struct told_job {
  std::string exec_vnode, exec_host, schedselect;
  values::resource_list resources;
};

told_job read(protocol::Object::Reader job) {
  told_job out;
  for (const auto a : job.getAttributes()) {
    const auto name = schema::text(a.getName());
    if (name == "exec_vnode") out.exec_vnode = schema::str(a.getValue());
    if (name == "exec_host") out.exec_host = schema::str(a.getValue());
    if (name == "schedselect") out.schedselect = schema::str(a.getValue());
    if (name == "Resource_List") out.resources[schema::str(a.getResource())] = schema::str(a.getValue());
  }
  return out;
}

// The job with these values, in the place of those it had.
void fill(protocol::Object::Reader job, const told_job& with, protocol::Object::Builder to) {
  values::resource_list texts{{"exec_vnode", with.exec_vnode}, {"exec_host", with.exec_host}, {"schedselect", with.schedselect}};
  std::erase_if(texts, [](const auto& t) { return t.second.empty(); });
  const auto is_new = [](std::string_view name) {
    return name == "Resource_List" || name == "exec_vnode" || name == "exec_host" || name == "schedselect";
  };
  to.setKind(job.getKind());
  to.setName(job.getName());
  auto size = static_cast<unsigned>(texts.size() + with.resources.size());
  for (const auto a : job.getAttributes()) size += is_new(schema::text(a.getName())) ? 0 : 1;
  auto list = to.initAttributes(size);
  unsigned at = 0;
  for (const auto a : job.getAttributes())
    if (!is_new(schema::text(a.getName()))) list.setWithCaveats(at++, a);
  for (const auto& [name, value] : texts) {
    list[at].setName(name);
    list[at++].setValue(value);
  }
  for (const auto& [name, value] : with.resources) {
    list[at].setName("Resource_List");
    list[at].setResource(name);
    list[at++].setValue(value);
  }
}

model::unusable failed_in(protocol::Request::Reader event) {
  model::unusable out;
  for (const auto p : event.getParameters())
    if (p.isObjects() && schema::text(p.getName()) == "vnode_list_fail")
      for (const auto vnode : p.getObjects()) out.vnodes.push_back(schema::str(vnode.getName()));
  return out;
}

}  // namespace

void answer_release(protocol::ReleaseNodes::Reader asked, protocol::Object::Reader job, protocol::Request::Reader event,
                    const std::function<void(const std::string& line)>& tell, protocol::Answer::Builder to) {
  auto told = read(job);
  const auto slots = values::parse_exec_host(told.exec_host).value_or(values::exec_host_spec{});
  const model::allocation has(told.exec_vnode, told.exec_host, values::hosts_of(slots),
                              told.resources.contains("place") ? told.resources["place"] : "");
  model::allocation left;
  if (asked.getKeepSelect().size() > 0) {
    const auto select = values::parse_select(schema::text(asked.getKeepSelect()));
    if (!select) return to.setNone();
    const auto reduced = model::reduce(has, *select, failed_in(event));
    if (!reduced) {
      for (const auto& line : reduced.error().lines()) tell(line);
      return to.setNone();
    }
    left = reduced->left;
    told.schedselect = reduced->schedselect;
    told.resources = model::resources_after(std::move(told.resources), *reduced);
  } else {
    std::vector<std::string> vnodes;
    for (const auto vnode : asked.getVnodes()) vnodes.push_back(schema::str(vnode));
    const auto dropped = model::drop(has, vnodes);
    if (!dropped) return to.setNone();
    left = dropped->left;
  }
  told.exec_vnode = left.exec_vnode();
  told.exec_host = left.exec_host();
  fill(job, told, to.initObject());
}

}  // namespace annals::hooks
