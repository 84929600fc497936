// The event-sourced actor, written once: receive commands, decide over all that wait, append once, apply what was stored,
// answer, look at what is owed. A shell never runs ahead of the log and never answers before the sync.
//
// Aggregate is a struct with:  using state, command;  static constexpr schema::StreamKind kind;
//   static model::outcome decide(const state&, const command&, const model::stamp&, const model::site&);
//   static void apply(state&, const model::event_place&, schema::Event::Reader);
#pragma once

#include <caf/event_based_actor.hpp>
#include <caf/message_handler.hpp>

#include <chrono>
#include <deque>
#include <utility>
#include <vector>

#include "actors/runtime/log_writer.hpp"
#include "actors/runtime/messages.hpp"
#include "events/ports/clock.hpp"

namespace annals::actors {

struct shell_parts {
  caf::actor writer;
  const log::log_reader* reader = nullptr;
  const ports::clock* clock = nullptr;
  std::function<void(const std::string&)> stop_process;
};

template <class Aggregate>
class shell : public caf::event_based_actor {
 public:
  using state_type = typename Aggregate::state;
  using command_type = typename Aggregate::command;
  using envelope_type = envelope<command_type>;

  // stream 0: the aggregate does not exist yet; its first event makes the stream.
  shell(caf::actor_config& cfg, shell_parts parts, std::uint64_t stream, model::site_ptr site)
      : event_based_actor(cfg), site_(std::move(site)), parts_(std::move(parts)), stream_(stream) {
    set_exception_handler([this](std::exception_ptr e) { return on_exception(e); });
  }

 protected:
  virtual void on_change() {}                    // the state is new and durable: run what is owed, withdraw what is not
  virtual caf::message_handler more_handlers() { return {}; }
  virtual void after_turn() {}                   // nothing is in flight and nothing waits

  caf::behavior make_behavior() override {
    if (stream_ != 0) {
      catch_up();
      on_change();
    }
    return caf::message_handler{
        [this](envelope_type& e) { guarded([&] { receive(std::move(e)); }); },
        [this](append_results& r) { guarded([&] { on_results(r); }); },
        [this](later_atom) { guarded([&] { try_again(); }); },
    }.or_else(more_handlers());
  }

  void receive(envelope_type e) {
    if (e.site) site_ = e.site;
    if (!for_later_.empty() && !e.reply) {
      for_later_.push_back({std::move(e), 0, {}});        // behind what waits for the disk already
      return;
    }
    stash_.push_back({std::move(e), 0, {}});
    if (in_flight_.empty() && !asking_) turn();
  }

  const state_type& state() const { return state_; }
  const model::site& site() const { return *site_; }
  model::site_ptr site_pointer() const { return site_; }
  void set_site(model::site_ptr s) { site_ = std::move(s); }
  std::uint64_t stream() const { return stream_; }
  std::uint64_t version() const { return version_; }
  bool idle() const { return stash_.empty() && for_later_.empty() && in_flight_.empty() && !asking_; }
  const shell_parts& parts() const { return parts_; }

 private:
  using later_atom = caf::atom_constant<caf::atom("later")>;
  static constexpr std::size_t rebuilds_max = 3;
  static constexpr int tries_max = 3;            // decisions of one command after version conflicts

  struct waiting { envelope_type envelope; int tries = 0; std::string answer; };

  // Decides over the whole stash on a working copy, each command seeing what the one before it led to.
  void turn() {
    state_type working = state_;
    std::uint64_t version = version_;
    append_batch batch;
    batch.turn = ++turn_;
    while (!stash_.empty()) {
      auto& w = stash_.front();
      const model::stamp now{parts_.clock->now_ns(), w.envelope.by};
      auto decided = Aggregate::decide(working, w.envelope.command, now, *site_);
      const bool writes = decided.accepted() && !decided.events().empty();
      if (!writes && !batch.appends.empty()) break;   // its answer may depend on what is not on disk yet: next turn
      if (!writes) {
        if (!decided.accepted() && !w.envelope.command_id.empty()) return ask_if_done(decided.why());
        answer(w.envelope, decided);
        stash_.pop_front();
        continue;
      }
      w.answer = decided.reply;
      log::append a;
      a.stream = stream_;
      a.kind = Aggregate::kind;
      a.expected_version = version;
      for (const auto& e : decided.events())
        Aggregate::apply(working, {0, stream_, ++version, now.wall_ns, w.envelope.by}, e.get());
      a.events = std::move(decided.events());
      a.by = {w.envelope.by.user, w.envelope.by.host, w.envelope.by.role};
      a.command_id = w.envelope.command_id;
      a.answer = w.answer;
      a.cause = w.envelope.cause;
      a.blobs = w.envelope.blobs;
      a.uploaded = w.envelope.uploaded;
      batch.appends.push_back(std::move(a));
      in_flight_.push_back(std::move(w));
      stash_.pop_front();
      if (stream_ == 0) break;                        // the stream's serial comes with its first event
    }
    if (batch.appends.empty()) return after_turn();
    send(parts_.writer, std::move(batch));
  }

