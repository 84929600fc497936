#include "hooks-runtime/chain/chain.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/packed.hpp"
#include "events/values/number.hpp"
#include "hooks-runtime/catalog/texts.hpp"
#include "hooks-runtime/protocol/hook_limits.hpp"
#include "hooks-runtime/protocol/recorded_run.hpp"

namespace annals::hooks {

namespace ids = attributes::hook;

namespace {

// Event bits of PBS's logs (pbs guide: logs).
constexpr std::uint32_t log_error = 0x1, log_debug2 = 0x100, log_debug3 = 0x400, log_debug4 = 0x800;

constexpr std::size_t attended_in_a_row_max = 20;

static_assert(limits::recorded_runs_bytes_max <= limits::event_bytes_max / 2);

std::int64_t number(const attributes::attribute_set& settings, attributes::attribute_id id) {
  return values::parse_integer(settings.get(id).value_or("")).value_or(0);
}
std::string text(const attributes::attribute_set& settings, attributes::attribute_id id) {
  return std::string(settings.get(id).value_or(""));
}

capnp::Data::Reader data(const std::string& bytes) { return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()}; }

schema::HookVerdict recorded(protocol::Verdict v) {
  switch (v) {
    case protocol::Verdict::ACCEPT: return schema::HookVerdict::ACCEPTED;
    case protocol::Verdict::REJECT: return schema::HookVerdict::REJECTED;
    case protocol::Verdict::ERROR: return schema::HookVerdict::ERROR;
    case protocol::Verdict::ALARM: return schema::HookVerdict::ALARM;
  }
  return schema::HookVerdict::ERROR;  // a verdict of a newer worker
}

// One chain on its way. Lives as long as somebody waits for it.
class chain : public std::enable_shared_from_this<chain> {
 public:
  chain(std::shared_ptr<const chain_parts> parts, std::vector<chain_hook> hooks, occasion at, chain_done done)
      : parts_(std::move(parts)), hooks_(std::move(hooks)), at_(std::move(at)), done_(std::move(done)) {
    result_.parameters = std::move(at_.parameters);
  }

  void begin() {
    beginning_ = true;
    next();
    beginning_ = false;
  }

 private:
  // A hook's reply leads to the next hook's run on the thread that has the reply, without a detour by the daemon's.
  void next() {
    if (wants(log_debug3)) parts_->note(log_debug3, "Hook", hooks_[index_].name, "started");
    request_ = request_for(hooks_[index_]);
    packed_request_.clear();
    hook_run order;
    order.request = request_;
    order.code = hooks_[index_].code;
    if (is_owners(hooks_[index_])) order.run_as = at_.owner;
    order.ask = answers();
    heard_ = 0;
    order.said = [this](protocol::LogLine::Reader line) {
      ++heard_;
      log_line(hooks_[index_].name, line);
    };
    order.attended = may_attend();
    order.meanwhile = [this] { packed_request_ = schema::packed(request_); };
    parts_->runner->run(std::move(order), [self = shared_from_this()](const sealed_reply& reply) { self->on_reply(reply); });
  }

  // Makes what answers the run that begins. A question of a run that was killed may come after the next run has begun: so each has a
  // position of its own.
  hook_run::asker answers() {
    if (!at_.ask_of_run) return at_.ask;
    answered_at_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    return [self = shared_from_this(), at = answered_at_](const sealed_question& question, const hook_run::answer_to& to) {
      self->at_.ask_of_run(question, to, at);
    };
  }

  static bool is_owners(const chain_hook& hook) { return text(hook.settings, ids::user) == "pbsuser"; }
  bool is_beginners_thread() const { return std::this_thread::get_id() == beginner_; }

  // A run that was attended leads to the next one from within itself: not without end.
  bool may_attend() const {
    return index_ < attended_in_a_row_max && (!is_beginners_thread() || (at_.idle && at_.idle()));
  }

  sealed_request request_for(const chain_hook& hook) const {
    return schema::make<protocol::Request>([&](protocol::Request::Builder r) {
      r.setEvent(at_.event->bit);
      r.setHookName(hook.name);
      r.setCodeHash(data(hook.code->hash));
      r.setRequestor(at_.by.user);
      r.setRequestorHost(at_.by.host);
      fill(result_.parameters, r);
      r.setSequence(at_.sequence);
      const auto alarm = number(hook.settings, ids::alarm);
      r.setAlarmMillis(static_cast<std::uint32_t>(std::min<std::int64_t>(alarm, UINT32_MAX / 1000) * 1000));
      r.setPrimary(at_.primary);
      r.setMeasureCpu(wants(log_debug4));
      auto s = r.initHook();
      s.setType(text(hook.settings, ids::type));
      s.setUser(text(hook.settings, ids::user));
      s.setEuser(at_.owner);
      s.setFreq(static_cast<std::uint32_t>(number(hook.settings, ids::freq)));
      s.setAlarm(static_cast<std::uint32_t>(alarm));
      s.setDebug(hook.settings.get(ids::debug) == "true");
      s.setFailAction(text(hook.settings, ids::fail_action));
      s.setOrder(static_cast<std::int32_t>(number(hook.settings, ids::order)));
    });
  }

