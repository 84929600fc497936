#include "projections/status/job_history.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/model/outcome.hpp"
#include "events/schema/message.hpp"
#include "events/schema/past.capnp.h"

namespace annals::projections {

namespace {

constexpr unsigned whose_bits = 20;
constexpr std::uint32_t whose_max = (1u << whose_bits) - 1;

std::string row_of(const model::job_state& job) {
  const auto sealed = schema::make<schema::EndedJob>([&](schema::EndedJob::Builder to) {
    to.setVersion(job.version);
    to.setNumber(job.number);
    to.setId(job.id);
    const auto packed = job.attributes.packed();
    to.setAttributes({reinterpret_cast<const kj::byte*>(packed.data()), packed.size()});
    if (!job.dependents.empty()) to.setDependents(values::print(job.dependents));
    to.setQueueRank(job.queue_rank);
    to.setRun(job.run);
    to.setHasExitStatus(job.has_exit_status);
    to.setExitStatus(job.exit_status);
    to.setDeleteRequested(job.delete_requested);
    to.setPurgeHistory(job.purge_history);
    to.setDeletedBy(job.deleted_by);
    to.setExplained(job.explained);
    if (!job.array) return;
    auto array = to.initArray();
    array.setFirst(job.array->indices().first);
    array.setLast(job.array->indices().last);
    array.setStep(job.array->indices().step);
    array.setRemaining(job.array->remaining.print());
    array.setBegan(job.array->began);
  });
  return std::string(reinterpret_cast<const char*>(sealed.bytes().data()), sealed.bytes().size());
}

model::job_state job_of(std::uint64_t serial, const std::string& row) {
  const auto sealed = schema::sealed_message::from_bytes(std::as_bytes(std::span(row)));
  ANNALS_INVARIANT(sealed.has_value(), "a row of the history is as it was written");
  const auto from = sealed->root<schema::EndedJob>();
  model::job_state job;
  job.phase = model::job_phase::finished;
  job.serial = serial;
  job.version = from.getVersion();
  job.number = from.getNumber();
  job.id = schema::str(from.getId());
  const auto packed = from.getAttributes();
  auto whole = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.begin()), packed.size()});
  ANNALS_INVARIANT(whole.has_value(), "a row of the history is as it was written");
  job.attributes = std::move(*whole);
  if (from.hasDependents())
    job.dependents = values::parse_dependencies(schema::text(from.getDependents())).value_or(std::vector<values::dependency>());
  job.queue_rank = from.getQueueRank();
  job.run = from.getRun();
  job.has_exit_status = from.getHasExitStatus();
  job.exit_status = from.getExitStatus();
  job.delete_requested = from.getDeleteRequested();
  job.purge_history = from.getPurgeHistory();
  job.deleted_by = schema::str(from.getDeletedBy());
  job.explained = schema::str(from.getExplained());
  if (!from.hasArray()) return job;
  const auto a = from.getArray();
  const values::index_range all{a.getFirst(), a.getLast(), a.getStep()};
  job.array.emplace();
  job.array->remaining = values::index_set::parse(schema::text(a.getRemaining()), all).value_or(values::index_set(all));
  job.array->began = schema::str(a.getBegan());
  return job;
}

}  // namespace

std::int64_t ended_at_s(const model::job_state& job) {
  return attributes::integer_of(job.attributes, attributes::job::history_timestamp).value_or(0);
}

// Who has seen very many owners and queues reads the rows of further ones.
std::uint32_t job_history::whose(const model::job_state& job) {
  const owner_and_queue of{job.owner(), job.queue()};
  if (const auto known = whose_.find(of); known != whose_.end()) return known->second;
  if (by_whose_.size() >= whose_max) return whose_max;
  const auto at = whose_.emplace(of, static_cast<std::uint32_t>(by_whose_.size())).first;
  by_whose_.push_back(&at->first);
  return at->second;
}

void job_history::restore(stored::reader& from) {
  from(rows_, numbers_, last_end_s_, whose_);
  by_whose_.assign(whose_.size(), nullptr);
  for (const auto& [of, at] : whose_) {
    if (at >= by_whose_.size() || by_whose_[at]) from.refuse("owners of finished jobs are not numbered one after the other");
    by_whose_[at] = &of;
  }
}

void job_history::add(const model::job_state& ended) {
  rows_.put(ended.serial, row_of(ended));
  numbers_.put(ended.number, ended.serial << whose_bits | whose(ended));
  if (!ended.is_subjob()) told_end(ended);
}

void job_history::told_end(const model::job_state& job) {
  auto& last_s = last_end_s_.try_emplace(job.number / neighbours, INT64_MIN).first->second;
  last_s = std::max(last_s, ended_at_s(job));
}

void job_history::forget_end(std::uint64_t number) {
  const auto next = numbers_.jobs(number / neighbours * neighbours);
  if (!next || next.number() / neighbours != number / neighbours) last_end_s_.erase(number / neighbours);
}

bool job_history::may_have_ended_since(std::uint64_t number, std::int64_t since_s) const {
  const auto last_s = last_end_s_.find(number / neighbours);
  return last_s != last_end_s_.end() && last_s->second >= since_s;
}

std::optional<model::job_state> job_history::take(std::uint64_t serial) {
  const auto row = rows_.take(serial);
  if (!row) return std::nullopt;
  auto job = job_of(serial, *row);
  const auto at = numbers_.find(job.number);
  if (at && *at >> whose_bits == serial) numbers_.erase(job.number);  // a subjob may have begun and ended again, on another stream
  if (!job.is_subjob()) forget_end(job.number);
  return job;
}

job_ptr job_history::find(std::uint64_t serial) const {
  const auto row = rows_.get(serial);
  return row ? std::make_shared<const model::job_state>(job_of(serial, *row)) : nullptr;
}

job_ptr job_history::find_number(std::uint64_t number) const {
  const auto found = numbers_.find(number);
  return found ? find(*found >> whose_bits) : nullptr;
}

job_history::places job_history::jobs(std::uint64_t from) const { return {*this, numbers_.jobs(from)}; }
job_history::places job_history::before(std::uint64_t number) const { return {*this, numbers_.job_before(number)}; }
job_history::places job_history::subjobs() const { return {*this, numbers_.subjobs()}; }

job_history::place job_history::places::operator*() const {
  const auto whose = at_.value() & whose_max;
  return {at_.number(), at_.value() >> whose_bits, whose < of_->by_whose_.size() ? of_->by_whose_[whose] : nullptr};
}

}  // namespace annals::projections
