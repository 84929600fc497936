// What qselect asks: jobs that meet every criterion.
#include <algorithm>
#include <optional>

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
  if (!row || !by.sees(*row) || !by.sees_resource(schema::text(c.getResource()))) return false;
  auto type = row->type;
  const auto shown = from.shown(job, row->id, schema::text(c.getResource()));
  std::string_view has = shown;
  std::string grown;
  if (!by.sees_all_of(job)) has = seen_by_others(row->id, has, grown).value_or("");
  if (row->id == attributes::job::eligible_time && counts_eligible_time(from.server()))
    has = grown = values::print_duration(eligible_time_of(from.told_of(job).eligible, job).at(now_s));
  if (type == attributes::value_type::resource_list) {
    const auto* r = from.server().resources.find(schema::text(c.getResource()));
    if (!r) return false;
    type = r->type;
  }
  if (has.empty() && is_number(type)) has = type == attributes::value_type::duration ? "00:00:00" : "0";  // unset counts as 0
  if (const auto order = attributes::compare_values(type, has, wanted)) return holds(*order, c.getOp());
  return (c.getOp() == schema::CompareOp::EQ && has == wanted) || (c.getOp() == schema::CompareOp::NE && has != wanted);
}

// Counts the effort to compare one job with the criteria (projections/status/effort.hpp). A list of values may be long.
std::size_t looks_of(capnp::List<schema::Criterion>::Reader criteria) {
  std::size_t looks = 1;
  for (auto c : criteria) looks += 1 + c.getValue().size() / 16;
  return looks;
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

// Why it is not answered.
std::optional<values::refusal> why_not(const status& from, schema::SelectJobs::Reader asked) {
  if (asked.getHistory() != schema::History::LIVE && !history_allowed(from)) return values::refuse(pbs_error::no_history);
  for (auto c : asked.getCriteria())
    if (schema::text(c.getName()) == "queue" && !from.queues().contains(schema::text(c.getValue())))
      return values::refuse(pbs_error::unknown_queue);
  return std::nullopt;
}

class selection_in_parts final : public answer_in_parts {
 public:
  selection_in_parts(const status& from, const schema::sealed<schema::Request>& request, const model::requester& by)
      : request_(request),
        asked_(request_.get().getSelectJobs()),
        criteria_(asked_.getCriteria()),
        by_(from, by),
        why_not_(why_not(from, asked_)),
        looks_(looks_of(criteria_)),
        walk_({asked_.getHistory(), may_meet_all(), looks_}) {}

  bool go_on(const status& from, const send_reply& send, std::int64_t now_ns, std::size_t rows) override {
    if (why_not_) {
      refuse_whole(request_.get().getId(), from.sequence(), *why_not_, send);
      return false;
    }
    const auto now_s = seconds_of(from, now_ns);
    effort left(rows);
    bool more = true;
    while (more && left.is_left()) {
      if (!subjobs_) more = choose_jobs(from, now_s, left);
      else if (!choose_subjobs(from, now_s, left)) subjobs_.reset();
    }
    send_chosen(from, more, send);
    return more;
  }

 private:
  std::function<bool(std::string_view, std::string_view)> may_meet_all() const {
    return [this](std::string_view owner, std::string_view queue) {
      return by_.sees_jobs_of(owner) && may_meet(owner, queue, criteria_);
    };
  }

  void choose(const status& from, const candidate& who, const std::string& id, std::int64_t now_s, effort& left) {
    left.looked(looks_);
    if (meets_all(from, who, criteria_, by_, now_s)) ids_.push_back(id);
  }

  // Up to an array whose subjobs come next. False: there are no more.
  bool choose_jobs(const status& from, std::int64_t now_s, effort& left) {
    const auto look_at = [&](const model::job_state& job) {
      if (!by_.sees(job)) return true;
      if (asked_.getSubjobs() && job.array) subjobs_.emplace(job);
      else choose(from, {job, job, model::state_letter(job)}, job.id, now_s, left);
      return !subjobs_;
    };
    return from.go_on(walk_, look_at, left);
  }

  bool choose_subjobs(const status& from, std::int64_t now_s, effort& left) {
    const auto look_at = [&](const subjob_view& s) { choose(from, {s.shown(), s.array, letter_of(s)}, id_of(from, s), now_s, left); };
    return subjobs_->go_on(from, look_at, left);
  }

  // Also of no job, when there is nothing more.
  void send_chosen(const status& from, bool more, const send_reply& send) {
    if (more && ids_.empty()) return;
    send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      r.setId(request_.get().getId());
      r.setSequence(from.sequence());
      r.setMore(more);
      auto list = r.initJobs(static_cast<unsigned>(ids_.size()));
      for (unsigned i = 0; i < ids_.size(); ++i) list.set(i, ids_[i]);
    }));
    ids_.clear();
  }

  const schema::sealed<schema::Request> request_;
  const schema::SelectJobs::Reader asked_;
  const capnp::List<schema::Criterion>::Reader criteria_;
  const viewer by_;
  const std::optional<values::refusal> why_not_;
  const std::size_t looks_;  // to choose one job
  job_walk walk_;
  std::optional<subjob_walk> subjobs_;  // of the array that comes next
  std::vector<std::string> ids_;        // chosen, and not sent yet
};

}  // namespace

std::unique_ptr<answer_in_parts> begin_select(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by) {
  return std::make_unique<selection_in_parts>(from, request, by);
}

}  // namespace annals::projections
