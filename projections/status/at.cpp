// Stat at a moment of the past: from the last checkpoint before it (projections/status/past.hpp), or from the beginning of the
// log where there is none, folded by the code that folds the live state. Only what the question needs is read.
#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "events/log/clock_step.hpp"
#include "events/values/job_id.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/status/past.hpp"
#include "projections/status/query.hpp"

namespace annals::projections {

namespace {

using schema::ObjectKind;
using schema::StreamKind;

// Which streams an answer depends on. Settings of the server say who may see what, so its stream always counts.
class needed_streams {
 public:
  explicit needed_streams(schema::Stat::Reader asked) {
    const auto kind = asked.getKind();
    all_ = kind == ObjectKind::QUEUE || kind == ObjectKind::SERVER || kind == ObjectKind::NODE || kind == ObjectKind::HOST;
    schedulers_ = kind == ObjectKind::SCHEDULER || asked.getWhy();  // their names, and whether they are there
    queues_ = asked.getWhy();                                       // their partitions, and where routing queues lead
    hooks_ = kind == ObjectKind::HOOK || asked.getWhy();            // who may refuse a move
    reservations_ = kind == ObjectKind::RESERVATION;
    if (reservations_) all_jobs_ = true;  // those that a window left behind
    if (kind != ObjectKind::JOB) return;
    all_jobs_ = asked.getNames().size() == 0;
    for (auto name : asked.getNames())
      if (const auto id = values::parse_job_id(schema::text(name))) add(*id);
  }

  bool uses() const { return all_; }

  bool take(schema::PastStream::Reader s) {
    const auto kind = static_cast<StreamKind>(s.getKind());
    if (kind == StreamKind::JOB && is_named(s.getNumber())) serials_.insert(s.getSerial());
    return wanted(kind, s.getSerial());
  }
  bool take(const log::record& record) {
    const auto event = record.event();
    const auto r = record.get();
    if (schema::is(event, schema::JobEvent::QUEUED) && is_named(event.getJob().getQueued().getNumber()))
      serials_.insert(r.getStream());
    return wanted(record.kind(), r.getStream());
  }
  // Whether a scheduler said something of a job that counts.
  bool told(schema::CycleReasons::Reader reasons) const {
    if (all_ || all_jobs_) return true;
    if (serials_.empty()) return false;
    for (auto entry : reasons.getJobs())
      if (serials_.contains(entry.getJob())) return true;
    for (auto entry : reasons.getEstimates())
      if (serials_.contains(entry.getJob())) return true;
    return false;
  }

 private:
  // An array shows how many of its subjobs are in which state, a subjob what its array has of it.
  void add(const values::job_id& id) {
    numbers_.insert(id.number);
    if (id.form == values::id_form::array) arrays_.insert(id.number);
    if (const auto subjob = values::number_of(id)) numbers_.insert(*subjob);
    if (id.form != values::id_form::range) return;
    if (const auto indices = values::parse_index_range(id.indices)) ranges_.emplace_back(id.number, *indices);
  }
  bool is_named(std::uint64_t number) const {
    if (numbers_.contains(number)) return true;
    if (!values::is_subjob(number)) return false;
    const auto array = values::array_of(number);
    const auto in_range = [&](const auto& range) { return range.first == array && range.second.has(values::index_of(number)); };
    return arrays_.contains(array) || std::any_of(ranges_.begin(), ranges_.end(), in_range);
  }
  bool wanted(StreamKind kind, std::uint64_t serial) const {
    if (all_ || kind == StreamKind::SERVER || kind == StreamKind::LOG) return true;  // that the clock went back counts for all times
    if (kind == StreamKind::SCHEDULER) return schedulers_;
    if (kind == StreamKind::QUEUE) return queues_;
    if (kind == StreamKind::HOOK) return hooks_;
    if (kind == StreamKind::RESERVATION) return reservations_;
    return kind == StreamKind::JOB && (all_jobs_ || serials_.contains(serial));
  }

