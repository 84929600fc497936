// The event-sourced actor, written once: receive commands, decide over all that wait, append once, apply what was stored,
// answer, look at what is owed. It never runs ahead of the log and never answers before the sync.
//
// Aggregate is a struct with:  using state, command;
//   static model::outcome decide(const state&, const command&, const model::stamp&, const model::settings&);
//   static void apply(state&, const model::event_place&, schema::Event::Reader);
//   static bool may_be_lost(const command&);   optional: the next command of this kind says all that this one says
#pragma once

#include <caf/event_based_actor.hpp>
#include <caf/invoke_message_result.hpp>
#include <caf/message_handler.hpp>

#include <chrono>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "actors/runtime/log_writer.hpp"
#include "actors/runtime/messages.hpp"
#include "events/ports/clock.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

struct event_sourced_actor_parts {
  caf::actor writer;
  const log::log_reader* reader = nullptr;
  const ports::clock* clock = nullptr;
  std::function<void(const std::string&)> stop_process;
};

// What a command led to, for the writer: `version` is that of the stream, as who decided saw it; of `seen` see log::append.
template <class Command>
log::append append_of(envelope<Command>& e, model::outcome& decided, std::uint64_t stream, std::uint64_t version, std::uint64_t seen = 0) {
  log::append a;
  a.stream = stream;
  a.expected_version = version;
  a.seen = seen;
  a.events = std::move(decided.events());
  a.born = std::move(decided.born);
  a.by = {e.by.user, e.by.host, e.by.role};
  a.command_id = e.command_id;
  a.answer = decided.reply;
  a.cause = e.cause;
  a.blobs = e.blobs;
  a.uploaded = e.uploaded;
  a.hooks = e.hooks;
  return a;
}

template <class Aggregate>
class event_sourced_actor : public caf::event_based_actor {
 public:
  using state_type = typename Aggregate::state;
  using command_type = typename Aggregate::command;
  using envelope_type = envelope<command_type>;

  // stream 0: the aggregate does not exist yet; its first event makes the stream.
  event_sourced_actor(caf::actor_config& cfg, event_sourced_actor_parts parts, std::uint64_t stream, model::settings_ptr settings)
      : event_based_actor(cfg), settings_(std::move(settings)), parts_(std::move(parts)), stream_(stream) {
    set_exception_handler([this](std::exception_ptr e) { return on_exception(e); });
  }
  // `known`: the state as a projection has folded it, of some version; only what came after that is read from the log. For
  // aggregates whose streams grow without end.
  event_sourced_actor(caf::actor_config& cfg, event_sourced_actor_parts parts, std::uint64_t stream, model::settings_ptr settings,
                      state_type known)
      : event_sourced_actor(cfg, std::move(parts), stream, std::move(settings)) {
    version_ = known.version;
    state_ = std::move(known);
  }

 protected:
  virtual void on_change() {}  // the state is new and durable: run what is owed, withdraw what is not
  virtual caf::message_handler more_handlers() { return {}; }
  virtual void after_turn() {}                                   // nothing is in flight and nothing waits
  virtual void take(envelope_type e) { receive(std::move(e)); }  // a command has come; some wait for something first

  caf::behavior make_behavior() override {
    if (stream_ != 0) {
      catch_up();
      on_change();
    }
    return caf::message_handler{
        [this](envelope_type& e) { take(std::move(e)); },
        [this](append_results& r) { on_results(r); },
        [this](later_atom) { try_again(); },
    }
        .or_else(more_handlers());
  }

  // Every message comes through here, whoever handles it.
  using event_based_actor::consume;
  caf::invoke_message_result consume(caf::mailbox_element& message) override {
    auto result = caf::invoke_message_result::consumed;
    guarded([&] { result = event_based_actor::consume(message); });
    return result;
  }

