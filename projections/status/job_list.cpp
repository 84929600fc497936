// Answers qstat: jobs, arrays and subjobs, by name or all of them.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/model/job/explained.hpp"
#include "events/values/job_id.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/partition.hpp"
#include "projections/status/query.hpp"
#include "projections/status/query_parts.hpp"
#include "projections/status/routing_why.hpp"
#include "projections/status/subjobs.hpp"

namespace annals::projections {

namespace pbs_error = values::pbs_error;

namespace {

// `owner`: user@host.
bool is_of(std::string_view owner, std::string_view queue, schema::Stat::Reader asked) {
  if (asked.getQueue().size() > 0 && queue != schema::text(asked.getQueue())) return false;
  if (asked.getUsers().size() == 0) return true;
  for (auto u : asked.getUsers()) {
    const auto user = schema::text(u);
    if (user == owner || user == user_of(owner)) return true;
  }
  return false;
}

// Nothing is placed before a scheduler is there, whatever was said of the job before.
void put_placing(const status& from, std::string_view queue, schema::JobWhy::Builder to) {
  const auto partition = partition_of_queue(from, queue);
  const auto placing = placing_of_partition(from, partition);
  if (placing == schema::JobWhy::Placing::PLACED) return;
  to.setPlacing(placing);
  to.setPartition(std::string(partition));
  to.setPlacer(std::string(scheduler_of_partition(from, partition)));
}

// PBS gives no comment to a job that never ran, and none of who has deleted an array.
std::string why_it_ended(const model::job_state& job) {
  if (job.has_exit_status && !job.array) return {};
  if (!job.explained.empty()) return job.explained + ".";
  return job.delete_requested ? "It was deleted by " + job.deleted_by + "." : std::string();
}

// A sentence on each line. No scheduler hears of the job.
void put_routing(const std::vector<std::string>& sentences, const std::string& queue, schema::JobWhy::Builder to) {
  std::string comment;
  for (const auto& each : sentences) (comment += comment.empty() ? "" : "\n") += each;
  to.setComment(comment);
  auto data = to.initData();
  data.setKind(schema::Why::Kind::QUEUE);
  data.setOwner("routing queue " + queue);
}

piecewise::fill_why why_of(const status& from, const model::job_state& job) {
  if (job.ended()) {
    auto end = why_it_ended(job);
    return end.empty() ? piecewise::fill_why() : [end = std::move(end)](schema::JobWhy::Builder to) { to.setComment(end); };
  }
  if (const auto lines = why_not_routed(from, job); !lines.empty())
    return [lines, queue = std::string(job.queue())](schema::JobWhy::Builder to) { put_routing(lines, queue, to); };
  const auto* why = from.why(job.serial);
  const bool waits = !job.ended() && job.allocated.empty();
  if (!why && !waits) return {};
  return [why, waits, files = model::why_files_are_missing(job), queue = std::string(job.queue()), &from](schema::JobWhy::Builder to) {
    if (waits) put_placing(from, queue, to);
    if (!files.empty()) to.setComment(files);  // as in PBS the job has no comment
    if (!why) return;
    to.setComment(why->why->text);
    to.setData(why->why->data());
    if (const auto behind = why->behind_id(); !behind.empty()) to.setBehind(std::string(behind));
    to.setSinceNs(why->since_ns);
    to.setSaidNs(why->said->wall_ns);
    to.setCycle(why->said->cycle);
    to.setScheduler(from.scheduler_name(why->said->scheduler));
  };
}

// Good as long as what it was made from.
jobs_wanted wanted_jobs(schema::Stat::Reader asked, const viewer& by) {
  const auto states = schema::text(asked.getStates());
  const bool finished_fit = states.empty() || states.find('F') != std::string_view::npos;
  const auto may_be = [asked, &by](std::string_view owner, std::string_view queue) {
    return by.sees_jobs_of(owner) && is_of(owner, queue, asked);
  };
  return {finished_fit ? asked.getHistory() : schema::History::LIVE, may_be, 1 + asked.getUsers().size(), asked.getSinceS(),
          asked.getNewest()};
}

class job_list final : public stat_list {
 public:
  job_list(const status& from, schema::Stat::Reader asked, const model::requester& by)
      : asked_(asked), by_(from, by), shown_(schema::ObjectKind::JOB, by_, asked.getWanted()), walk_(wanted_jobs(asked, by_)) {
    shown_uncounted_.leave_out(attributes::job::eligible_time);
    shown_uncounted_.leave_out(attributes::job::accrue_type);
  }

