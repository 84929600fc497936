#include "actors/runtime/log_writer.hpp"

#include <caf/actor_clock.hpp>
#include <caf/atom.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include "actors/runtime/next_first.hpp"

#include "events/log/clock_step.hpp"
#include "events/model/limits.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

const model::rejection disk_full{values::pbs_error::system_error,
                                 "System error: the disk of the event log is full; nothing was changed"};

append_result unwritable() {
  append_result r;
  r.what = append_result::kind::unwritable;
  r.why = disk_full;
  return r;
}

using flush_atom = caf::atom_constant<caf::atom("flush")>;
using again_atom = caf::atom_constant<caf::atom("again")>;
using tell_patient_atom = caf::atom_constant<caf::atom("patient")>;
using probe_atom = caf::atom_constant<caf::atom("probe")>;
using quiet_atom = caf::atom_constant<caf::atom("quiet")>;

// How long a log whose answer is not known is left alone before it is asked again: it has to agree with others first.
constexpr auto uncertain_retry = std::chrono::milliseconds(50);

// After a commit the writer looks now and then whether nothing more came for a moment, and says so to the log. At the first look, at
// the last, and once a second between them the mark is due.
constexpr std::chrono::milliseconds first_look(1000), next_look(250);

// A commit of more records gives whoever follows work for a while, which is not for the writer's thread.
constexpr std::size_t little_commit = 64;

// How often the daemon's log is told that the clock is wrong while it is.
constexpr std::chrono::hours wrong_clock_again(1);

// One asker's results, until the batch they belong to is on disk.
struct waiting {
  caf::strong_actor_ptr asker;
  append_results results;
};

// What came while the fate of the batch before is not known.
struct question {
  caf::strong_actor_ptr asker;
  std::variant<append_batch, was_done> what;
};

struct writer {
  writer(caf::event_based_actor* s, log_writer_parts p) : self(s), parts(std::move(p)) {
    for (auto& f : parts.followers) later_to_know.push_back({std::move(f)});
    for (auto& f : parts.patient_followers) patient.push_back({std::move(f)});
  }
  caf::event_based_actor* self;
  log_writer_parts parts;
  std::vector<follow> first_to_know, later_to_know, patient;
  std::shared_ptr<std::vector<log::record_ptr>> untold = std::make_shared<std::vector<log::record_ptr>>();  // to the patient ones
  std::optional<caf::actor_clock::time_point> told_at;
  bool will_tell = false;
  std::vector<waiting> asked;
  bool armed = false;
  bool full = false;
  bool looks_for_quiet = false;
  caf::actor_clock::time_point committed_at, marked_at;
  std::optional<caf::actor_clock::time_point> wrong_clock_told_at;
  bool uncertain = false;
  std::vector<question> later;  // while it is

  // Stages one append and, when the ledger agrees, lets the ledger know.
  append_result take(log::append what) {
    struct visitor {
      writer& w;
      std::size_t staged_before;
      append_result operator()(const log::version_conflict&) const {
        append_result result;
        result.what = append_result::kind::conflict;
        return result;
      }
      append_result operator()(const log::too_large& large) const {
        append_result result;
        result.what = append_result::kind::refused;
        result.why = {values::pbs_error::system_error, "System error: an event of " + std::to_string(large.bytes) +
                                                           " bytes is larger than the limit of " +
                                                           std::to_string(limits::event_bytes_max)};
        return result;
      }
      append_result operator()(const log::repeated& first) const { return done_before(first); }
      append_result operator()(const log::staged& s) const { return w.ask_ledger(staged_before, s); }
    };
    const auto staged_before = parts.log->staged_records().size();
    return std::visit(visitor{*this, staged_before}, parts.log->stage(std::move(what)));
  }

  static append_result done_before(const log::repeated& first) {
    append_result result;
    result.what = append_result::kind::repeated;
    result.answer = first.answer;
    result.sequence = first.sequence;
    result.pending = first.pending;
    return result;
  }

  append_result ask_ledger(std::size_t staged_before, const log::staged& staged) {
    append_result result;
    const auto& records = parts.log->staged_records();
    const auto before = parts.log->last_staged_begin();
    if (parts.ledger) {
      for (auto i = staged_before; i < before; ++i) parts.ledger->apply(*records[i]);  // that the clock went back
      if (auto why = parts.ledger->check(std::span(records).subspan(before))) {
        parts.log->unstage_last();
        result.what = append_result::kind::refused;
        result.why = std::move(*why);
        return result;
      }
      for (auto i = before; i < records.size(); ++i) parts.ledger->apply(*records[i]);
    }
    result.records.assign(records.begin() + static_cast<std::ptrdiff_t>(before), records.end());
    result.sequence = staged.last_sequence;
    return result;
  }