  void ask_if_done(const model::rejection& why) {
    asking_ = true;
    const auto& e = stash_.front().envelope;
    send(parts_.writer, was_done{{e.by.user, e.by.host, e.by.role}, e.command_id, why, ++turn_});
  }

  void answer(envelope_type& e, const model::outcome& decided) {
    if (!e.reply) return;
    if (decided.accepted()) e.reply->done(last_sequence_, decided.reply);
    else e.reply->refused(last_sequence_, decided.why());
  }

  void on_results(append_results& r) {
    if (r.turn != turn_) return;
    if (asking_) {
      asking_ = false;
      tell(stash_.front(), r.results.front());
      stash_.pop_front();
    } else {
      settle(r);
    }
    if (!stash_.empty()) turn();
    else after_turn();
  }

  void settle(append_results& r) {
    bool changed = false, conflict = false;
    std::deque<waiting> again;
    auto flying = std::exchange(in_flight_, {});
    for (std::size_t i = 0; i < flying.size(); ++i) {
      auto& w = flying[i];
      auto& result = r.results[i];
      if (result.what == append_result::kind::stored) {
        for (const auto& record : result.records) take_in(*record);
        changed = true;
      } else if (result.what == append_result::kind::conflict && ++w.tries < tries_max) {
        conflict = true;
        again.push_back(std::move(w));
        continue;
      } else if (result.what == append_result::kind::unwritable && !w.envelope.reply) {
        keep_for_later(std::move(w));
        continue;
      }
      finished_.push_back({&w, &result});
    }
    if (conflict) catch_up();
    if (changed || conflict) on_change();
    for (auto& [w, result] : finished_) tell(*w, *result);
    finished_.clear();
    while (!again.empty()) {
      stash_.push_front(std::move(again.back()));
      again.pop_back();
    }
  }

  // The disk is full and nobody would ask again (a host came up, a program ended): decided anew until it is written.
  void keep_for_later(waiting w) {
    if (for_later_.empty()) delayed_send(this, std::chrono::seconds(1), later_atom::value);
    for_later_.push_back(std::move(w));
  }
  void try_again() {
    auto waited = std::exchange(for_later_, {});
    while (!waited.empty()) {
      stash_.push_front(std::move(waited.back()));
      waited.pop_back();
    }
    if (in_flight_.empty() && !asking_ && !stash_.empty()) turn();
  }

  void tell(waiting& w, const append_result& result) {
    if (!w.envelope.reply) return;
    switch (result.what) {
      case append_result::kind::stored: return w.envelope.reply->done(result.sequence, w.answer);
      case append_result::kind::repeated: return w.envelope.reply->done(result.sequence, result.answer);
      case append_result::kind::refused:
      case append_result::kind::unwritable: return w.envelope.reply->refused(last_sequence_, result.why);
      case append_result::kind::conflict:
        return w.envelope.reply->refused(last_sequence_, {15208, "Please retry: the object changed too often meanwhile"});
    }
  }

  void take_in(const log::record& record) {
    const auto place = place_of(record);
    stream_ = place.stream;
    ANNALS_INVARIANT(place.version == version_ + 1, "an actor takes in its stream without gaps");
    Aggregate::apply(state_, place, record.event());
    version_ = place.version;
    last_sequence_ = place.sequence;
  }

  // Revival and conflicts: the same path, replay of what is on disk.
  void catch_up() {
    const auto status = parts_.reader->read_stream(stream_, version_ + 1, [&](const log::record_ptr& r) {
      take_in(*r);
      return true;
    });
    if (!status) parts_.stop_process(status.text);
  }

  // An exception out of a library: the state is rebuilt by replay, the command at hand is refused. More than three
  // times within a minute the process stops instead.
  template <class Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (const std::exception& x) {
      const auto now = parts_.clock->now_ns();
      std::erase_if(failures_, [&](std::int64_t at) { return now - at > 60'000'000'000; });
      failures_.push_back(now);
      if (stream_ == 0 || failures_.size() > rebuilds_max)
        return parts_.stop_process(std::string("an actor failed again and again: ") + x.what());
      if (!stash_.empty()) {
        if (auto& reply = stash_.front().envelope.reply) reply->refused(last_sequence_, {15011, "PBS server internal error"});
        stash_.pop_front();
      }
      asking_ = false;
      ++turn_;                                        // results of what was in flight are no longer waited for
      in_flight_.clear();
      finished_.clear();
      state_ = state_type{};
      version_ = 0;
      catch_up();
      on_change();
    }
  }

  caf::error on_exception(std::exception_ptr e) {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      parts_.stop_process(std::string("an actor could not be rebuilt: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  }

  state_type state_{};
  model::site_ptr site_;
  shell_parts parts_;
  std::uint64_t stream_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t turn_ = 0;
  bool asking_ = false;
  std::vector<std::int64_t> failures_;           // when the last rebuilds were
  std::deque<waiting> stash_;
  std::deque<waiting> for_later_;                // until the disk has space again
  std::vector<waiting> in_flight_;
  std::vector<std::pair<waiting*, const append_result*>> finished_;
};

}  // namespace annals::actors
