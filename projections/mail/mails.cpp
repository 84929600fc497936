#include "projections/mail/mails.hpp"

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/log/place.hpp"
#include "events/values/efficiency_table.hpp"
#include "events/values/job_id.hpp"
#include "projections/mail/reservation_mail.hpp"
#include "projections/usage/efficiency.hpp"

namespace annals::projections {

using job_event = schema::JobEvent::Which;

namespace {

std::string default_of(std::string_view attribute) {
  const auto* row = attributes::find(schema::ObjectKind::SERVER, attribute);
  return row ? row->default_value : "";
}

}  // namespace

mails::mails(history_reader history)
    : history_(std::move(history)), mailer_(default_of("mailer")), from_(default_of("mail_from")) {}

void mails::fold(const log::record& record, const taker& take) { fold_any(record, &take); }
void mails::learn(const log::record& record) {
  if (!history_ || record.kind() != schema::StreamKind::JOB) return fold_any(record, nullptr);
  follow_array(log::place_of(record), record.event().getJob());
  sequence_ = record.sequence();
}

void mails::fold_any(const log::record& record, const taker* take) {
  const auto event = record.event();
  const auto at = log::place_of(record);
  std::uint32_t number = 0;
  const job_mail_taker hand_over = [&](job_mail m) {
    if (take) (*take)({{at.sequence, number}, id_of(at, event.isJob()), mailer_, from_, std::move(m.to), std::move(m.text), mailer_by_});
    ++number;
  };
  if (event.isJob()) fold_job(record, at, hand_over);
  if (event.isReservation()) fold_reservation(at, event.getReservation(), hand_over);
  if (event.isServer()) fold_server(at, event.getServer());
  sequence_ = at.sequence;
}

std::string mails::id_of(const model::event_place& at, bool of_job) const {
  if (of_job) return jobs_.at(at.stream).id;
  const auto& r = reservations_.at(at.stream);
  return model::full_id(r, r.attributes.get(attributes::reservation::server).value_or(""));
}

// Whoever deletes an array is not told of each subjob. A subjob's own records don't say so, and the array's may have been learned only.
void mails::follow_array(const model::event_place& at, schema::JobEvent::Reader event) {
  if (event.isQueued() && event.getQueued().getIndices().size() > 0) arrays_[at.stream] = event.getQueued().getNumber();
  const bool deleted = event.isDeleteRequested() && at.by.role != schema::Role::SERVER;
  if (!deleted && !event.isEnded()) return;
  const auto array = arrays_.find(at.stream);
  if (array == arrays_.end()) return;
  if (deleted) {
    arrays_going_.insert(array->second);
  } else {
    arrays_going_.erase(array->second);
    arrays_.erase(array);
  }
}

void mails::fold_job(const log::record& record, const model::event_place& at, const job_mail_taker& take) {
  const auto event = record.event().getJob();
  follow_array(at, event);
  if (event.which() == job_event::FORGOTTEN) {
    jobs_.erase(at.stream);  // a subjob that is its array's again has not ended
    return;
  }
  if (event.which() != job_event::QUEUED && !jobs_.contains(at.stream) && !remembers(at)) return;  // it has ended
  auto& job = jobs_[at.stream];
  job.goes_with_array = values::is_subjob(job.number) && arrays_going_.contains(values::array_of(job.number));
  const auto efficiency = [&] { return efficiency_of(job, record); };
  mails_of(job, at, event, tells_efficiency_ ? efficiency_teller(efficiency) : efficiency_teller(), take);
  apply(job, event, at);
  if (event.which() == job_event::ENDED) jobs_.erase(at.stream);
}

void mails::fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event, const job_mail_taker& take) {
  auto& r = reservations_[at.stream];
  const auto before = r.phase;
  const bool sought_other_place = r.ask && r.ask->what == model::reservation_ask::kind::other_place;
  model::apply(r, at, event);
  mails_of({r, before, sought_other_place, at, event}, take);
  if (r.phase == model::reservation_phase::ended) reservations_.erase(at.stream);
}

void mails::fold_server(const model::event_place& at, schema::ServerEvent::Reader event) {
  if (!event.isChanged()) return;
  const bool by_root = at.by.role == schema::Role::ROOT || at.by.is_daemon();
  for (auto c : event.getChanged().getChanges()) {
    const auto name = schema::text(c.getName());
    if (name == "mail_efficiency") tells_efficiency_ = c.getOp() != schema::AttributeOp::UNSET && schema::text(c.getValue()) == "True";
    if (name != "mailer" && name != "mail_from") continue;
    const bool unset = c.getOp() == schema::AttributeOp::UNSET;
    (name == "mailer" ? mailer_ : from_) = unset ? default_of(name) : schema::str(c.getValue());
    // What is unset has its default's value again, in the same record.
    if (name == "mailer") mailer_by_ = unset || by_root || mailer_ == default_of(name) ? "" : at.by.at_host();
  }
}

// Reads a job that was learned of only. False: it has ended.
bool mails::remembers(const model::event_place& at) {
  if (!history_) return false;
  mailed_job job;
  bool lives = false;
  history_(at.stream, at.sequence, [&](const log::record& r) {
    const auto event = r.event().getJob();
    lives = event.which() != job_event::ENDED && event.which() != job_event::FORGOTTEN && (lives || event.which() == job_event::QUEUED);
    apply(job, event, log::place_of(r));
  });
  if (lives) jobs_.emplace(at.stream, std::move(job));
  return lives;
}

// An array has no run of its own. Few jobs ask for this mail: what each of them used is read again at its end, and kept of none.
std::string mails::efficiency_of(const mailed_job& job, const log::record& end) const {
  if (job.is_array || !history_) return {};
  job_efficiency fold;
  history_(end.get().getStream(), end.sequence(), [&](const log::record& r) { fold.fold(r); });
  const auto run = fold.fold(end);
  if (!run) return {};
  std::string lines;
  values::put_efficiency_table(lines, {{*run, job.id, job.name, run->queue, run->ended_ns / 1'000'000'000}});
  return lines;
}

}  // namespace annals::projections