  bool go_on(const status& from, piecewise& out, std::int64_t now_s, effort& left) override {
    const bool counted = counts_eligible_time(from.server());
    const part now{from, out, now_s, left, counted ? shown_ : shown_uncounted_, timed_ && (counted || shows_select_requested(from))};
    while (left.is_left()) {
      if (subjobs_) {
        if (!add_subjobs(now)) subjobs_.reset();
      } else if (!(asked_.getNames().size() == 0 ? add_some(now) : add_next_named(now))) {
        for (const auto& [name, code] : refused_) out.unknown(name, values::refuse(code));
        return false;
      }
    }
    return true;
  }

 private:
  struct part {
    const status& from;
    piecewise& out;
    std::int64_t now_s;
    effort& left;
    const filter& shown;
    bool makes_all;  // rows: none is the job's attributes as they are
  };
  struct subjobs_to_tell {
    subjob_walk walk;
    bool only_fitting;
  };

  // Up to an array whose subjobs come next. False: there are no more.
  bool add_some(const part& now) {
    const auto add = [&](const model::job_state& job) {
      if (!by_.sees(job)) return true;
      now.left.looked(asked_.getUsers().size());
      if (fits(job, model::state_letter(job))) add_job(now, job);
      if (wants_subjobs_of(job)) subjobs_ = {subjob_walk(job), true};
      return !subjobs_;
    };
    return now.from.go_on(walk_, add, now.left);
  }

  // False: there are no more.
  bool add_next_named(const part& now) {
    if (next_name_ == asked_.getNames().size()) return false;
    now.left.looked();
    add_named(now, schema::str(asked_.getNames()[next_name_++]));
    return true;
  }

  void add_named(const part& now, const std::string& name) {
    const auto id = values::parse_job_id(name);
    if (id && (id->form == values::id_form::subjob || id->form == values::id_form::range)) return add_named_subjobs(now, name, *id);
    const auto job = now.from.job_by_id(name);
    if (!is_to_be_shown(name, job.get())) return;
    add_job(now, *job);
    if (wants_subjobs_of(*job)) subjobs_ = {subjob_walk(*job), false};
  }

  void add_named_subjobs(const part& now, const std::string& name, const values::job_id& id) {
    const auto array = now.from.array_by_number(id.number);
    auto indices = array ? values::index_set::parse(id.indices, array->array->indices()) : std::nullopt;
    if (is_to_be_shown(name, indices && !indices->empty() ? array.get() : nullptr))
      subjobs_ = {subjob_walk(*array, std::move(*indices)), false};
  }

  // Says so if not, unless nothing is to be said. Subjobs are in the history when their array is.
  bool is_to_be_shown(const std::string& name, const model::job_state* job) {
    if (!job) return refuse(name, pbs_error::unknown_job);
    if (!by_.sees(*job)) return false;  // with query_other_jobs False PBS shows nothing of it, not even a refusal
    const bool is_shown = asked_.getWhy() || !job->ended() || asked_.getHistory() != schema::History::LIVE;
    return is_shown || refuse(name, pbs_error::job_has_finished);
  }

  bool refuse(const std::string& name, std::uint32_t code) {
    refused_.emplace_back(name, code);
    return false;
  }

