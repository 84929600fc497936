// Asks a status, or a log at a moment, and writes the answer down as text that can be compared and read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/table.hpp"
#include "projections/status/query.hpp"

namespace annals::test {

using schema::ObjectKind;

struct question {
  ObjectKind kind = ObjectKind::JOB;
  std::vector<std::string> names = {};
  schema::History history = schema::History::LIVE;
  std::vector<std::string> wanted = {};  // names of attributes
  std::string queue = {}, states = {};
  std::vector<std::string> users = {};
  std::uint64_t at_sequence = 0;  // 0: now
  std::int64_t at_wall_ns = 0;
  bool why = false;
  bool subjobs = false;
  std::int64_t since_s = 0;
  std::uint64_t newest = 0;
};

inline model::requester someone(std::string name = "user1") { return {std::move(name), "front", schema::Role::USER}; }
inline model::requester a_manager() { return {"root", "borg", schema::Role::MANAGER}; }

inline schema::sealed<schema::Request> request_of(const question& q) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(5);
    auto s = r.initStat();
    s.setKind(q.kind);
    s.setHistory(q.history);
    s.setQueue(q.queue);
    s.setStates(q.states);
    s.setWhy(q.why);
    s.setSubjobs(q.subjobs);
    s.setSinceS(q.since_s);
    s.setNewest(q.newest);
    auto names = s.initNames(static_cast<unsigned>(q.names.size()));
    for (unsigned i = 0; i < q.names.size(); ++i) names.set(i, q.names[i]);
    auto users = s.initUsers(static_cast<unsigned>(q.users.size()));
    for (unsigned i = 0; i < q.users.size(); ++i) users.set(i, q.users[i]);
    auto wanted = s.initWanted(static_cast<unsigned>(q.wanted.size()));
    for (unsigned i = 0; i < q.wanted.size(); ++i) wanted.set(i, attributes::find(q.kind, q.wanted[i])->id);
    if (q.at_sequence > 0) s.initAt().setSequence(q.at_sequence);
    else if (q.at_wall_ns > 0) s.initAt().setWallNs(q.at_wall_ns);
  });
}

inline std::string attribute_name(ObjectKind kind, attributes::attribute_id id) {
  if (kind == ObjectKind::RESOURCE) return id == 1 ? "type" : "flag";
  const auto* row = attributes::find(kind == ObjectKind::HOST ? ObjectKind::NODE : kind, id);
  return row ? row->name : "unknown attribute";
}

// "12.borg: Job_Name=sleep Resource_List.ncpus=1 ...", "99.borg! Unknown Job Id", "! refusal of the whole".
inline void write_down(std::string& text, ObjectKind kind, schema::Reply::Reader reply) {
  if (reply.isRejected()) text += "! " + schema::str(reply.getRejected().getText()) + "\n";
  if (reply.isJobs())
    for (auto id : reply.getJobs()) text += schema::str(id) + "\n";
  if (!reply.isObjects()) return;
  for (auto o : reply.getObjects().getObjects()) {
    text += schema::str(o.getName()) + ":";
    const auto row =
        attributes::attribute_set::from_packed({reinterpret_cast<const char*>(o.getAttributes().begin()), o.getAttributes().size()});
    for (const auto& e : *row) {
      text += " " + attribute_name(kind, e.id);
      if (!e.resource.empty()) text += "." + std::string(e.resource);
      text += "=" + std::string(e.value);
    }
    if (o.hasWhy()) {
      const auto w = o.getWhy();
      text += " why=" + schema::str(w.getComment()) + "/" + schema::str(w.getData().getResource()) + "/" + schema::str(w.getBehind()) +
              "/" + std::to_string(w.getSinceNs()) + "/" + std::to_string(w.getSaidNs()) + "/" + std::to_string(w.getCycle()) + "/" +
              schema::str(w.getScheduler());
      if (w.getPlacing() != schema::JobWhy::Placing::PLACED)
        text += " " +
                std::string(w.getPlacing() == schema::JobWhy::Placing::NOBODY ? "nobody"
                            : w.getPlacing() == schema::JobWhy::Placing::OFF  ? "off"
                                                                              : "down") +
                "=" + schema::str(w.getPartition()) + "/" + schema::str(w.getPlacer());
    }
    text += "\n";
  }
  for (auto u : reply.getObjects().getUnknown()) text += schema::str(u.getName()) + "! " + schema::str(u.getRejection().getText()) + "\n";
  if (reply.getObjects().getLast()) text += "at " + std::to_string(reply.getSequence()) + "\n";
}

inline std::string answer(const projections::status& from, const question& q, const model::requester& by = a_manager()) {
  std::string text;
  const auto request = request_of(q);
  projections::answer_stat(from, 5, request.get().getStat(), by, [&](const auto& r) { write_down(text, q.kind, r.get()); });
  return text;
}

// The same in parts of so many rows. `between` happens after each but the last.
inline std::string answer_in_parts(
    const projections::status& from, const question& q, std::size_t rows,
    const std::function<void()>& between = [] {}, const model::requester& by = a_manager()) {
  std::string text;
  const auto all = projections::begin_answer(from, request_of(q), by);
  const auto send = [&](const auto& r) { write_down(text, q.kind, r.get()); };
  while (all->go_on(from, send, 0, rows)) between();
  return text;
}

// Asks a select, in parts of so many rows, and writes down the jobs that it finds.
inline std::string selected(const projections::status& from, const std::function<void(schema::SelectJobs::Builder)>& fill,
                            std::size_t rows = SIZE_MAX, const model::requester& by = a_manager()) {
  const auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(5);
    fill(r.initSelectJobs());
  });
  std::string text;
  const auto all = projections::begin_answer(from, request, by);
  const auto send = [&](const auto& r) { write_down(text, ObjectKind::JOB, r.get()); };
  while (all->go_on(from, send, 0, rows)) {}
  return text;
}

inline std::string answer_at(const log::log_reader& reader, const log::snapshot_store* index, const question& q,
                             const model::requester& by = a_manager()) {
  std::string text;
  const auto request = request_of(q);
  projections::answer_stat_at(reader, index, 5, request.get().getStat(), by, [&](const auto& r) { write_down(text, q.kind, r.get()); });
  return text;
}

}  // namespace annals::test
