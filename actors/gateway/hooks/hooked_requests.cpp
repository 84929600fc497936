#include "actors/gateway/hooks/hooked_requests.hpp"

#include <algorithm>
#include <span>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/attributes/table.hpp"
#include "events/log/record.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

namespace protocol = hooks::protocol;

namespace {
constexpr unsigned words_of_most_attributes = 8;  // in a message, with their texts
constexpr std::int64_t default_wait_s = 120;      // pbs guide: sync_mom_hookfiles_timeout
}

hooks::hook_object job_asked(schema::QueueJob::Reader asked) {
  hooks::hook_object job{protocol::ObjectKind::JOB, {}, hooks::attributes_of(asked.getAttributes())};
  if (asked.getQueue().size() > 0) job.put("queue", {}, schema::text(asked.getQueue()));
  return job;
}

namespace {

hooks::hook_object changes_asked(protocol::ObjectKind kind, capnp::Text::Reader name, capnp::List<schema::Attribute>::Reader changes) {
  hooks::hook_object object{kind, schema::str(name), {}};
  for (auto c : changes)
    object.put(schema::text(c.getName()), schema::text(c.getResource()),
               c.getOp() == schema::AttributeOp::UNSET ? std::string_view() : schema::text(c.getValue()));
  return object;
}

}  // namespace

hooks::hook_object job_asked(schema::JobAttributes::Reader asked) {
  return changes_asked(protocol::ObjectKind::JOB, asked.getJob(), asked.getChanges());
}

namespace {

// A length has two names: pbs_rsub -D, and -l walltime.
struct length_name {
  const char *name, *resource;
};
constexpr length_name duration{"reserve_duration", ""}, walltime{"Resource_List", "walltime"};

std::optional<std::int64_t> seconds_of(const hooks::hook_object& reservation, const length_name& length) {
  const auto* a = reservation.find(length.name, length.resource);
  return a ? values::parse_duration(a->value) : std::nullopt;
}

}  // namespace

hooks::hook_object reservation_asked(schema::SubmitReservation::Reader asked) {
  hooks::hook_object resv{protocol::ObjectKind::RESERVATION, {}, hooks::attributes_of(asked.getAttributes())};
  const auto* start_text = resv.find("reserve_start");
  const auto start = start_text ? values::parse_integer(start_text->value) : std::nullopt;
  const bool has_window = start_text && resv.find("reserve_end");
  auto length = seconds_of(resv, duration);
  if (!length && !has_window) length = seconds_of(resv, walltime);
  if (!length) return resv;
  if (!resv.find(duration.name)) resv.put(duration.name, {}, std::to_string(*length));
  if (!resv.find(walltime.name, walltime.resource)) resv.put(walltime.name, walltime.resource, values::print_duration(*length));
  std::int64_t end = 0;
  if (start && !has_window && !__builtin_add_overflow(*start, *length, &end)) resv.put("reserve_end", {}, std::to_string(end));
  return resv;
}

hooks::hook_object reservation_asked(schema::AlterReservation::Reader asked) {
  return changes_asked(protocol::ObjectKind::RESERVATION, asked.getReservation(), asked.getChanges());
}

// Numbers as PBS's management constants have them (pbs guide: MGR_CMD_*, MGR_OBJ_*).
hooks::hook_object management_done(schema::Manage::Reader asked, const model::rejection& why, std::int64_t asked_s) {
  constexpr int commands[] = {0, 1, 2, 3, 7};          // create, delete, set, unset, import
  constexpr int objects[] = {2, 1, 0, 3, 6, 5, 7, 8};  // job, queue, server, node, sched, resource, host, hook
  hooks::hook_object m{protocol::ObjectKind::MANAGEMENT, schema::str(asked.getName()), {}};
  const auto verb = static_cast<std::size_t>(asked.getVerb());
  const auto kind = static_cast<std::size_t>(asked.getKind());
  if (verb < std::size(commands)) m.put("cmd", {}, std::to_string(commands[verb]));
  if (kind < std::size(objects)) m.put("objtype", {}, std::to_string(objects[kind]));
  m.put("objname", {}, m.name);
  m.put("request_time", {}, std::to_string(asked_s));
  m.put("reply_code", {}, std::to_string(why.code));
  m.put("reply_auxcode", {}, "0");
  constexpr int no_text = 1, with_text = 7;  // BRP_CHOICE_NULL, BRP_CHOICE_Text
  m.put("reply_choice", {}, std::to_string(why.code == 0 ? no_text : with_text));
  if (why.code != 0) m.put("reply_text", {}, why.text);
  for (auto c : asked.getChanges())
    m.attributes.push_back({"attribs." + schema::str(c.getName()), schema::str(c.getResource()), schema::str(c.getValue()), c.getOp()});
  return m;
}

