#include "projections/exports/exports.hpp"

#include <charconv>

#include "events/schema/event.hpp"
#include "projections/accounting/accounting.hpp"
#include "projections/exports/cycles.hpp"
#include "projections/exports/job_rows.hpp"
#include "projections/exports/node_states.hpp"
#include "projections/exports/reservation_rows.hpp"
#include "projections/exports/resource_dimension.hpp"
#include "projections/exports/told.hpp"

namespace annals::exports {

using projections::occasion;
using projections::reservation_occasion;

namespace {

void drop(row&&) {}

void put_numbers(std::string& text, std::string_view word, const std::set<std::uint64_t>& numbers) {
  text += word;
  for (const auto n : numbers) text += ' ' + std::to_string(n);
  text += '\n';
}

// The line is taken from the front of the text.
bool take_numbers(std::string_view& text, std::string_view word, std::set<std::uint64_t>& numbers) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
    std::uint64_t n = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (wrong != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    numbers.insert(n);
  }
  if (!text.starts_with('\n')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string print_notes(const fold_notes& notes) {
  std::string text;
  put_numbers(text, "streams", notes.streams);
  put_numbers(text, "records", notes.records);
  return text;
}

bool read_notes(std::string_view text, fold_notes& notes) {
  notes = {};
  return take_numbers(text, "streams", notes.streams) && take_numbers(text, "records", notes.records) && text.empty();
}

// One for each kind of thing, and what they share.
class export_fold::parts : public projections::accounting_watcher {
 public:
  parts(stream_reader reader, bool begins)
      : reader_(std::move(reader)), is_begun_(!begins), cycles_([this](std::uint64_t stream) { return name_given(stream); }) {}

  void fold(const log::record& record, const row_taker& take) {
    if (!is_begun_) resources_.begin(record.get().getWallNs(), take);
    is_begun_ = true;
    sequence_ = record.sequence();
    fold_record(record, take);
  }
  void learn(const log::record& record) { fold_record(record, drop); }

  std::uint64_t sequence() const { return sequence_; }
  fold_notes notes() const {
    fold_notes all{streams_, {}};
    for (const auto began : cycles_.open()) all.records.insert(began);
    return all;
  }

  void before(const occasion& o) override { jobs_.before(o, *take_); }
  void recorded(char letter, const occasion& o, put_fields, bool) override { jobs_.recorded(letter, o, *take_); }
  void leaving(const occasion& o) override { jobs_.leaving(o, *take_); }
  void after(const occasion& o) override { jobs_.after(o, *take_); }
  void changed(const reservation_occasion& o) override {
    reservations_.changed(o, *take_);
    tell_refused_reservation(o);
    if (o.reservation.phase == model::reservation_phase::ended) streams_.erase(o.at.stream);
    else streams_.insert(o.at.stream);
  }

 private:
  void fold_record(const log::record& record, const row_taker& take) {
    record_ = &record;
    const auto event = record.event();
    const auto stream = record.get().getStream();
    if (event.isJob()) meet_job(record);
    take_ = &take;
    resources_.fold(record, take);
    accounting_.fold(record, *this);
    if (event.isServer()) streams_.insert(stream);
    if (event.isScheduler()) cycles_.fold(record, take);
    if (event.isHost()) fold_host(record, take);
    if (event.isJob() && event.getJob().isForgotten()) jobs_.forget(stream);
    tell_hook_runs(record, take);
    tell_refusals(record, name_of(event, stream), take);
  }

  // A job that it has not seen from its beginning: what came before is folded, and its rows are there already.
  void meet_job(const log::record& record) {
    const auto stream = record.get().getStream();
    const auto event = record.event().getJob();
    if (event.isQueued() || event.isForgotten() || jobs_.knows(stream)) return;
    static const row_taker nobody = drop;
    take_ = &nobody;
    reader_(stream, record.sequence(), [&](const log::record& r) {
      record_ = &r;
      accounting_.fold(r, *this);
      return true;
    });
    record_ = &record;
  }

  void fold_host(const log::record& record, const row_taker& take) {
    const auto stream = record.get().getStream();
    const bool removed = record.event().getHost().isRemoved();
    nodes_.fold(record, removed ? nullptr : accounting_.host(stream), take);
    if (removed) streams_.erase(stream);
    else streams_.insert(stream);
  }

  std::string name_of(schema::Event::Reader event, std::uint64_t stream) {
    if (event.isScheduler()) return cycles_.name(stream);
    const auto* host = event.isHost() ? accounting_.host(stream) : nullptr;
    return host ? host->name : std::string();
  }

  std::string name_given(std::uint64_t stream) const {
    std::string name;
    reader_(stream, UINT64_MAX, [&](const log::record& first) {
      if (const auto given = schema::name_given(first.event())) name = schema::str(*given);
      return false;
    });
    return name;
  }

  void tell_refused_reservation(const reservation_occasion& o) {
    const auto id = projections::full_id(o.reservation);
    if (o.event.isRefused()) tell_refusal(*record_, {"reservation", id, schema::text(o.event.getRefused().getReason())}, *take_);
    if (o.event.isDenied()) tell_refusal(*record_, {"reservation", id, schema::text(o.event.getDenied().getText())}, *take_);
    if (o.event.isAlterDenied())
      tell_refusal(*record_, {"reservation_change", id, schema::text(o.event.getAlterDenied().getText())}, *take_);
  }

  stream_reader reader_;
  bool is_begun_;
  std::uint64_t sequence_ = 0;
  resource_dimension resources_;
  projections::accounting accounting_{{}, shown_in_rows};
  job_rows jobs_{resources_};
  reservation_rows reservations_{resources_};
  node_states nodes_;
  cycles cycles_;
  std::set<std::uint64_t> streams_;      // of fold_notes
  const log::record* record_ = nullptr;  // that is being folded
  const row_taker* take_ = nullptr;      // of its rows
};

export_fold::export_fold(stream_reader reader, bool begins) : parts_(std::make_unique<parts>(std::move(reader), begins)) {}
export_fold::~export_fold() = default;

void export_fold::learn(const log::record& record) { parts_->learn(record); }
void export_fold::fold(const log::record& record, const row_taker& take) { parts_->fold(record, take); }
std::uint64_t export_fold::sequence() const { return parts_->sequence(); }
fold_notes export_fold::notes() const { return parts_->notes(); }

}  // namespace annals::exports
