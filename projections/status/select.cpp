// What qselect asks: jobs that meet every criterion.
#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/values/duration.hpp"
#include "events/values/pbs_error.hpp"
#include "events/values/string_list.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/privacy.hpp"
#include "projections/status/query.hpp"
#include "projections/status/query_parts.hpp"
#include "projections/status/subjobs.hpp"

namespace annals::projections {

namespace pbs_error = values::pbs_error;
using schema::ObjectKind;

namespace {

bool holds(int order, schema::CompareOp op) {
  switch (op) {
    case schema::CompareOp::EQ: return order == 0;
    case schema::CompareOp::NE: return order != 0;
    case schema::CompareOp::GE: return order >= 0;
    case schema::CompareOp::GT: return order > 0;
    case schema::CompareOp::LE: return order <= 0;
    case schema::CompareOp::LT: return order < 0;
  }
  return false;
}

bool in_list(std::string_view list, std::string_view value, std::string_view other = {}) {
  for (const auto& e : values::split_list(list))
    if (e == value || (!other.empty() && e == other)) return true;
  return false;
}

bool is_number(attributes::value_type type) {
  using t = attributes::value_type;
  return type == t::integer || type == t::real || type == t::size || type == t::duration || type == t::date;
}

// What criteria are held against. Of a subjob, whether it is of an array is read off its array.
struct candidate {
  const model::job_state& job;
  const model::job_state& array;  // the job itself, when it is no subjob
  char letter;
};

bool meets(const status& from, const candidate& who, schema::Criterion::Reader c, const viewer& by, std::int64_t now_s) {
  const auto name = schema::text(c.getName());
  const auto wanted = schema::text(c.getValue());
  if (name == "job_state") return wanted.find(who.letter) != std::string_view::npos;
  const auto& job = name == "array" ? who.array : who.job;
  if (name == "Job_Owner" || name == "User_List") return in_list(wanted, job.owner_name(), job.owner());
  const auto* row = attributes::find(ObjectKind::JOB, name);
  if (!row || !by.sees(*row)) return false;
  auto type = row->type;
  std::string_view has = job.attribute(row->id, schema::text(c.getResource()));
  std::string grown;
  if (!by.sees_all_of(job)) has = seen_by_others(row->id, has, grown).value_or("");
  if (row->id == attributes::job::eligible_time && counts_eligible_time(from.server()))
    has = grown = values::print_duration(eligible_time_of(job).at(now_s));
  if (type == attributes::value_type::resource_list) {
    const auto* r = from.server().resources.find(schema::text(c.getResource()));
    if (!r) return false;
    type = r->type;
  }
  if (has.empty() && is_number(type)) has = type == attributes::value_type::duration ? "00:00:00" : "0";  // unset counts as 0
  if (const auto order = attributes::compare_values(type, has, wanted)) return holds(*order, c.getOp());
  return (c.getOp() == schema::CompareOp::EQ && has == wanted) || (c.getOp() == schema::CompareOp::NE && has != wanted);
}

// Whether a job of this owner (user@host) and queue can meet them all.
bool may_meet(std::string_view owner, std::string_view queue, capnp::List<schema::Criterion>::Reader criteria) {
  for (auto c : criteria) {
    const auto name = schema::text(c.getName());
    const auto wanted = schema::text(c.getValue());
    if ((name == "Job_Owner" || name == "User_List") && !in_list(wanted, user_of(owner), owner)) return false;
    if (name == "queue" && c.getOp() == schema::CompareOp::EQ && wanted != queue) return false;
  }
  return true;
}

bool meets_all(const status& from, const candidate& who, capnp::List<schema::Criterion>::Reader criteria, const viewer& by,
               std::int64_t now_s) {
  for (auto c : criteria)
    if (!meets(from, who, c, by, now_s)) return false;
  return true;
}

}  // namespace

void answer_select(const status& from, std::uint64_t request_id, schema::SelectJobs::Reader asked,
                   const model::requester& by, const send_reply& send, std::int64_t now_ns) {
  if (asked.getHistory() != schema::History::LIVE && !history_allowed(from))
    return refuse_whole(request_id, from.sequence(), values::refuse(pbs_error::no_history), send);
  for (auto c : asked.getCriteria())
    if (schema::text(c.getName()) == "queue" && !from.queues().contains(schema::text(c.getValue())))
      return refuse_whole(request_id, from.sequence(), values::refuse(pbs_error::unknown_queue), send);
  const auto now_s = std::max(now_ns, from.wall_ns()) / 1'000'000'000;
  const viewer viewing(from, by);
  std::vector<std::string> ids;
  const auto is_chosen = [&](const candidate& who) { return meets_all(from, who, asked.getCriteria(), viewing, now_s); };
  const auto look_at = [&](const model::job_state& job) {
    if (!viewing.sees(job)) return true;
    if (!asked.getSubjobs() || !job.array) {
      if (is_chosen({job, job, model::state_letter(job)})) ids.push_back(job.id);
      return true;
    }
    from.each_subjob(job, [&](std::uint32_t index, const model::job_state* own) {
      const subjob_view s{job, index, own};
      if (is_chosen({s.shown(), job, letter_of(s)})) ids.push_back(id_of(from, s));
      return true;
    });
    return true;
  };
  from.each_job(look_at, {asked.getHistory(), [&](std::string_view owner, std::string_view queue) {
                            return viewing.sees_jobs_of(owner) && may_meet(owner, queue, asked.getCriteria());
                          }});
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request_id);
    r.setSequence(from.sequence());
    auto list = r.initJobs(static_cast<unsigned>(ids.size()));
    for (unsigned i = 0; i < ids.size(); ++i) list.set(i, ids[i]);
  }));
}

}  // namespace annals::projections