  void on_reply(const sealed_reply& reply) {
    const auto& hook = hooks_[index_++];
    const auto r = reply.get();
    const auto verdict = recorded(r.getVerdict());
    log_lines(hook.name, r);
    if (wants(log_debug3)) parts_->note(log_debug3, "Hook", hook.name, "finished");
    if (wants(log_debug4)) log_performance(hook.name, r);
    log_verdict(hook.name, r);
    result_.runs.push_back(run_of(hook, reply));
    result_.replies.push_back(reply);
    if (is_owners(hook)) result_.as_owner.push_back(hook.name);
    const bool accepted = verdict == schema::HookVerdict::ACCEPTED;
    // What a script left behind when it raised or was killed is not what it meant.
    if (accepted || verdict == schema::HookVerdict::REJECTED) take_changes(r, !accepted);
    if (accepted && at_.after_accept) at_.after_accept(r, result_.parameters);
    if (!accepted && verdict != schema::HookVerdict::REJECTED) result_.failed.push_back(hook.name);
    if (!accepted && at_.event->may_reject) {
      result_.stopped = true;
      result_.why = refusal_of(*at_.event, hook.name, r);
    }
    if (!result_.stopped && index_ < hooks_.size()) return next();
    if (is_beginners_thread() && beginning_) return done_(result_);
    parts_->post([self = shared_from_this()] { self->done_(self->result_); });
  }

  // Of the last run.
  void take_changes(protocol::Reply::Reader r, bool rejected) {
    const bool makes_vnodes = std::string_view(at_.event->name) == "exechost_startup";
    const auto changes = r.getChanges();
    result_.changes.reserve(result_.changes.size() + changes.size());
    for (auto c : changes) {
      const auto change = change_of(result_.runs.size() - 1, c);
      // The worker checked this already; the daemon does not depend on it.
      const auto* where = find_parameter(*at_.event, schema::text(change.parameter));
      if (!where || may_write(*where, schema::text(change.attribute), rejected) != set_answer::yes) continue;
      // pbs.server() gives a script vnodes that are not in its vnode_list.
      const bool of_server = change.parameter == "vnode_list" && !is_on_mom(*at_.event);
      if (!put_change(change, result_.parameters, makes_vnodes) && !of_server) continue;
      result_.changes.push_back(change);
    }
  }

  // A run that is tried again asks at the position at which it was answered.
  void note_answered_at() {
    const auto sequence = answered_at_ ? answered_at_->load() : 0;
    if (sequence == 0 || sequence == at_.sequence) return;
    capnp::MallocMessageBuilder message(static_cast<unsigned>(request_.get().totalSize().wordCount + 8));
    message.setRoot(request_.get());
    message.getRoot<protocol::Request>().setSequence(sequence);
    request_ = sealed_request(schema::sealed_message::from_builder(message));
    packed_request_.clear();
  }

  schema::sealed<schema::HookRun> run_of(const chain_hook& hook, const sealed_reply& reply) {
    note_answered_at();
    if (packed_request_.empty()) packed_request_ = schema::packed(request_);
    const auto packed_reply = schema::packed(reply);
    const auto r = reply.get();
    const auto without_request = packed_reply.size() + r.getMessage().size();
    if (recorded_bytes_ + without_request + packed_request_.size() > limits::recorded_runs_bytes_max) packed_request_.clear();
    const auto bytes = without_request + packed_request_.size();
    recorded_bytes_ += bytes;
    capnp::MallocMessageBuilder message(static_cast<unsigned>(bytes / sizeof(capnp::word)) + 48);
    auto run = message.initRoot<schema::HookRun>();
    run.setHook(hook.name);
    run.setEvent(at_.event->name);
    run.setVerdict(recorded(r.getVerdict()));
    run.setMessage(r.getMessage());
    run.setDurationUs(r.getDurationMicros());
    run.setCode(data(hook.script.hash));
    run.setConfig(data(hook.configuration.hash));
    record(packed_request_, packed_reply, run);
    return schema::sealed<schema::HookRun>(schema::sealed_message::from_builder(message));
  }

