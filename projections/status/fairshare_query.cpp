#include "projections/status/fairshare_query.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "events/model/refuse.hpp"
#include "projections/fairshare/fairshare_why.hpp"

namespace annals::projections {

namespace pbs_error = values::pbs_error;

namespace {

void refuse_query(std::uint64_t id, std::uint64_t sequence, const model::rejection& why, const send_reply& send) {
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id);
    r.setSequence(sequence);
    r.initRejected().setCode(why.code);
    r.getRejected().setText(why.text);
  }));
}

std::optional<model::rejection> refusal(const status& from, schema::Fairshare::Reader asked, const model::requester& by) {
  if (!by.is_manager()) return model::refuse(pbs_error::unauthorized);
  if (!from.schedulers().contains(schema::text(asked.getScheduler()))) return model::refuse(pbs_error::unknown_scheduler);
  return std::nullopt;
}

void answer(const status& from, std::uint64_t id, const std::string& scheduler, std::int64_t now_ns,
            const std::vector<entity_usage>& usages, const std::vector<why_row>& rows, const send_reply& send) {
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id);
    r.setSequence(from.sequence());
    auto a = r.initFairshare();
    model::write_fairshare_policy(from.shares().policy(scheduler), a.initPolicy());
    a.setLastDecayNs(from.shares().last_decay_ns(scheduler, now_ns));
    auto list = a.initUsages(static_cast<unsigned>(usages.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setEntity(usages[i].entity);
      list[i].setUsage(usages[i].usage);
    }
    auto jobs = a.initJobs(static_cast<unsigned>(rows.size()));
    for (unsigned i = 0; i < jobs.size(); ++i) {
      jobs[i].setJob(rows[i].what);
      jobs[i].setUsed(rows[i].used);
      jobs[i].setCounts(rows[i].counts);
      jobs[i].setLastNs(rows[i].last_ns);
    }
  }));
}

}  // namespace

void answer_fairshare(const status& from, std::uint64_t request_id, schema::Fairshare::Reader asked, const model::requester& by,
                      std::int64_t now_ns, const send_reply& send) {
  if (const auto why = refusal(from, asked, by)) return refuse_query(request_id, from.sequence(), *why, send);
  const auto scheduler = schema::str(asked.getScheduler());
  answer(from, request_id, scheduler, now_ns, from.shares().usages(scheduler, now_ns), {}, send);
}

void answer_fairshare_why(const log::log_reader& reader, std::uint64_t request_id, schema::Fairshare::Reader asked,
                          const model::requester& by, std::int64_t now_ns, const send_reply& send) {
  const auto scheduler = schema::str(asked.getScheduler()), entity = schema::str(asked.getWhy());
  status then;
  fairshare_why why;
  then.keep_no_history();
  then.shares().listen(scheduler, entity, &why);
  const auto last = reader.records().last_sequence();
  const auto read = reader.read(1, [&](const log::record_ptr& r) {
    then.fold(*r);
    return r->sequence() < last;
  });
  if (!read) return refuse_query(request_id, last, {pbs_error::system_error, "System error: " + read.text}, send);
  if (const auto refused = refusal(then, asked, by)) return refuse_query(request_id, last, *refused, send);
  now_ns = std::max(now_ns, then.wall_ns());
  then.shares().tell_decay_until(now_ns);
  answer(then, request_id, scheduler, now_ns, {{entity, then.shares().usage(scheduler, entity, now_ns)}}, why.rows(), send);
}

std::vector<std::string> entities_to_trim(const status& from, schema::Fairshare::Reader asked) {
  std::set<std::string, std::less<>> stay;
  for (auto name : asked.getTrim()) stay.insert(schema::str(name));
  std::vector<std::string> gone;
  for (auto& u : from.shares().usages(schema::text(asked.getScheduler()), from.wall_ns()))
    if (!stay.contains(u.entity)) gone.push_back(std::move(u.entity));
  return gone;
}

}  // namespace annals::projections