namespace {

// Attributes of a list, without those that stand elsewhere in the request.
void fill(capnp::List<schema::Attribute>::Builder list, const std::vector<const hooks::hook_attribute*>& from, bool empty_unsets) {
  for (unsigned i = 0; i < from.size(); ++i) {
    list[i].setName(from[i]->name);
    list[i].setResource(from[i]->resource);
    list[i].setValue(from[i]->value);
    if (empty_unsets && from[i]->value.empty()) list[i].setOp(schema::AttributeOp::UNSET);
  }
}

void put_changes(const std::vector<hooks::hook_change>& changes, capnp::List<schema::Attribute>::Builder list) {
  for (unsigned i = 0; i < changes.size(); ++i) {
    list[i].setName(changes[i].attribute);
    list[i].setResource(changes[i].resource);
    list[i].setValue(changes[i].after);
    list[i].setOp(changes[i].has_value ? schema::AttributeOp::SET : schema::AttributeOp::UNSET);
  }
}

}  // namespace

namespace {

// A message with room for so many attributes, and with what all requests have.
struct message_like {
  message_like(const schema::sealed<schema::Request>& asked, unsigned attributes)
      : message(static_cast<unsigned>(asked.bytes().size() / sizeof(capnp::word)) + attributes * words_of_most_attributes),
        request(message.initRoot<schema::Request>()) {
    request.setId(asked.get().getId());
    request.setCommandId(asked.get().getCommandId());
    request.setSentAtNs(asked.get().getSentAtNs());
  }
  schema::sealed<schema::Request> take() { return schema::sealed<schema::Request>(schema::sealed_message::from_builder(message)); }

  capnp::MallocMessageBuilder message;
  schema::Request::Builder request;
};

// Scripts write a length as a duration, requests have its seconds.
void seconds_only(hooks::hook_object& reservation) {
  if (const auto seconds = seconds_of(reservation, duration)) reservation.put(duration.name, {}, std::to_string(*seconds));
}

// Hooks gave it another value than they were shown.
bool is_set(const hooks::hook_object& left, const hooks::hook_object& shown, const length_name& what) {
  const auto *now = left.find(what.name, what.resource), *before = shown.find(what.name, what.resource);
  if (!now) return false;
  const auto seconds = values::parse_duration(now->value);
  const bool same_length = before && seconds && seconds == values::parse_duration(before->value);
  return !before || (!same_length && now->value != before->value);
}

// A request names each time once, but for what who asked named himself. Of two different lengths reserve_duration counts.
void settle_times(hooks::hook_object& left, schema::SubmitReservation::Reader asked) {
  const auto shown = reservation_asked(asked);
  const hooks::hook_object given{protocol::ObjectKind::RESERVATION, {}, hooks::attributes_of(asked.getAttributes())};
  const auto forget = [&](const length_name& what) { left.remove(what.name, what.resource); };
  const bool sets_duration = is_set(left, shown, duration), sets_walltime = is_set(left, shown, walltime);
  const bool sets_end = is_set(left, shown, {"reserve_end", ""});
  const bool sets_length = sets_duration || sets_walltime;
  if (sets_duration) {
    forget(walltime);
  } else if (sets_walltime) {
    forget(duration);
    if (const auto seconds = seconds_of(left, walltime)) {  // else the server refuses it
      left.put(duration.name, {}, std::to_string(*seconds));
      forget(walltime);
    }
  } else if (sets_end && left.find("reserve_start")) {
    forget(duration);
    forget(walltime);
  } else if (left.find(duration.name) && !given.find(walltime.name, walltime.resource)) {
    forget(walltime);
  }
  const bool has_length = left.find(duration.name) || left.find(walltime.name, walltime.resource);
  const bool end_follows = sets_length || !given.find("reserve_end");
  if (has_length && left.find("reserve_start") && end_follows && !sets_end) left.remove("reserve_end", {});
}

}  // namespace