  void receive(envelope_type e) {
    if (e.settings) settings_ = e.settings;
    if (!for_later_.empty() && outlasts_full_disk(e)) return keep_for_later({std::move(e), 0, {}});  // behind what waits already
    stash_.push_back({std::move(e), 0, {}});
    if (in_flight_.empty() && !asking_) turn();
  }

  const state_type& state() const { return state_; }
  const model::settings& settings() const { return *settings_; }
  model::settings_ptr settings_pointer() const { return settings_; }
  void set_settings(model::settings_ptr s) { settings_ = std::move(s); }
  std::uint64_t stream() const { return stream_; }
  std::uint64_t version() const { return version_; }
  // What another one has written meanwhile.
  void read_on() {
    catch_up();
    on_change();
  }
  bool idle() const { return stash_.empty() && for_later_.empty() && in_flight_.empty() && !asking_; }
  const event_sourced_actor_parts& parts() const { return parts_; }

 private:
  using later_atom = caf::atom_constant<caf::atom("later")>;
  static constexpr std::size_t rebuilds_max = 3;
  static constexpr int tries_max = 3;  // decisions of one command after version conflicts

  struct waiting {
    envelope_type envelope;
    int tries = 0;
    std::string answer;
  };

  // Decides over the whole stash, each command seeing what the one before it led to: on a copy, if there is a second one.
  void turn() {
    std::optional<state_type> ahead;
    std::uint64_t version = version_;
    append_batch batch;
    batch.turn = ++turn_;
    while (!stash_.empty()) {
      auto& w = stash_.front();
      const model::stamp now{parts_.clock->now_ns(), w.envelope.by};
      deciding_ = true;
      auto decided = Aggregate::decide(ahead ? *ahead : state_, w.envelope.command, now, *settings_);
      const bool writes = decided.accepted() && !decided.events().empty();
      if (!writes && !batch.appends.empty()) break;  // its answer may depend on what is not on disk yet: next turn
      if (!writes) {
        if (!decided.accepted() && !w.envelope.command_id.empty()) return ask_if_done(decided.why());
        answer(w.envelope, decided);
        stash_.pop_front();
        continue;
      }
      w.answer = decided.reply;
      const auto expected = version;
      if (stream_ != 0 && stash_.size() > 1) {
        if (!ahead) ahead = state_;
        for (const auto& e : decided.events()) Aggregate::apply(*ahead, {0, stream_, ++version, now.wall_ns, w.envelope.by}, e.get());
      }
      batch.appends.push_back(append_of(w.envelope, decided, stream_, expected));
      in_flight_.push_back(std::move(w));
      stash_.pop_front();
      if (stream_ == 0) break;  // the stream's serial comes with its first event
    }
    deciding_ = false;
    if (batch.appends.empty()) return after_turn();
    send(parts_.writer, std::move(batch));
  }