  void on_batch(append_batch& batch, caf::strong_actor_ptr asker) {
    if (uncertain) return later.push_back({std::move(asker), std::move(batch)});
    waiting w{std::move(asker), {batch.turn, {}}};
    for (auto& a : batch.appends) {
      if (full) {
        w.results.results.push_back(unwritable());
      } else {
        w.results.results.push_back(take(std::move(a)));
      }
    }
    asked.push_back(std::move(w));
    if (parts.log->staged_bytes() >= limits::batch_bytes_max) flush();
    arm();
  }

  void on_was_done(const was_done& question, caf::strong_actor_ptr asker) {
    if (uncertain) return later.push_back({std::move(asker), question});
    append_result result;
    result.what = append_result::kind::refused;
    result.why = question.why;
    result.sequence = parts.log->last_sequence();
    if (const auto first = parts.log->find_command(question.by, question.command_id)) result = done_before(*first);
    asked.push_back({std::move(asker), {question.turn, {std::move(result)}}});
    arm();
  }

  // The flush stands behind everything that is in the mailbox now.
  void arm() {
    if (armed) return;
    armed = true;
    self->send(self, flush_atom::value);
  }

  void answer_all() {
    for (auto& w : asked)
      if (w.asker) self->send(caf::actor_cast<caf::actor>(w.asker), std::move(w.results));
    asked.clear();
  }

  void flush() {
    if (uncertain) return;
    commit();
  }

  // Nobody is told anything before the log is sure; nothing else is staged meanwhile.
  void again() {
    uncertain = false;
    commit();
    if (uncertain) return;
    struct visitor {
      writer& w;
      caf::strong_actor_ptr& asker;
      void operator()(append_batch& batch) const { w.on_batch(batch, std::move(asker)); }
      void operator()(const was_done& question) const { w.on_was_done(question, std::move(asker)); }
    };
    for (auto& [asker, what] : std::exchange(later, {})) std::visit(visitor{*this, asker}, what);
  }

  void commit() {
    auto records = std::make_shared<std::vector<log::record_ptr>>();
    const auto status = parts.log->commit(*records);
    if (status.error == ports::store_error::disk_full) return on_full();
    if (status.error == ports::store_error::uncertain) {
      uncertain = true;
      self->delayed_send(self, uncertain_retry, again_atom::value);
      return;
    }
    if (!status) {
      parts.stop_process(status.text);
      asked.clear();
      return;
    }
    const records_ptr shared = std::move(records);
    if (parts.marks) parts.marks->follow(shared);
    note_clock(*shared);
    look_for_quiet();
    const auto has = [&](schema::StreamKind kind) {
      return std::any_of(shared->begin(), shared->end(), [&](const log::record_ptr& r) { return r->kind() == kind; });
    };
    const bool of_jobs_alone =
        std::all_of(shared->begin(), shared->end(), [](const log::record_ptr& r) { return r->kind() == schema::StreamKind::JOB; });
    const auto tell = [&](const std::vector<follow>& whom) {
      for (const auto& f : whom) {
        if (shared->empty() || (f.only && !has(*f.only))) continue;
        if (!f.inbox) self->send(f.who, committed{shared});
        else if (f.inbox->put(shared, of_jobs_alone)) self->send(f.who, commits_wait{});
      }
    };
    // Its stop may be among them, and who asked for that ends the process.
    const bool of_the_server = has(schema::StreamKind::SERVER);
    if (of_the_server) tell_patient_now(*shared);
    const auto tell_at_once = [&] {
      tell(first_to_know);
      answer_all();
    };
    const bool is_little = shared->size() <= little_commit;
    if (is_little && asked.size() == 1) next_first::here(self->system(), tell_at_once);  // who asked is told last, and goes first
    else tell_at_once();
    if (is_little) next_first::here(self->system(), [&] { tell(later_to_know); });
    else tell(later_to_know);
    if (!of_the_server) tell_later(*shared);
  }

