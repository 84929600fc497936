// Which worker runs what: a run goes to an idle worker of its hook, else to the one that is kept ready, else it waits
// for a new one or for a place that another hook gives up. Which workers stay is decided in pool_keeping.cpp.
#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "hooks-runtime/pool/pool_server.hpp"

namespace annals::hooks {
namespace {

constexpr std::chrono::seconds pause_after_failed_start{1};

void write_texts(const std::vector<std::string>& from, capnp::List<capnp::Text>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) to.set(i, from[i]);
}

void write_rules(const sandbox_rules& from, const pool_settings& settings, protocol::Sandbox::Builder to) {
  to.setNetwork(from.network);
  to.setProcesses(from.processes);
  to.setSignals(from.signals);
  to.setCapabilities(from.capabilities);
  to.setProcessMemory(from.process_memory);
  write_texts(from.writable_paths, to.initWritable(static_cast<unsigned>(from.writable_paths.size())));
  // What hooks on hosts may see is their user's affair.
  if (from.capabilities) return;
  write_texts(settings.hidden, to.initHidden(static_cast<unsigned>(settings.hidden.size())));
  if (from.network && !settings.sockets.empty()) to.initSeen(1).set(0, settings.sockets);
}

void write_limits(protocol::Limits::Builder to) {
  to.setMemoryBytes(limits::hook_memory_bytes_max);
  to.setCpuSeconds(limits::hook_cpu_seconds_max);
  to.setOpenFiles(limits::hook_open_files_max);
  to.setProcesses(limits::hook_processes_max);
  to.setFileBytes(limits::hook_file_bytes_max);
  to.setOutputBytes(limits::hook_output_bytes_max);
}

// Tells whether a hook of the server asks it. Its decisions depend on those before, so its runs go one after another. One that asks by way
// of a module of the site is known when it has asked.
bool names_server(const hook_code& code) { return code.source.find("server") != std::string::npos; }

capnp::Data::Reader data_of(const std::string& bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

}  // namespace

// Not to be guessed by a script, nor by what an earlier run left behind.
std::uint64_t pool_server::new_nonce() {
  if (nonces_left_ == 0) {
    while (::getrandom(nonces_.data(), sizeof nonces_, 0) != sizeof nonces_) {
    }
    nonces_left_ = nonces_.size();
  }
  return nonces_[--nonces_left_];
}

bool pool_server::name_worker(pending& work) {
  const hook_event* event = work.compiled ? nullptr : find_event(work.order.request.get().getEvent());
  if (!work.compiled && !event) return false;
  if (event) work.profile = event->sandbox;
  const auto& code = *work.order.code;
  work.key.reserve(code.hash.size() + code.name.size() + work.order.run_as.size() + 4);
  work.key.assign(code.hash).append(1, '\0').append(code.name).append(1, '\0').append(work.order.run_as).append(1, '\0');
  work.key += work.profile == sandbox_profile::mom ? 'm' : 's';
  return true;
}

void pool_server::take(pending work) {
  if (waiting_.size() >= limits::hook_runs_waiting_max)
    return refuse(work, protocol::Verdict::ERROR, "too many hooks wait for a worker", 0);
  if (!name_worker(work)) return refuse(work, protocol::Verdict::ERROR, "no such hook event", 0);
  waiting_.push_back(std::move(work));
}

bool pool_server::begin_at_once(pending& work) {
  const bool leaves_files = work.order.request.get().getHook().getDebug();
  std::unique_lock state(state_, std::try_to_lock);
  if (!state || leaves_files || ended_ || !waiting_.empty() || !name_worker(work)) return false;
  bool others_run = false;
  const auto w = idle_for(work, others_run);
  if (w == workers_.end()) return false;
  read(w);  // nothing, unless it says something uncalled for
  if (w->now != phase::idle) return false;
  w->attended = work.order.attended && !others_run;
  w->work = std::move(work);
  begin(w);
  const bool attended = std::exchange(w->attended, false);
  if (attended) {
    if (w->work->order.meanwhile && !w->process.has_to_write()) w->work->order.meanwhile();
    attend(w);
  }
  if (w->deadline < wakes_at_) wake();
  state.unlock();
  if (attended) tell_callers();
  return true;
}

// One walk for all that is asked: with many hooks it is a part of what a run costs.
pool_server::worker_at pool_server::idle_for(const pending& work, bool& others_run) {
  worker_at found = workers_.end();
  std::size_t at_work = 0;
  for (auto w = workers_.begin(); w != workers_.end(); ++w) {
    if (is_at_work(*w)) ++at_work;
    if (w->now == phase::running) others_run = true;
    if (w->now == phase::idle && w->key == work.key && w->resources_version == resources_version_) found = w;
  }
  return at_work < settings_.at_once_max ? found : workers_.end();
}

void pool_server::know_resources(std::vector<resource_type> custom) {
  if (custom == resources_) return;
  resources_ = std::move(custom);
  ++resources_version_;
}

void pool_server::refuse(pending& work, protocol::Verdict verdict, const std::string& why,
                         std::uint64_t micros) {
  if (work.compiled) return tell(std::move(work.compiled), why.empty() ? "the script could not be compiled" : why);
  tell(std::move(work.done), reply_of(verdict, why, micros));
}

sealed_reply pool_server::reply_of(protocol::Verdict verdict, const std::string& why, std::uint64_t micros,
                                   const std::vector<schema::sealed<protocol::LogLine>>& said) {
  return schema::make<protocol::Reply>([&](protocol::Reply::Builder reply) {
    reply.setVerdict(verdict);
    reply.setMessage(why);
    reply.setDurationMicros(micros);
    auto log = reply.initLog(static_cast<unsigned>(said.size()));
    for (unsigned i = 0; i < log.size(); ++i) log.setWithCaveats(i, said[i].get());
  });
}

void pool_server::bind(worker_at w, pending work) {
  w->now = phase::binding;
  w->key = work.key;
  w->code = work.order.code;
  w->known = is_known(*w->code);
  w->rules = rules_of(work.profile, work.order.code->configuration);
  if (work.compiled) w->rules.writable_paths.clear();  // what is wrong with one of them is told of a run
  w->resources_version = resources_version_;
  w->deadline = clock::now() + limits::hook_bind_time_max;
  capnp::MallocMessageBuilder message;
  auto b = message.initRoot<protocol::ToWorker>().initBind();
  b.setHookName(work.order.code->name);
  b.setSource(data_of(work.order.code->source));
  b.setHasConfiguration(work.order.code->configuration.has_value());
  if (work.order.code->configuration) b.setConfiguration(data_of(*work.order.code->configuration));
  b.setRunAs(work.order.run_as);
  write_rules(w->rules, settings_, b.initSandbox());
  write_limits(b.initLimits());
  auto resources = b.initResources(static_cast<unsigned>(resources_.size()));
  for (unsigned i = 0; i < resources.size(); ++i) {
    resources[i].setName(resources_[i].name);
    resources[i].setType(resources_[i].type);
  }
  b.setLocalNode(settings_.local_node);
  auto conf = b.initPbsConf(static_cast<unsigned>(settings_.pbs_conf.size()));
  for (unsigned i = 0; i < conf.size(); ++i) {
    conf[i].setName(settings_.pbs_conf[i].first);
    conf[i].setValue(settings_.pbs_conf[i].second);
  }
  b.setCompileOnly(static_cast<bool>(work.compiled));
  b.setOnMom(settings_.on_mom);
  w->process.send(framed(message));
  watch(w);
  w->work = std::move(work);
}

void pool_server::begin(worker_at w) {
  const auto request = w->work->order.request.get();
  w->now = phase::running;
  w->asking = false;
  w->said.clear();
  w->said_bytes = 0;
  w->nonce = new_nonce();
  w->debug = debug_files(settings_.debug_directory, request);
  w->began = clock::now();
  const std::uint32_t alarm_ms = request.getAlarmMillis();
  w->deadline = alarm_ms ? w->began + std::chrono::milliseconds(alarm_ms) : clock::time_point::max();
  capnp::MallocMessageBuilder message(room_for(w->work->order.request));
  message.initRoot<protocol::ToWorker>().setRequest(request);
  message.getRoot<protocol::ToWorker>().getRequest().setNonce(w->nonce);
  w->process.send(framed(message));
  watch(w);
}

bool pool_server::place(pending& work) {
  unsigned of_this_hook = 0;
  bool asks = false;
  worker_at ready = workers_.end();
  bool one_starts = false;
  for (auto w = workers_.begin(); w != workers_.end(); ++w) {
    if (w->now == phase::unbound) ready = w;
    if (w->key != work.key || w->now == phase::ending) continue;
    ++of_this_hook;
    asks = asks || w->asks;
    one_starts = one_starts || w->now == phase::binding;
    if (w->now != phase::idle || work.compiled) continue;
    if (w->resources_version != resources_version_) {
      end(w, protocol::Verdict::ERROR, {});
      continue;
    }
    read(w);
    if (w->now != phase::idle) continue;
    w->work = std::move(work);
    begin(w);
    return true;
  }
  // A worker that is being bound will soon do more than this one run.
  if (!work.compiled && (of_this_hook >= limits::hook_workers_per_hook_max || one_starts)) return false;
  if (!work.compiled && of_this_hook > 0 && work.profile == sandbox_profile::server && (asks || names_server(*work.order.code)))
    return false;
  if (ready == workers_.end()) {
    if (workers_.size() >= places()) {
      // A second worker is no reason to take another hook's only one; a compilation has no use for the first.
      if (of_this_hook == 0 || work.compiled) make_room();
      return false;
    }
    ready = start_worker();
    if (ready == workers_.end()) return false;
  }
  bind(ready, std::move(work));
  return true;
}

void pool_server::dispatch() {
  // In the order they came; one that can't start holds up only those of its own hook.
  std::vector<std::string> held_up;
  auto at_work = std::ranges::count_if(workers_, is_at_work);
  for (auto work = waiting_.begin(); work != waiting_.end() && at_work < settings_.at_once_max;) {
    if (std::ranges::find(held_up, work->key) != held_up.end()) {
      ++work;
    } else if (place(*work)) {
      ++at_work;
      work = waiting_.erase(work);
    } else if (!no_start_why_.empty()) {
      refuse(*work, protocol::Verdict::ERROR, no_start_why_, 0);
      work = waiting_.erase(work);
    } else {
      held_up.push_back(work->key);
      // Nothing further can be placed when every place is taken; this keeps a long queue from being walked each time.
      if (held_up.size() > places()) break;
      ++work;
    }
  }
  no_start_why_.clear();
  keep_one_ready();
}

pool_server::worker_at pool_server::start_worker() {
  workers_.emplace_back(settings_.worker_program, settings_.scratch, next_id_++);
  const auto made = std::prev(workers_.end());
  const auto why = made->process.is_running() ? begin_watch(made) : made->process.why();
  if (why.empty() && made->process.is_running()) {
    ++started_;
    return made;
  }
  no_start_why_ = "no hook worker: " + why;
  no_start_before_ = clock::now() + pause_after_failed_start;
  workers_.erase(made);
  return workers_.end();
}

}  // namespace annals::hooks
