#include "tools/audit/hook_story.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <set>

#include "events/log/log_copy.hpp"
#include "events/log/log_reader.hpp"
#include "events/model/hook/hook.hpp"
#include "events/values/job_id.hpp"
#include "hooks-runtime/chain/payload.hpp"
#include "hooks-runtime/chain/views.hpp"
#include "hooks-runtime/protocol/recorded_run.hpp"
#include "projections/status/query.hpp"
#include "tools/audit/event_json.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/scan.hpp"

namespace annals::audit {
namespace {

constexpr int sequence_width = 8;
const std::string margin = "    ";

std::string_view verdict_text(schema::HookVerdict v) {
  constexpr std::string_view texts[] = {"accepted", "rejected", "ended with an error", "was killed at its alarm"};
  const auto at = static_cast<std::size_t>(v);
  return at < std::size(texts) ? texts[at] : "unknown";
}
std::string_view verdict_text(hooks::protocol::Verdict v) {
  constexpr std::string_view texts[] = {"accepted", "rejected", "ended with an error", "was killed at its alarm"};
  const auto at = static_cast<std::size_t>(v);
  return at < std::size(texts) ? texts[at] : "unknown";
}

// "job Resource_List.walltime: (unset) -> 00:05:00"
std::string change_text(hooks::protocol::Change::Reader c) {
  const auto shown = [](bool there, capnp::Text::Reader value) { return there ? schema::str(value) : std::string("(unset)"); };
  std::string text = schema::str(c.getParameter());
  if (c.getObject().size() > 0) text += " " + schema::str(c.getObject());
  if (c.getAttribute().size() > 0) text += " " + schema::str(c.getAttribute());
  if (c.getResource().size() > 0) text += "." + schema::str(c.getResource());
  std::string after = shown(c.getHasValue(), c.getAfter());
  for (auto t : c.getAfterTexts()) after += " " + schema::str(t);
  return text + ": " + shown(c.getHadValue(), c.getBefore()) + " -> " + after;
}

std::string run_text(schema::HookRun::Reader run) {
  std::string text = schema::str(run.getHook()) + " at " + schema::str(run.getEvent()) + " " + std::string(verdict_text(run.getVerdict())) +
                     ", " + std::to_string(run.getDurationUs()) + " us";
  if (run.getMessage().size() > 0) text += ": " + schema::str(run.getMessage());
  std::string out = margin + harmless(text) + "\n";
  if (const auto reply = hooks::reply_of(run)) {
    for (auto c : reply->get().getChanges()) out += margin + margin + harmless(change_text(c)) + "\n";
    for (auto l : reply->get().getLog()) out += margin + margin + "log: " + harmless(schema::text(l.getMessage())) + "\n";
  }
  out += margin + margin + "script " + hex(schema::bytes_of(run.getCode()));
  if (run.getConfig().size() > 0) out += ", configuration " + hex(schema::bytes_of(run.getConfig()));
  return out + "\n";
}

// The runs that a record tells of: those before its event, and that of a HookRan itself.
std::vector<schema::HookRun::Reader> runs_of(const log::record& record) {
  std::vector<schema::HookRun::Reader> runs;
  for (auto run : record.get().getHooks()) runs.push_back(run);
  if (schema::is(record.event(), schema::HookEvent::RAN)) runs.push_back(record.event().getHook().getRan().getRun());
  return runs;
}

}  // namespace

hook_story_end tell_hook_story(const ports::event_store& store, const std::string& job_or_hook, bool json,
                               const std::function<bool(const std::string&)>& print) {
  hook_story_end end;
  const auto job = values::parse_job_id(job_or_hook);
  std::set<std::uint64_t> streams;  // of the job
  const auto wanted = [&](const log::record& r) {
    const auto event = r.event();
    if (job && schema::is(event, schema::JobEvent::QUEUED) && is_job(schema::text(event.getJob().getQueued().getId()), *job))
      streams.insert(r.get().getStream());
    if (job && streams.contains(r.get().getStream())) return true;
    return job && schema::is(event, schema::HookEvent::RAN) && is_job(schema::text(event.getHook().getRan().getSubject()), *job);
  };
  const auto take = [&](const log::record_ptr& r) {
    const bool of_job = wanted(*r);
    const auto runs = runs_of(*r);
    const bool named = std::any_of(runs.begin(), runs.end(), [&](auto run) { return schema::text(run.getHook()) == job_or_hook; });
    if (runs.empty() || !(of_job || named)) return true;
    ++end.told;
    if (json) return print(json_line(*r, job_or_hook) + "\n");
    std::string text = line_head(*r, sequence_width) + kind_name(r->event());
    if (schema::is(r->event(), schema::HookEvent::RAN)) {
      const auto ran = r->event().getHook().getRan();
      text += "  " + harmless(schema::text(ran.getSubject())) +
              (ran.getHost().size() > 0 ? " on " + harmless(schema::text(ran.getHost())) : "");
    }
    text += "  by " + harmless(who_text(r->get().getWho())) + "\n";
    for (auto run : runs)
      if (of_job || schema::text(run.getHook()) == job_or_hook) text += run_text(run);
    return print(text);
  };
  end.sound = scan(store, 1, store.last_sequence(), {take, [&](std::uint64_t sequence, const std::string& what) {
                                                       print("#" + std::to_string(sequence) + "  DAMAGED  " + harmless(what) + "\n");
                                                     }});
  return end;
}

// -- again ---------------------------------------------------------------------------------------------------------------

namespace {

// Every hook's script and configuration as the log has them at its end.
std::map<std::string, model::hook_state> hooks_now(const ports::event_store& store) {
  std::map<std::uint64_t, model::hook_state> by_stream;
  (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    if (r->kind() != schema::StreamKind::HOOK) return true;
    const auto stream = r->get().getStream();
    model::apply(by_stream[stream], {r->sequence(), stream, r->get().getStreamVersion(), r->get().getWallNs(), {}}, r->event());
    if (!by_stream[stream].exists) by_stream.erase(stream);
    return true;
  });
  std::map<std::string, model::hook_state> by_name;
  for (auto& [stream, hook] : by_stream) by_name[hook.name] = std::move(hook);
  return by_name;
}

std::optional<std::string> blob_text(const ports::event_store& store, const std::string& hash) {
  const auto bytes = hash.empty() ? std::nullopt : store.read_blob(hash);
  return bytes ? std::optional(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())) : std::nullopt;
}