  void note_clock(const std::vector<log::record_ptr>& records) {
    if (!parts.note) return;
    for (const auto& r : records)
      if (schema::is(r->event(), schema::LogEvent::CLOCK_STEPPED_BACK))
        parts.note(log::stepped_back_text(r->event().getLog().getClockSteppedBack()));
    const auto why = parts.log->why_time_stands();
    if (why.empty()) return wrong_clock_told_at.reset();
    const auto now = self->clock().now();
    if (wrong_clock_told_at && now - *wrong_clock_told_at < wrong_clock_again) return;
    wrong_clock_told_at = now;
    parts.note(why + parts.if_clock_is_right);
  }

  void look_for_quiet() {
    committed_at = self->clock().now();
    if (!std::exchange(looks_for_quiet, true)) self->delayed_send(self, first_look, quiet_atom::value);
  }

  void on_look() {
    const auto now = self->clock().now();
    const bool quiet = now - committed_at >= next_look;
    if (parts.mark_writer && (quiet || now - marked_at >= std::chrono::seconds(limits::log_mark_s))) {
      marked_at = now;
      self->send(parts.mark_writer, mark_due{});
    }
    if (!quiet) return self->delayed_send(self, next_look, quiet_atom::value);
    looks_for_quiet = false;
    parts.log->use_quiet();
  }

  void tell_patient_now(const std::vector<log::record_ptr>& records) {
    untold->insert(untold->end(), records.begin(), records.end());
    tell_patient();
  }

  void tell_later(const std::vector<log::record_ptr>& records) {
    if (records.empty() || (patient.empty() && !somebody_has_an_inbox())) return;
    untold->insert(untold->end(), records.begin(), records.end());
    const auto quiet_at = told_at.value_or(caf::actor_clock::time_point{}) + std::chrono::milliseconds(limits::patience_ms);
    const auto now = self->clock().now();
    if (!told_at || now >= quiet_at || untold->size() >= limits::untold_records_max) return tell_patient();
    if (!std::exchange(will_tell, true)) self->delayed_send(self, quiet_at - now, tell_patient_atom::value);
  }

  void tell_patient() {
    if (untold->empty()) return;
    told_at = self->clock().now();
    const records_ptr all = std::exchange(untold, std::make_shared<std::vector<log::record_ptr>>());
    for (const auto& f : patient) self->send(f.who, committed{all});
    for (const auto* some : {&first_to_know, &later_to_know})
      for (const auto& f : *some)
        if (f.inbox && !f.inbox->empty()) self->send(f.who, commits_wait{});
  }

  bool somebody_has_an_inbox() const {
    const auto has_one = [](const follow& f) { return f.inbox != nullptr; };
    return std::any_of(first_to_know.begin(), first_to_know.end(), has_one) ||
           std::any_of(later_to_know.begin(), later_to_know.end(), has_one);
  }

  // Nothing of the batch is kept. Reads go on; writes are refused until there is space.
  void on_full() {
    full = true;
    for (auto& w : asked)
      for (auto& r : w.results.results)
        if (r.what == append_result::kind::stored || r.pending) r = unwritable();
    answer_all();
    if (parts.ledger)
      if (const auto rebuilt = parts.ledger->rebuild(*parts.reader); !rebuilt) return parts.stop_process(rebuilt.text);
    tell_disk_state();
    self->delayed_send(self, std::chrono::seconds(1), probe_atom::value);
  }

  void probe() {
    if (!full) return;
    full = !parts.disk_writable();
    if (full) self->delayed_send(self, std::chrono::seconds(1), probe_atom::value);
    else tell_disk_state();
  }

  void tell_disk_state() {
    tell_patient();
    for (const auto* all : {&first_to_know, &later_to_know, &patient})
      for (const auto& f : *all) self->send(f.who, disk_state{full});
  }
};

}  // namespace

caf::behavior log_writer(caf::event_based_actor* self, log_writer_parts parts) {
  auto w = std::make_shared<writer>(self, std::move(parts));
  self->set_exception_handler([w](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      w->parts.stop_process(std::string("the log writer failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  w->look_for_quiet();  // what the last run left counts too
  w->note_clock({});
  return {
      [w](append_batch& batch) { w->on_batch(batch, w->self->current_sender()); },
      [w](const was_done& question) { w->on_was_done(question, w->self->current_sender()); },
      [w](flush_atom) {
        w->armed = false;
        w->flush();
      },
      [w](again_atom) { w->again(); },
      [w](tell_patient_atom) {
        w->will_tell = false;
        w->tell_patient();
      },
      [w](probe_atom) { w->probe(); },
      [w](quiet_atom) { w->on_look(); },
      [w](const follow& f) { (f.before_answers ? w->first_to_know : w->later_to_know).push_back(f); },
  };
}

}  // namespace annals::actors
