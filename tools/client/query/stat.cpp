#include "tools/client/query/stat.hpp"

namespace annals::client {
namespace {

void fill(schema::Stat::Builder stat, const stat_question& q) {
  stat.setKind(q.kind);
  auto names = stat.initNames(static_cast<unsigned>(q.names.size()));
  for (unsigned i = 0; i < names.size(); ++i) names.set(i, q.names[i]);
  auto wanted = stat.initWanted(static_cast<unsigned>(q.wanted.size()));
  for (unsigned i = 0; i < wanted.size(); ++i) wanted.set(i, q.wanted[i]);
  stat.setHistory(q.history);
  q.at.fill(stat.initAt());
  stat.setQueue(q.queue);
  auto users = stat.initUsers(static_cast<unsigned>(q.users.size()));
  for (unsigned i = 0; i < users.size(); ++i) users.set(i, q.users[i]);
  stat.setStates(q.states);
  stat.setWhy(q.why);
  stat.setSubjobs(q.subjobs);
  stat.setSinceS(q.since_s);
  stat.setNewest(q.newest);
}

refused_name refusal_of(std::string name, schema::Rejection::Reader r) {
  return {std::move(name), r.getCode(), schema::str(r.getText())};
}

stat_outcome ask_each(session& server, const stat_question& question, const std::function<void(schema::Object::Reader)>& each,
                      const std::function<void()>& piece_done) {
  stat_outcome outcome;
  const auto read = [&](schema::Reply::Reader reply) {
    if (reply.isRejected()) outcome.refused = refusal_of({}, reply.getRejected());
    if (!reply.isObjects()) return;
    for (const auto object : reply.getObjects().getObjects()) each(object);
    for (const auto u : reply.getObjects().getUnknown()) {
      outcome.unknown.push_back(refusal_of(schema::str(u.getName()), u.getRejection()));
    }
    if (piece_done) piece_done();
  };
  server.query([&](schema::Request::Builder r) { fill(r.initStat(), question); }, read);
  return outcome;
}

object_view view_of(schema::Object::Reader object) {
  const auto data = object.getAttributes();
  return {schema::text(object.getName()), {reinterpret_cast<const char*>(data.begin()), data.size()}};
}

}  // namespace

stat_outcome ask(session& server, const stat_question& question, const std::function<void(const object_view&)>& each,
                 const std::function<void()>& piece_done) {
  return ask_each(
      server, question, [&](schema::Object::Reader object) { each(view_of(object)); }, piece_done);
}

stat_outcome ask_why(session& server, const stat_question& question,
                     const std::function<void(const object_view&, schema::JobWhy::Reader)>& each) {
  return ask_each(server, question, [&](schema::Object::Reader object) { each(view_of(object), object.getWhy()); }, {});
}

stat_outcome ask_all(session& server, const stat_question& question, std::vector<kept_object>& into) {
  return ask(server, question, [&](const object_view& o) {
    into.push_back({std::string(o.name), std::string(o.packed)});
  });
}

}  // namespace annals::client