void answer_at(const ports::event_store& store, const hooks::sealed_question& question, std::uint64_t sequence,
               const hooks::hook_run::answer_to& answer) {
  const auto asked = hooks::view_asked(question.get(), sequence);
  hooks::hook_objects found;
  if (asked) {
    const auto stat = asked->request.get().getStat();
    projections::answer_stat_at(log::log_reader(store), nullptr, 0, stat, {"root", "", schema::Role::SERVER},
                                [&](const schema::sealed<schema::Reply>& r) { hooks::take_objects(stat.getKind(), r.get(), found); });
  }
  answer(hooks::answer_with(found, asked && asked->names_only));
}

std::vector<std::string> outcome_lines(hooks::protocol::Reply::Reader reply) {
  std::vector<std::string> lines{std::string(verdict_text(reply.getVerdict())) +
                                 (reply.getMessage().size() > 0 ? ": " + schema::str(reply.getMessage()) : std::string())};
  for (auto c : reply.getChanges()) lines.push_back(change_text(c));
  return lines;
}

// Lines of one that the other does not have.
bool print_difference(const std::vector<std::string>& before, const std::vector<std::string>& now,
                      const std::function<bool(const std::string&)>& print) {
  bool same = true;
  const auto only = [&](const auto& a, const auto& b, const char* mark) {
    for (const auto& line : a)
      if (std::find(b.begin(), b.end(), line) == b.end()) {
        same = false;
        print(margin + mark + harmless(line) + "\n");
      }
  };
  only(before, now, "- ");
  only(now, before, "+ ");
  return same;
}

log::record_ptr record_at(const ports::event_store& store, std::uint64_t sequence) {
  log::record_ptr record;
  (void)log::log_reader(store).read(sequence, [&](const log::record_ptr& r) {
    if (r->sequence() == sequence) record = r;
    return false;
  });
  return record;
}

// The server as it was then: its host and the custom resources.
model::server_state server_at(const ports::event_store& store, std::uint64_t sequence) {
  model::server_state server;
  (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    if (r->sequence() > sequence) return false;
    if (r->kind() == schema::StreamKind::SERVER)
      model::apply(server, {r->sequence(), r->get().getStream(), r->get().getStreamVersion(), r->get().getWallNs(), {}}, r->event());
    return true;
  });
  return server;
}