  bool add_subjobs(const part& now) {
    std::map<char, std::string> not_begun;  // by letter: they look alike but for their names, and their rows are made once
    const auto add = [&](const subjob_view& s) {
      const char letter = letter_of(s);
      if (subjobs_->only_fitting) now.left.looked(asked_.getUsers().size());
      if (subjobs_->only_fitting && !fits(s.shown(), letter)) return;
      const auto put = [&](std::string& to) { append_shown(now, s.array, subjob_row(now.from, s, now.now_s), to); };
      if (s.own) return tell(now, id_of(now.from, s), put, why(now, *s.own));
      auto& alike = not_begun[letter];
      if (alike.empty()) put(alike);
      tell(
          now, id_of(now.from, s), [&](std::string& to) { to += alike; }, letter == 'Q' ? why(now, s.array) : nullptr);
    };
    return subjobs_->walk.go_on(now.from, add, now.left);
  }

  void add_job(const part& now, const model::job_state& job) {
    const bool is_counted = job.array && counted_;
    if (is_counted) now.left.looked(job.array->running.size());
    const bool is_made =
        now.makes_all || is_counted || (timed_ && !job.dependents.empty()) || (estimated_ && may_outlast_soft_walltime(job));
    const auto put = [&](std::string& to) {
      if (is_made) return append_shown(now, job, job_row(now.from, job, now.now_s), to);
      const auto* told = told_ ? &now.from.told_of(job) : nullptr;
      if (told && !told->empty()) append_shown(now, job, told->shown(job), to);
      else append_shown(now, job, job.attributes, to);
    };
    tell(now, job.id, put, why(now, job));
  }

  static bool may_outlast_soft_walltime(const model::job_state& job) {
    return job.phase != model::job_phase::queued && job.attributes.get(attributes::job::Resource_List, "soft_walltime").has_value();
  }

  template <class Put>
  static void tell(const part& now, const std::string& name, const Put& put, piecewise::fill_why why) {
    now.left.made(now.out.add_made(name, put, std::move(why)));
  }

  // `letter`: its state, as it is shown.
  bool fits(const model::job_state& job, char letter) const {
    if (with_states_ && schema::text(asked_.getStates()).find(letter) == std::string_view::npos) return false;
    return !of_some_ || is_of(job.owner(), job.queue(), asked_);
  }

  bool wants_subjobs_of(const model::job_state& job) const { return asked_.getSubjobs() && job.array; }

  piecewise::fill_why why(const part& now, const model::job_state& job) const {
    return asked_.getWhy() ? why_of(now.from, job) : nullptr;
  }

  void append_shown(const part& now, const model::job_state& job, const attributes::attribute_set& row, std::string& to) const {
    if (with_variables_ && !by_.sees_all_of(job)) now.shown.append_for_others(row, to);
    else now.shown.append(row, to);
  }

  const schema::Stat::Reader asked_;
  const bool with_states_ = asked_.getStates().size() > 0;
  const bool of_some_ = asked_.getQueue().size() > 0 || asked_.getUsers().size() > 0;  // queue, or users
  const viewer by_;
  const filter shown_;
  filter shown_uncounted_ = shown_;  // while no eligible time is counted: what was counted before is not shown
  job_walk walk_;
  unsigned next_name_ = 0;
  std::optional<subjobs_to_tell> subjobs_;                      // of the array that was told last
  std::vector<std::pair<std::string, std::uint32_t>> refused_;  // names
  const bool timed_ = shown_.passes(attributes::job::eligible_time) || shown_.passes(attributes::job::accrue_type);
  const bool estimated_ = shown_.passes(attributes::job::estimated);
  const bool told_ = timed_ || estimated_ || shown_.passes(attributes::job::topjob) || shown_.passes(attributes::job::comment);
  const bool with_variables_ = shown_.passes(attributes::job::Variable_List) || shown_.passes(attributes::job::Submit_arguments);
  const bool counted_ = shown_.passes(attributes::job::array_state_count) || shown_.passes(attributes::job::array_indices_remaining);
};

}  // namespace

std::unique_ptr<stat_list> list_of_jobs(const status& from, schema::Stat::Reader asked, const model::requester& by) {
  return std::make_unique<job_list>(from, asked, by);
}

}  // namespace annals::projections