  void log_line(const std::string& hook, protocol::LogLine::Reader line) const {
    if (!parts_->note) return;
    const auto& speaker = parts_->says_as.empty() ? hook : parts_->says_as;
    const bool of_job = line.getJob().size() > 0;
    parts_->note(line.getLevel(), of_job ? "Job" : "Hook", of_job ? schema::str(line.getJob()) : speaker, schema::text(line.getMessage()));
  }

  // The lines that were not heard when the script said them.
  void log_lines(const std::string& hook, protocol::Reply::Reader r) const {
    if (!parts_->note) return;
    const auto lines = r.getLog();
    for (auto i = heard_; i < lines.size(); ++i) log_line(hook, lines[i]);
    if (r.getLogDropped() > 0)
      parts_->note(log_error, "Hook", hook, std::to_string(r.getLogDropped()) + " more log lines were dropped: too much output");
  }

  bool wants(std::uint32_t events) const { return parts_->wants && parts_->wants(events); }

  // Of a run that was killed nobody knows its time on the processor: 0.
  void log_performance(const std::string& hook, protocol::Reply::Reader r) const {
    const auto* job = object_of(result_.parameters, "job");
    const auto of = job && !job->name.empty() ? "_" + job->name : std::string();
    char times[64];
    std::snprintf(times, sizeof times, " action=run_code walltime=%.6f cputime=%.6f", static_cast<double>(r.getDurationMicros()) / 1e6,
                  static_cast<double>(r.getCpuMicros()) / 1e6);
    parts_->note(log_debug4, "Hook", "hook_perf_stat", "label=hook_" + std::string(at_.event->name) + "_" + hook + of + times);
  }

  void log_verdict(const std::string& hook, protocol::Reply::Reader r) const {
    if (!parts_->note) return;
    switch (recorded(r.getVerdict())) {
      case schema::HookVerdict::ACCEPTED: return;
      case schema::HookVerdict::REJECTED:
        parts_->note(is_on_mom(*at_.event) ? log_debug2 : log_debug3, "Hook", hook, logged_reject(*at_.event, hook));
        if (r.getMessage().size() > 0) parts_->note(log_debug3, "Hook", hook, schema::text(r.getMessage()));
        return;
      case schema::HookVerdict::ERROR:
        parts_->note(log_debug2, "Hook", hook, logged_exception(*at_.event, hook));
        parts_->note(log_error, "Hook", hook, schema::text(r.getTraceback().size() > 0 ? r.getTraceback() : r.getMessage()));
        return;
      case schema::HookVerdict::ALARM: return parts_->note(log_debug2, "Hook", hook, logged_alarm(*at_.event, hook));
    }
  }

  std::shared_ptr<const chain_parts> parts_;
  std::vector<chain_hook> hooks_;
  occasion at_;
  chain_done done_;
  chain_result result_;
  std::size_t index_ = 0;
  sealed_request request_;             // of the run that goes on
  occasion::answered_at answered_at_;  // where its questions were answered; 0 or null: it has not asked
  unsigned heard_ = 0;                 // lines of the log, of the run that goes on: written when they were said
  std::string packed_request_;         // as it is recorded; empty: not packed yet
  std::size_t recorded_bytes_ = 0;     // of all runs so far
  const std::thread::id beginner_ = std::this_thread::get_id();
  bool beginning_ = false;  // of the beginner's thread alone
};

}  // namespace

void sort_by_order(std::vector<chain_hook>& hooks) {
  std::stable_sort(hooks.begin(), hooks.end(), [](const chain_hook& a, const chain_hook& b) {
    return number(a.settings, ids::order) < number(b.settings, ids::order);
  });
}

void run_chain(std::shared_ptr<const chain_parts> parts, std::vector<chain_hook> hooks, occasion at, chain_done done) {
  if (!hooks.empty()) return std::make_shared<chain>(std::move(parts), std::move(hooks), std::move(at), std::move(done))->begin();
  chain_result nothing_ran;
  nothing_ran.parameters = std::move(at.parameters);
  done(nothing_ran);
}

model::rejection refusal_of(const hook_event&, std::string_view hook, protocol::Reply::Reader reply) {
  namespace pbs_error = values::pbs_error;
  switch (recorded(reply.getVerdict())) {
    case schema::HookVerdict::REJECTED:
      if (reply.getMessage().size() == 0) return model::refuse(pbs_error::hook_rejected);
      return model::refuse(pbs_error::hook_rejected, schema::str(reply.getMessage()));
    case schema::HookVerdict::ALARM: return model::refuse(pbs_error::hook_error, told_alarm(hook));
    case schema::HookVerdict::ACCEPTED:
    case schema::HookVerdict::ERROR: break;
  }
  return model::refuse(pbs_error::hook_error, told_exception(hook));
}

}  // namespace annals::hooks