  bool all_ = false, all_jobs_ = false, schedulers_ = false, queues_ = false, hooks_ = false, reservations_ = false;
  std::unordered_set<std::uint64_t> numbers_, serials_;                // of the jobs that were named
  std::unordered_set<std::uint64_t> arrays_;                           // numbers of those that were, with all their subjobs
  std::vector<std::pair<std::uint64_t, values::index_range>> ranges_;  // "12[3-8]"
};

void take_in(status& then, needed_streams& needed, const log::record& record) {
  if (needed.take(record)) then.fold(record);
  else if (schema::is(record.event(), schema::SchedulerEvent::CYCLE_REASONS) &&
           needed.told(record.event().getScheduler().getCycleReasons()))
    then.fold_reasons_only(record);
  else then.pass(record);
}

// Skipping a record costs a tenth of a microsecond, finding one anew twenty.
constexpr std::uint64_t skipped_max = 150;

// Calls visit for the records of these sequences, which rise.
ports::store_status read_some(const log::log_reader& reader, const std::vector<std::uint64_t>& sequences,
                              const std::function<void(const log::record&)>& visit) {
  ports::store_status failed;
  auto next = sequences.begin();
  while (next != sequences.end() && failed) {
    const auto before = next;
    const auto read = reader.records().read(*next, [&](std::uint64_t sequence, ports::byte_span bytes) {
      if (sequence < *next) return *next - sequence < skipped_max;
      const auto decoded = log::decode(bytes);
      const auto* record = std::get_if<log::record_ptr>(&decoded);
      if (!record || (*record)->sequence() != *next) {
        failed = {ports::store_error::damaged, "event log: record " + std::to_string(*next) + " is damaged" + log::what_to_run};
        return false;
      }
      visit(**record);
      return ++next != sequences.end();
    });
    if (!read) return read;
    if (failed && next == before)
      return {ports::store_error::damaged, "event log: record " + std::to_string(*next) + " is missing" + log::what_to_run};
  }
  return failed;
}

ports::store_status fold_checkpoint(const log::log_reader& reader, const checkpoint& from, needed_streams& needed, status& then) {
  std::vector<std::uint64_t> sequences;
  for (auto s : from.content.get().getStreams())
    if (needed.take(s))
      for (auto back : s.getBack()) sequences.push_back(from.sequence - back);
  std::sort(sequences.begin(), sequences.end());
  sequences.erase(std::unique(sequences.begin(), sequences.end()), sequences.end());
  const auto read = read_some(reader, sequences, [&](const log::record& r) { take_in(then, needed, r); });
  if (needed.uses()) then.put_uses(uses_of(from.content.get()));
  return read;
}

ports::store_status fold_to(const log::log_reader& reader, const log::snapshot_store* index, std::uint64_t sequence,
                            needed_streams needed, status& then) {
  std::uint64_t next = 1;
  if (const auto from = index ? checkpoint_before(*index, sequence) : std::nullopt) {
    if (const auto read = fold_checkpoint(reader, *from, needed, then); !read) return read;
    next = from->sequence;  // itself too, for its time; it is folded already
    const auto at = reader.read(next++, [&](const log::record_ptr& r) {
      then.pass(*r);
      return false;
    });
    if (!at) return at;
  }
  if (next > sequence) return {};
  return reader.read(next, [&](const log::record_ptr& r) {
    take_in(then, needed, *r);
    return r->sequence() < sequence;
  });
}

}  // namespace

void answer_stat_at(const log::log_reader& reader, const log::snapshot_store* index, std::uint64_t request_id,
                    schema::Stat::Reader asked, const model::requester& by, const send_reply& send) {
  ports::store_status read;
  const auto at = asked.getAt();
  const auto sequence = at.isSequence() ? std::min(at.getSequence(), reader.records().last_sequence())
                        : at.isWallNs() ? log::last_not_after(reader.records(), at.getWallNs(), read)
                                        : reader.records().last_sequence();
  status then;
  if (read && sequence > 0) read = fold_to(reader, index, sequence, needed_streams(asked), then);
  if (read) return answer_stat(then, request_id, asked, by, send, at.isWallNs() ? at.getWallNs() : 0);
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request_id);
    auto why = r.initRejected();
    why.setCode(values::pbs_error::system_error);
    why.setText("System error: " + read.text);
  }));
}

}  // namespace annals::projections
