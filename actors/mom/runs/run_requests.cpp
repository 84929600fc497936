#include "actors/mom/runs/run_requests.hpp"

#include <cctype>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "events/values/signal_name.hpp"

namespace annals::actors {

namespace {

// Returns nullopt for what is no signal of this system, or none that does anything.
std::optional<int> signal_number(std::string_view name) {
  const auto number = values::parse_signal(name);
  return number && *number > 0 && *number <= SIGRTMAX ? number : std::nullopt;
}

}  // namespace

void run_requests::kill_if_allowed(const model::kill_program& request) {
  const auto go_on = [this, request] {
    kill(request.signal, request.why);
    when_acted(model::kill_sent{request.id, request.signal});
  };
  if (!state().order) return go_on();
  hooks_.ask_if_wanted(hook_point::preterm, [go_on](hook_point_passed& p) {
    if (!p.refused) go_on();
  });
}

void run_requests::suspend_run() {
  sisters_.signal_everywhere(SIGSTOP, schema::SignalPart::What::SUSPEND);
  hooks_.ask_if_wanted(hook_point::suspended, [](hook_point_passed&) {});
}

// A hook may keep it stopped: the server hears that from the hook's report, and suspends the job again.
void run_requests::resume_run(std::uint64_t request) {
  hooks_.ask_if_wanted(hook_point::resuming, [this, request](hook_point_passed& p) {
    if (!p.refused) sisters_.signal_everywhere(SIGCONT, schema::SignalPart::What::RESUME);
    when_acted(model::request_carried_out{request});
  });
}

void run_requests::kill(const std::string& signal, const std::string& why) const {
  if (!why.empty()) run_.parts.processes->append_stderr(run_.key, "=>> PBS: job killed: " + why + "\n");
  if (const auto number = signal_number(signal)) run_.parts.processes->signal(run_.key, *number);
  run_.note(log_event::job, "kill_job");
  if (state().suspended) sisters_.signal_everywhere(SIGCONT);  // a stopped process can't end by itself
}

void run_requests::carry_out(const model::told_request& request) {
  note_signal(request);
  if (const auto& r = request.release) {
    if (!state().allocated.reduced_to(r->exec_vnode, r->exec_host, r->released))
      run_.note(log_event::error, "can't let go of " + r->released + ": the run has " + state().allocated.exec_vnode());
  } else if (request.what == schema::RunRequest::SUSPEND) {
    suspend_run();
  } else if (request.what == schema::RunRequest::CHECKPOINT) {
    return checkpoint_.begin(request.id);
  } else if (request.what == schema::RunRequest::RESUME) {
    return resume_run(request.id);
  } else if (request.what == schema::RunRequest::MESSAGE) {
    if (request.to_errors) run_.parts.processes->append_stderr(run_.key, request.text + "\n");
    if (request.to_output) run_.parts.processes->append_stdout(run_.key, request.text + "\n");
  } else if (const auto number = request.what == schema::RunRequest::SIGNAL ? signal_number(request.text) : std::nullopt) {
    sisters_.signal_everywhere(*number);
  }
  when_acted(model::request_carried_out{request.id});
}

void run_requests::note_signal(const model::told_request& request) const {
  std::string signal;
  switch (request.what) {
    case schema::RunRequest::SIGNAL:
      signal =
          signal_number(request.text) && std::isalpha(static_cast<unsigned char>(request.text.front())) && !request.text.starts_with("SIG")
              ? "SIG" + request.text
              : request.text;
      break;
    case schema::RunRequest::SUSPEND: signal = "suspend"; break;
    case schema::RunRequest::RESUME: signal = "resume"; break;
    case schema::RunRequest::MESSAGE:
    case schema::RunRequest::RELEASE:
    case schema::RunRequest::CHECKPOINT:
    case schema::RunRequest::ALTERED: return;
  }
  run_.note(log_event::debug, "signal job request received");
  run_.note(log_event::admin, "signal job with " + signal);
}

void run_requests::when_acted(model::run_command c) {
  acting_.push_back(std::move(c));
  run_.parts.processes->confirm(run_.key);
}

void run_requests::on_acted() {
  if (acting_.empty()) return;
  auto done = std::move(acting_.front());
  acting_.pop_front();
  run_.command(std::move(done));
}

}  // namespace annals::actors