schema::sealed<schema::Request> with_reservation(const schema::sealed<schema::Request>& asked, const hooks::hook_object& reservation) {
  auto resv = reservation;
  seconds_only(resv);
  if (asked.get().isSubmitReservation()) settle_times(resv, asked.get().getSubmitReservation());
  std::vector<const hooks::hook_attribute*> listed;
  listed.reserve(resv.attributes.size());
  for (const auto& a : resv.attributes) listed.push_back(&a);
  const auto n = static_cast<unsigned>(listed.size());
  message_like m(asked, n);
  if (asked.get().isSubmitReservation()) {
    const auto before = asked.get().getSubmitReservation();
    auto s = m.request.initSubmitReservation();
    s.setHosts(before.getHosts());
    s.setSubmitHost(before.getSubmitHost());
    fill(s.initAttributes(n), listed, false);
  } else {
    const auto before = asked.get().getAlterReservation();
    auto a = m.request.initAlterReservation();
    a.setReservation(before.getReservation());
    a.setForce(before.getForce());
    fill(a.initChanges(n), listed, true);
  }
  return m.take();
}

schema::sealed<schema::Request> with_job(const schema::sealed<schema::Request>& asked, const hooks::hook_object& job) {
  std::vector<const hooks::hook_attribute*> listed;
  listed.reserve(job.attributes.size());
  const bool queues = asked.get().isQueueJob();
  for (const auto& a : job.attributes)
    if (!queues || a.name != "queue") listed.push_back(&a);
  const auto before = asked.get();
  const auto n = static_cast<unsigned>(listed.size());
  message_like m(asked, n);
  auto& r = m.request;
  if (queues) {
    const auto job_before = before.getQueueJob();
    auto q = r.initQueueJob();
    const auto* queue = job.find("queue");
    q.setQueue(queue ? queue->value : std::string());
    q.setScript(job_before.getScript());
    q.setScriptRef(job_before.getScriptRef());
    q.setHasScript(job_before.getHasScript());
    q.setSubmitHost(job_before.getSubmitHost());
    fill(q.initAttributes(n), listed, false);
  } else {
    auto a = r.initAlterJob();
    a.setJob(before.getAlterJob().getJob());
    fill(a.initChanges(n), listed, true);
  }
  return m.take();
}

std::vector<std::string> set_in_job(const std::vector<hooks::hook_change>& changes) {
  std::vector<std::string> names;
  names.reserve(changes.size());
  for (const auto& c : changes)
    if (schema::text(c.parameter) == "job" && c.before != c.after)
      names.push_back(schema::str(c.attribute) + (c.resource.size() == 0 ? "" : "." + schema::str(c.resource)));
  return names;
}

void show_move(hooks::hook_parameters& parameters, const std::string& destination) {
  auto* p = hooks::find_parameter(parameters, "job");
  if (!p) return;
  auto& job = std::get<hooks::hook_object>(p->value);
  const auto* queue = job.find("queue");
  std::string source = queue ? queue->value : std::string();
  job.put("queue", {}, destination);
  parameters.push_back({"src_queue", std::move(source)});
}

schema::sealed<schema::Request> with_destination(const schema::sealed<schema::Request>& asked, const std::string& queue) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(asked.get().getId());
    r.setCommandId(asked.get().getCommandId());
    r.setSentAtNs(asked.get().getSentAtNs());
    auto m = r.initMoveJob();
    m.setJob(asked.get().getMoveJob().getJob());
    m.setDestination(queue);
  });
}

