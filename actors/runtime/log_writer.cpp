#include "actors/runtime/log_writer.hpp"

#include <caf/atom.hpp>

#include "events/model/limits.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

model::event_place place_of(const log::record& record) {
  const auto r = record.get();
  return {.sequence = r.getSequence(), .stream = r.getStream(), .version = r.getStreamVersion(), .wall_ns = r.getWallNs(),
          .by = {schema::str(r.getWho().getUser()), schema::str(r.getWho().getHost()), r.getWho().getRole()}};
}

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
using probe_atom = caf::atom_constant<caf::atom("probe")>;

// One asker's results, until the batch they belong to is on disk.
struct waiting {
  caf::strong_actor_ptr asker;
  append_results results;
};

struct writer {
  writer(caf::event_based_actor* s, log_writer_parts p) : self(s), parts(std::move(p)) {}
  caf::event_based_actor* self;
  log_writer_parts parts;
  std::vector<caf::actor> first_to_know;
  std::vector<waiting> asked;
  bool armed = false;
  bool full = false;

  // Stages one append and, when the ledger agrees, lets the ledger know.
  append_result take(log::append what) {
    append_result result;
    const std::size_t before = parts.log->staged_records().size();
    auto staged = parts.log->stage(std::move(what));
    if (std::holds_alternative<log::version_conflict>(staged)) {
      result.what = append_result::kind::conflict;
      return result;
    }
    if (const auto* large = std::get_if<log::too_large>(&staged)) {
      result.what = append_result::kind::refused;
      result.why = {values::pbs_error::system_error, "System error: an event of " + std::to_string(large->bytes) +
                                                         " bytes is larger than the limit of " +
                                                         std::to_string(limits::event_bytes_max)};
      return result;
    }
    if (const auto* again = std::get_if<log::repeated>(&staged)) {
      result.what = append_result::kind::repeated;
      result.answer = again->answer;
      result.sequence = again->sequence;
      result.pending = again->pending;
      return result;
    }
    const auto& records = parts.log->staged_records();
    if (parts.ledger) {
      for (std::size_t i = before; i < records.size(); ++i)
        if (auto why = parts.ledger->check(*records[i])) {
          parts.log->unstage_last();
          result.what = append_result::kind::refused;
          result.why = std::move(*why);
          return result;
        }
      for (std::size_t i = before; i < records.size(); ++i) parts.ledger->apply(*records[i]);
    }
    result.records.assign(records.begin() + static_cast<std::ptrdiff_t>(before), records.end());
    result.sequence = std::get<log::staged>(staged).last_sequence;
    return result;
  }

  void on_batch(append_batch& batch) {
    waiting w{self->current_sender(), {batch.turn, {}}};
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

  void on_was_done(const was_done& question) {
    append_result result;
    result.what = append_result::kind::refused;
    result.why = question.why;
    result.sequence = parts.log->last_sequence();
    if (auto first = parts.log->find_command(question.by, question.command_id)) {
      result.what = append_result::kind::repeated;
      result.answer = first->answer;
      result.sequence = first->sequence;
      result.pending = first->pending;
    }
    asked.push_back({self->current_sender(), {question.turn, {std::move(result)}}});
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
    auto records = std::make_shared<std::vector<log::record_ptr>>();
    const auto status = parts.log->commit(*records);
    if (status.error == ports::store_error::disk_full) return on_full();
    if (!status) {
      parts.stop_process(status.text);
      asked.clear();
      return;
    }
    const records_ptr shared = std::move(records);
    const auto tell = [&](const std::vector<caf::actor>& whom) {
      for (const auto& f : whom)
        if (!shared->empty()) self->send(f, committed{shared});
    };
    tell(first_to_know);
    answer_all();
    tell(parts.followers);
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
    for (const auto* all : {&first_to_know, &parts.followers})
      for (const auto& f : *all) self->send(f, disk_state{full});
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
  return {
      [w](append_batch& batch) { w->on_batch(batch); },
      [w](const was_done& question) { w->on_was_done(question); },
      [w](flush_atom) {
        w->armed = false;
        w->flush();
      },
      [w](probe_atom) { w->probe(); },
      [w](const follow& f) { (f.before_answers ? w->first_to_know : w->parts.followers).push_back(f.who); },
  };
}

}  // namespace annals::actors