// The host of a MoM's run; empty: the server's. What a MoM's hook wanted is written before the HookRan that names the host.
std::string mom_of(const ports::event_store& store, std::uint64_t sequence, schema::HookRun::Reader run) {
  const auto* event = hooks::find_event(schema::text(run.getEvent()));
  std::string host;
  if (!event || !hooks::is_on_mom(*event)) return host;
  (void)log::log_reader(store).read(sequence, [&](const log::record_ptr& r) {
    if (!schema::is(r->event(), schema::HookEvent::RAN)) return true;
    const auto ran = r->event().getHook().getRan();
    if (ran.getRun().getHook() != run.getHook() || ran.getRun().getRequest() != run.getRequest()) return true;
    host = schema::str(ran.getHost());
    return false;
  });
  return host;
}

// `written`: where the run stands in the log.
hooks::sealed_reply run_again(const ports::event_store& store, std::uint64_t written, const hooks::sealed_request& request,
                              hooks::hook_code code, hooks::hook_runner& runner) {
  const auto settings = request.get().getHook();
  hooks::hook_run order;
  order.request = request;
  order.code = std::make_shared<hooks::hook_code>(std::move(code));
  if (settings.getUser() == "pbsuser") order.run_as = schema::str(settings.getEuser());
  // What a hook on a host asks is answered at once, from no position that it could name: about that time it was.
  const auto at = request.get().getSequence() != 0 ? request.get().getSequence() : written - 1;
  order.ask = [&store, at](hooks::sealed_question q, hooks::hook_run::answer_to answer) {
    answer_at(store, q, at, answer);
  };
  std::promise<hooks::sealed_reply> answered;
  runner.run(std::move(order), [&](hooks::sealed_reply reply) { answered.set_value(std::move(reply)); });
  return answered.get_future().get();
}

// Whether it came out the same.
bool compare_again(const ports::event_store& store, std::uint64_t written, schema::HookRun::Reader run,
                   const std::map<std::string, model::hook_state>& now, hooks::hook_runner& runner,
                   const std::function<bool(const std::string&)>& print) {
  const auto name = schema::str(run.getHook());
  const auto request = hooks::request_of(run);
  const auto before = hooks::reply_of(run);
  const auto hook = now.find(name);
  print(harmless(name) + " at " + harmless(schema::text(run.getEvent())) + "\n");
  auto source = hook == now.end() ? std::nullopt : blob_text(store, hook->second.code.hash);
  if (!request || !before || !source) {
    const bool of_copy = hook != now.end() && log::is_copy(store);
    print(margin + (source ? "what it was given was not kept" : of_copy ? log::copy_has_no_blobs
                                                                        : "there is no such hook any more") +
          "\n");
    return false;
  }
  auto configuration = blob_text(store, hook->second.config.hash);
  auto hash = hooks::code_hash(*source, configuration);
  const auto reply = run_again(store, written, *request, {name, std::move(*source), std::move(configuration), std::move(hash)}, runner);
  const bool equal = print_difference(outcome_lines(before->get()), outcome_lines(reply.get()), print);
  if (equal) print(margin + "the same: " + harmless(outcome_lines(reply.get()).front()) + "\n");
  for (auto l : reply.get().getLog()) print(margin + "log: " + harmless(schema::text(l.getMessage())) + "\n");
  return equal;
}

}  // namespace

rerun_end rerun_hooks(const ports::event_store& store, std::uint64_t sequence, const make_runner& make,
                      const std::function<bool(const std::string&)>& print) {
  const auto record = record_at(store, sequence);
  const auto runs = record ? runs_of(*record) : std::vector<schema::HookRun::Reader>{};
  if (runs.empty()) return rerun_end::no_hooks;
  const auto server = server_at(store, sequence);
  const auto mom = mom_of(store, sequence, runs.front());
  const auto runner = make({!mom.empty(), mom.empty() ? server.host_name : mom});
  std::vector<hooks::resource_type> custom;
  for (const auto& [name, r] : server.resources.custom()) custom.push_back({name, attributes::resource_type_name(r.type)});
  runner->know_resources(std::move(custom));
  const auto now = hooks_now(store);
  bool same = true;
  for (auto run : runs) same &= compare_again(store, sequence, run, now, *runner, print);
  return same ? rerun_end::same : rerun_end::different;
}

}  // namespace annals::audit