schema::sealed<schema::Request> alteration(const std::string& job, const std::vector<hooks::hook_change>& changes) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto a = r.initAlterJob();
    a.setJob(job);
    put_changes(changes, a.initChanges(static_cast<unsigned>(changes.size())));
  });
}

schema::sealed<schema::Request> vnode_change(const std::string& vnode, const std::vector<hooks::hook_change>& changes) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::SET);
    m.setKind(schema::ObjectKind::NODE);
    m.setName(vnode);
    put_changes(changes, m.initChanges(static_cast<unsigned>(changes.size())));
  });
}

schema::sealed<schema::Request> alteration(const std::string& job, capnp::List<schema::Attribute>::Reader changes) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto a = r.initAlterJob();
    a.setJob(job);
    a.setChanges(changes);
  });
}

schema::sealed<schema::Request> end_of_run(const std::string& job, bool deletes) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    if (deletes) r.initDeleteJob().setJob(job);
    else r.initRerunJob().setJob(job);
  });
}

schema::sealed<schema::Request> vnode_change(const std::string& vnode, capnp::List<schema::Attribute>::Reader changes) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::SET);
    m.setKind(schema::ObjectKind::NODE);
    m.setName(vnode);
    m.setChanges(changes);
  });
}

schema::sealed<schema::Request> resource_creation(schema::ResourceDefined::Reader resource) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::CREATE);
    m.setKind(schema::ObjectKind::RESOURCE);
    m.setName(resource.getName());
    auto list = m.initChanges(2);
    list[0].setName("type");
    list[0].setValue(resource.getType());
    list[1].setName("flag");
    list[1].setValue("h");
  });
}

std::string repeatable_id(const std::string& of) { return log::content_hash(std::as_bytes(std::span(of))).substr(0, 16); }

bool is_for_moms(const model::hook_state& hook) {
  const auto all = hooks::hook_events();
  return std::any_of(all.begin(), all.end(), [&](const hooks::hook_event& e) { return hooks::is_on_mom(e) && hook.has_event(e.name); });
}

schema::sealed<schema::ToMom> mom_hooks_message(const directory& where, std::uint64_t sequence) {
  std::vector<const model::hook_state*> hooks;
  for (const auto& [serial, hook] : where.hook_states())
    if (is_for_moms(hook)) hooks.push_back(&hook);
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto all = m.initHooks();
    all.setSequence(sequence);
    const auto wait = attributes::integer_of(where.settings()->server, attributes::server::sync_mom_hookfiles_timeout);
    all.setWaitSeconds(static_cast<std::uint32_t>(std::clamp<std::int64_t>(wait.value_or(default_wait_s), 0, UINT32_MAX)));
    auto list = all.initHooks(static_cast<unsigned>(hooks.size()));
    for (unsigned i = 0; i < hooks.size(); ++i) {
      const auto& h = *hooks[i];
      list[i].setName(h.name);
      std::vector<attributes::entry> entries;
      for (const auto& e : h.attributes) entries.push_back(e);
      auto settings = list[i].initAttributes(static_cast<unsigned>(entries.size()));
      for (unsigned n = 0; n < entries.size(); ++n) {
        settings[n].setName(attributes::find(schema::ObjectKind::HOOK, entries[n].id)->name);
        settings[n].setValue(std::string(entries[n].value));
      }
      const auto put = [](const model::hook_content& from, schema::BlobRef::Builder to) {
        to.setHash({reinterpret_cast<const kj::byte*>(from.hash.data()), from.hash.size()});
        to.setSize(from.size);
      };
      put(h.code, list[i].initCode());
      put(h.config, list[i].initConfig());
    }
    const auto& custom = where.settings()->resources.custom();
    auto resources = all.initResources(static_cast<unsigned>(custom.size()));
    unsigned i = 0;
    for (const auto& [name, r] : custom) {
      resources[i].setName(name);
      resources[i].setType(attributes::resource_type_name(r.type));
      resources[i++].setFlags(attributes::resource_flags_text(r.flags));
    }
  });
}

}  // namespace annals::actors
