#include "hooks-runtime/chain/views.hpp"

#include "events/attributes/ids.hpp"

namespace annals::hooks {

namespace {

protocol::ObjectKind kind_of(schema::ObjectKind kind) {
  switch (kind) {
    case schema::ObjectKind::NODE: return protocol::ObjectKind::VNODE;
    case schema::ObjectKind::QUEUE: return protocol::ObjectKind::QUEUE;
    case schema::ObjectKind::SERVER: return protocol::ObjectKind::SERVER;
    case schema::ObjectKind::SCHEDULER: return protocol::ObjectKind::SCHEDULER;
    case schema::ObjectKind::RESERVATION: return protocol::ObjectKind::RESERVATION;
    default: return protocol::ObjectKind::JOB;
  }
}

}  // namespace

std::optional<schema::ObjectKind> schema_kind(protocol::ObjectKind kind) {
  switch (kind) {
    case protocol::ObjectKind::JOB: return schema::ObjectKind::JOB;
    case protocol::ObjectKind::VNODE: return schema::ObjectKind::NODE;
    case protocol::ObjectKind::QUEUE: return schema::ObjectKind::QUEUE;
    case protocol::ObjectKind::SERVER: return schema::ObjectKind::SERVER;
    case protocol::ObjectKind::SCHEDULER: return schema::ObjectKind::SCHEDULER;
    case protocol::ObjectKind::RESERVATION: return schema::ObjectKind::RESERVATION;
    case protocol::ObjectKind::MANAGEMENT:
    case protocol::ObjectKind::SERVER_ATTRIBUTE: break;
  }
  return std::nullopt;  // there are none
}

schema::sealed<schema::Request> view_request(schema::ObjectKind kind, const std::vector<std::string>& names, std::uint64_t sequence) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto stat = r.initStat();
    stat.setKind(kind);
    auto list = stat.initNames(static_cast<unsigned>(names.size()));
    for (unsigned i = 0; i < names.size(); ++i) list.set(i, names[i]);
    stat.initAt().setSequence(sequence);
  });
}

schema::sealed<schema::Request> names_request(schema::ObjectKind kind, std::uint64_t sequence, const std::string& queue) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto stat = r.initStat();
    stat.setKind(kind);
    stat.initAt().setSequence(sequence);
    stat.setQueue(queue);
    if (kind == schema::ObjectKind::JOB) stat.initWanted(1).set(0, attributes::job::job_state);  // of many jobs the rest would be much
  });
}

void take_objects(schema::ObjectKind kind, schema::Reply::Reader reply, hook_objects& into) {
  if (!reply.isObjects()) return;
  for (auto o : reply.getObjects().getObjects()) {
    const auto data = o.getAttributes();
    into.push_back({kind_of(kind), schema::str(o.getName()),
                    attributes_of(kind, {reinterpret_cast<const char*>(data.begin()), data.size()})});
  }
}

std::optional<asked_view> view_asked(protocol::Question::Reader question, std::uint64_t sequence) {
  switch (question.which()) {
    case protocol::Question::OBJECT: {
      const auto kind = schema_kind(question.getObject().getKind());
      const auto name = schema::str(question.getObject().getName());
      if (!kind || (name.empty() && *kind != schema::ObjectKind::SERVER)) return std::nullopt;
      const std::vector<std::string> names = *kind == schema::ObjectKind::SERVER ? std::vector<std::string>{} : std::vector{name};
      return asked_view{view_request(*kind, names, sequence), false};
    }
    case protocol::Question::NAMES:
      if (const auto kind = schema_kind(question.getNames())) return asked_view{names_request(*kind, sequence), true};
      return std::nullopt;
    case protocol::Question::JOBS_OF:
      return asked_view{names_request(schema::ObjectKind::JOB, sequence, schema::str(question.getJobsOf())), true};
    case protocol::Question::RELEASE_NODES: return std::nullopt;  // only where the job starts (RS-86)
  }
  return std::nullopt;
}

sealed_answer answer_with(const hook_objects& found, bool names_only) {
  return schema::make<protocol::Answer>([&](protocol::Answer::Builder a) {
    if (!names_only && found.empty()) return a.setNone();
    if (!names_only) return fill(found.front(), a.initObject());
    auto names = a.initNames(static_cast<unsigned>(found.size()));
    for (unsigned i = 0; i < found.size(); ++i) names.set(i, found[i].name);
  });
}

}  // namespace annals::hooks