  void ask_if_done(const model::rejection& why) {
    deciding_ = false;
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
      const auto asked = std::move(stash_.front());
      stash_.pop_front();
      tell(asked, r.results.front());
    } else {
      settle(r);
    }
    if (!in_flight_.empty() || asking_) return;  // an effect had a command of its own, and its turn has begun
    if (!stash_.empty()) turn();
    else after_turn();
  }

  // First everything finds its place, so that whatever fails afterwards no command and no answer is lost.
  void settle(append_results& r) {
    bool changed = false, conflict = false;
    std::deque<waiting> again;
    for (std::size_t i = 0; i < in_flight_.size(); ++i) {
      auto& w = in_flight_[i];
      auto& result = r.results[i];
      if (result.what == append_result::kind::conflict && ++w.tries < tries_max) {
        conflict = true;
        again.push_back(std::move(w));
      } else if (result.what == append_result::kind::unwritable && outlasts_full_disk(w.envelope)) {
        keep_for_later(std::move(w));
      } else {
        changed |= result.what == append_result::kind::stored;
        settled_.push_back({std::move(w), std::move(result)});
      }
    }
    in_flight_.clear();
    put_back(again);
    for (const auto& [w, result] : settled_)
      for (const auto& record : result.records) take_in(*record);
    if (conflict) catch_up();
    if (changed || conflict) on_change();
    tell_settled();
  }

  void put_back(std::deque<waiting>& again) {
    while (!again.empty()) {
      stash_.push_front(std::move(again.back()));
      again.pop_back();
    }
  }

  void tell_settled() {
    for (const auto& [w, result] : std::exchange(settled_, {})) tell(w, result);
  }

  static bool outlasts_full_disk(const envelope_type& e) { return !e.reply || e.outlasts_full_disk; }

  // The disk is full and nobody would ask again (a host came up, a program ended): decided anew until it is written.
  void keep_for_later(waiting w) {
    if constexpr (requires { Aggregate::may_be_lost(w.envelope.command); })
      if (Aggregate::may_be_lost(w.envelope.command)) return;
    if (for_later_.empty()) delayed_send(this, std::chrono::seconds(1), later_atom::value);
    for_later_.push_back(std::move(w));
  }
  void try_again() {
    auto waited = std::exchange(for_later_, {});
    put_back(waited);
    if (in_flight_.empty() && !asking_ && !stash_.empty()) turn();
  }

  void tell(const waiting& w, const append_result& result) {
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
    if (stream_ != 0 && place.stream != stream_) return;  // of a stream that was born with the last events
    if (place.version <= version_) return;                // a rebuild has read it from the log meanwhile
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

  // An exception out of a library: the state is rebuilt by replay. A command that can't be decided is refused, a message of
  // more_handlers is lost; the others go on: those that were on their way to the writer are answered when it answers. More than
  // three times within a minute the process stops instead.
  template <class Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (const std::exception& x) {
      // A request with a number where a text is expected: its sender is to blame, and the state is as it was.
      if (deciding_ && dynamic_cast<const kj::Exception*>(&x)) return turn_away_unreadable();
      const auto now = parts_.clock->now_ns();
      std::erase_if(failures_, [&](std::int64_t at) { return now - at > 60'000'000'000; });
      failures_.push_back(now);
      if (stream_ == 0 || failures_.size() > rebuilds_max)
        return parts_.stop_process(std::string("an actor failed again and again: ") + x.what());
      if (std::exchange(deciding_, false)) refuse_undecidable();
      state_ = state_type{};
      version_ = 0;
      catch_up();
      on_change();
      tell_settled();
      send(this, later_atom::value);  // whatever waits is decided in a turn of its own
    }
  }

  void turn_away_unreadable() {
    deciding_ = false;
    refuse_undecidable(values::pbs_error::invalid_request);
    if (stash_.empty()) after_turn();
    else send(this, later_atom::value);
  }

  // The first of the stash can't be decided. What this turn decided before it was not sent yet, and is decided again.
  void refuse_undecidable(std::uint32_t code = values::pbs_error::internal) {
    if (auto& reply = stash_.front().envelope.reply) reply->refused(last_sequence_, {code, std::string(values::pbs_error_text(code))});
    stash_.pop_front();
    std::deque<waiting> unsent(std::make_move_iterator(in_flight_.begin()), std::make_move_iterator(in_flight_.end()));
    in_flight_.clear();
    put_back(unsent);
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
  model::settings_ptr settings_;
  event_sourced_actor_parts parts_;
  std::uint64_t stream_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t turn_ = 0;
  bool asking_ = false;                 // the writer, whether the first of the stash was done before
  bool deciding_ = false;               // the first of the stash is at the aggregate
  std::vector<std::int64_t> failures_;  // when the last rebuilds were
  std::deque<waiting> stash_;
  std::deque<waiting> for_later_;                           // until the disk has space again
  std::vector<waiting> in_flight_;                          // with the writer
  std::vector<std::pair<waiting, append_result>> settled_;  // the writer's results that nobody was told yet
};

}  // namespace annals::actors
