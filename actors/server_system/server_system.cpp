#include "actors/server_system/server_system.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <filesystem>
#include <future>

#include "actors/gateway/callers/uploads.hpp"
#include "actors/gateway/gateway.hpp"
#include "actors/gateway/hosts/blobs_to_moms.hpp"
#include "actors/queries/past_actor.hpp"
#include "actors/queries/query_actor.hpp"
#include "actors/replica/status_folds.hpp"
#include "actors/runtime/next_first.hpp"
#include "actors/runtime/thread_share.hpp"
#include "actors/server/aggregates.hpp"
#include "actors/server/event_notes.hpp"
#include "actors/server/hook_files_writer.hpp"
#include "actors/server/reactions_actor.hpp"
#include "actors/server/recovered_lines.hpp"
#include "actors/server/script_reader.hpp"
#include "actors/server_system/server_folds.hpp"
#include "actors/sessions/sessions.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/log/clock_step.hpp"

namespace annals::actors {

namespace {

// The folds that the start fills and the actors go on with.
struct folds : server_folds {
  std::shared_ptr<projections::past_writer> past;
  replica all;

  explicit folds(const server_system_parts& parts)
      : server_folds(parts.pbs_home, parts.notes ? std::make_shared<event_notes>(*parts.notes, !parts.log_mask_is_given) : nullptr),
        past(std::make_shared<projections::past_writer>(parts.store)),
        all(joined(fold_of_past(past, status), parts.books)) {}
};

// One Manage request as the server itself makes it at its first start.
schema::sealed<schema::Request> manage(schema::ObjectKind kind, const std::string& name,
                                       const std::vector<std::array<std::string, 2>>& set) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::CREATE);
    m.setKind(kind);
    m.setName(name);
    auto list = m.initChanges(static_cast<unsigned>(set.size()));
    for (unsigned i = 0; i < set.size(); ++i) {
      list[i].setName(set[i][0]);
      list[i].setValue(set[i][1]);
    }
  });
}

// A home of an older release has its logs in sched_logs, and goes on with it (MS-09).
std::string log_directory_in(const std::string& home) {
  std::error_code unknown;
  const bool older = !std::filesystem::exists(home + "/sched_log", unknown) && std::filesystem::is_directory(home + "/sched_logs", unknown);
  return home + (older ? "/sched_logs" : "/sched_log");
}

std::vector<std::array<std::string, 2>> scheduler_defaults(const server_system_parts& parts) {
  std::vector<std::array<std::string, 2>> set;
  for (const auto& row : attributes::table_of(schema::ObjectKind::SCHEDULER))
    if (*row.default_value != '\0' && row.set_by != attributes::setter::nobody && row.set_by != attributes::setter::internal)
      set.push_back({row.name, row.default_value});
  set.push_back({"sched_priv", parts.pbs_home + "/sched_priv"});
  set.push_back({"sched_log", log_directory_in(parts.pbs_home)});
  set.push_back({"sched_host", parts.self.host_name});
  set.push_back({"scheduling", "True"});
  return set;
}

void note_clock(daemon_log& to, const std::string& text) { to.write(log_event::force | log_event::error, "Svr", "PBS_Server", text); }

// Writes without actors, before there are any: the start of the server, and what a new cluster begins with.
class bootstrap_events {
 public:
  bootstrap_events(log::event_log& log, folds& to, const server_system_parts& parts) : log_(log), to_(to), parts_(parts) {}

  // From here on nothing is given again that the lost part can have given.
  void accept(const log::loss_to_accept& loss) {
    log::log_mark found;
    found.sequence = log_.last_sequence();
    found.last_stream = parts_.store.log->last_stream();
    found.next_number = to_.where->next_number();
    const auto next = log::numbers_after(found, loss.witnesses);
    log_.skip_lost(next.sequence, next.stream);
    write(0, 0, std::vector<model::event>{model::make_event([&](schema::Event::Builder event) {
            auto e = event.initLog().initLossAccepted();
            e.setLastSequence(found.sequence);
            e.setLastStream(found.last_stream);
            e.setNextNumber(next.next_number);
            auto list = e.initWitnesses(static_cast<unsigned>(loss.witnesses.size()));
            for (unsigned i = 0; i < list.size(); ++i) {
              const auto& w = loss.witnesses[i];
              list[i].setName(w.name);
              list[i].setLogUuid({reinterpret_cast<const kj::byte*>(w.mark.log.data()), w.mark.log.size()});
              list[i].setSequence(w.mark.sequence);
            }
          })},
          {loss.by, loss.host, schema::Role::ROOT});
  }

  // Until somebody has looked at what hosts run: the log may have jobs as queued that run.
  void turn_scheduling_off(const log::loss_to_accept& loss) {
    set_server("scheduling", "False", {parts_.clock->now_ns(), {loss.by, loss.host, schema::Role::ROOT}});
  }

  void say() {
    const bool fresh = !to_.status->server().exists;
    const model::stamp now{parts_.clock->now_ns(), self()};
    write(to_.where->server_stream(), to_.status->server().version,
          model::decide(to_.status->server(), model::server_up(parts_.self), now, *to_.where->settings()), self());
    if (!fresh) return;
    create(
        model::decide(model::queue_state{},
                      manage(schema::ObjectKind::QUEUE, "workq", {{"queue_type", "Execution"}, {"enabled", "True"}, {"started", "True"}}),
                      now, *to_.where->settings()));
    create(model::decide(model::scheduler_state{},
                         model::scheduler_command(manage(schema::ObjectKind::SCHEDULER, "default", scheduler_defaults(parts_))), now,
                         *to_.where->settings()));
    set_server("default_queue", "workq", now);
  }

 private:
  model::requester self() const { return {"root", parts_.self.host_name, schema::Role::ROOT}; }
  void create(model::outcome o) { write(0, 0, std::move(o), self()); }

  void set_server(const char* name, const char* value, const model::stamp& now) {
    const auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::SET);
      auto a = m.initChanges(1)[0];
      a.setName(name);
      a.setValue(value);
    });
    write(to_.where->server_stream(), to_.status->server().version,
          model::decide(to_.status->server(), model::server_command(request), now, *to_.where->settings()), now.by);
  }

  void write(std::uint64_t stream, std::uint64_t version, model::outcome o, const model::requester& by) {
    ANNALS_INVARIANT(o.accepted(), o.accepted() ? "" : o.why().text.c_str());
    if (o.events().empty()) return;
    log::append a;
    a.stream = stream;
    a.expected_version = version;
    a.events = std::move(o.events());
    a.by = {by.user, by.host, by.role};
    ANNALS_INVARIANT(std::holds_alternative<log::staged>(log_.stage(std::move(a))), "the first words are staged");
    std::vector<log::record_ptr> records;
    auto status = log_.commit(records);
    while (status.error == ports::store_error::uncertain) status = log_.commit(records);
    if (!status) throw log::log_damaged(status.text);
    for (const auto& r : records) {
      to_.all.fold(*r);
      if (parts_.notes && schema::is(r->event(), schema::LogEvent::CLOCK_STEPPED_BACK))
        note_clock(*parts_.notes, log::stepped_back_text(r->event().getLog().getClockSteppedBack()));
    }
  }

  log::event_log& log_;
  folds& to_;
  const server_system_parts& parts_;
};

// Beside the two threads of the replica one verifies the log's tail: no record of it is folded before.
void catch_up(const log::event_log& log, const log::log_reader& reader, replica& all) {
  auto tail = std::async(std::launch::async, [&] { log.verify_tail(); });
  const auto read = all.catch_up(reader, [&](const log::record& r) { if (r.sequence() >= log.tail_begin() && tail.valid()) tail.get(); });
  if (tail.valid()) tail.get();  // of a log that could not be read so far, or has no records
  if (!read) throw log::log_damaged(read.text);
}

caf::behavior notes_actor(caf::event_based_actor*, std::shared_ptr<event_notes> notes) {
  return {
      [notes](const committed& c) { notes->note(*c.records); },
      [](const disk_state&) {},
  };
}

caf::behavior hook_files_actor(caf::event_based_actor*, std::shared_ptr<hook_files_writer> files) {
  return {
      [files](const committed& c) {
        for (const auto& r : *c.records)
          if (r->kind() == schema::StreamKind::HOOK) files->fold(*r);
      },
      [](const disk_state&) {},
  };
}

void note_error(const server_system_parts& parts, const std::string& text) {
  if (parts.notes) parts.notes->write(log_event::error, "Svr", "Server@" + parts.self.server_name, text);
}

void keep_finished_jobs_on_disk(folds& f, const server_system_parts& parts) {
  if (parts.scratch_directory.empty()) return;
  for (const auto& why : {f.status->keep_history_in(parts.scratch_directory), f.past->keep_ended_in(parts.scratch_directory)})
    if (!why.empty()) note_error(parts, "finished jobs are kept in memory, because there is no " + why);
}

void note_begun(const server_system_parts& parts) {
  if (parts.notes)
    parts.notes->write(log_event::system, "Svr", "Server@" + parts.self.server_name,
                       "the start went on from the checkpoint of record " + std::to_string(parts.from->head().sequence));
}

// Nothing: the checkpoint can't be used.
std::unique_ptr<folds> folded_from_checkpoint(const log::event_log& log, const log::log_reader& reader, const server_system_parts& parts) {
  const auto give_up = [&](const std::string& why) {
    note_error(parts, "the checkpoint is not used: " + why);
    for (const auto& book : parts.books) book.empty();
    return nullptr;
  };
  try {
    auto f = std::make_unique<folds>(parts);
    restore(f->all, *parts.from, *f->status, *f->past, parts.rows_directory);
    keep_finished_jobs_on_disk(*f, parts);
    catch_up(log, reader, f->all);
    note_begun(parts);
    return f;
  } catch (const stored::state_unreadable& why) {
    return give_up(why.what());
  } catch (const projections::row_unreadable& why) {
    std::error_code gone_already;  // who makes the next one writes all rows anew
    if (!parts.rows_directory.empty()) std::filesystem::remove(checkpoint_file(parts.rows_directory), gone_already);
    return give_up(why.what());
  }
}

std::unique_ptr<folds> folded(const log::event_log& log, const log::log_reader& reader, const server_system_parts& parts) {
  if (parts.from)
    if (auto f = folded_from_checkpoint(log, reader, parts)) return f;
  auto f = std::make_unique<folds>(parts);
  keep_finished_jobs_on_disk(*f, parts);
  catch_up(log, reader, f->all);
  return f;
}

std::vector<std::uint64_t> owing_jobs(const folds& f) {
  std::vector<std::uint64_t> owing;
  f.status->each_in_memory([&](const model::job_state& job) {
    if (!model::pending_effects(job, *f.where->settings()).empty()) owing.push_back(job.serial);
    return true;
  });
  return owing;
}

// Each queued job has a line: a hundred thousand take as long to write as all else that is done for jobs here.
std::vector<std::uint64_t> owing_jobs_beside_lines(const folds& f, daemon_log& notes) {
  auto lines = std::async(std::launch::async, [&] { note_recovered(notes, f.where->settings()->server_name, *f.status); });
  auto owing = owing_jobs(f);
  lines.get();
  return owing;
}

// An actor that makes long answers; with a thread of its own if there are any.
template <class Behavior, class... Parts>
caf::actor spawn_answering(caf::actor_system& system, bool detached, Behavior behavior, Parts... parts) {
  if (!detached) return system.spawn(behavior, std::move(parts)...);
  return system.spawn<caf::detached>([=](caf::event_based_actor* self) {
    set_thread_share(yielding_share);
    return behavior(self, parts...);
  });
}

// One that writes files: a slow directory holds up nobody else.
template <class Behavior, class Part>
caf::actor spawn_writing(caf::actor_system& system, bool detached, Behavior behavior, Part part) {
  return detached ? system.spawn<caf::detached>(behavior, std::move(part)) : system.spawn(behavior, std::move(part));
}

}  // namespace

server_system::~server_system() = default;

const model::ledger& server_system::ledger() const { return ledger_->get(); }

server_system::server_system(caf::actor_system& system, server_system_parts parts)
    : log_(std::make_unique<log::event_log>(*parts.store.log, *parts.clock, log::tail_check::left_to_caller)),
      reader_(std::make_unique<log::log_reader>(*parts.store.log, parts.store.blobs)) {
  const auto start = folded(*log_, *reader_, parts);
  auto& f = *start;
  ledger_ = f.ledger;
  if (!parts.rows_directory.empty()) ledger_->rebuild_from(checkpoint_file(parts.rows_directory));
  const bool goes_on = f.status->server().exists;
  if (parts.accept_clock) log_->accept_clock();
  bootstrap_events words(*log_, f, parts);
  if (parts.loss) words.accept(*parts.loss);
  words.say();
  if (parts.loss) words.turn_scheduling_off(*parts.loss);
  auto owing = goes_on && parts.notes ? owing_jobs_beside_lines(f, *parts.notes) : owing_jobs(f);

  check_ = parts.ledger ? parts.ledger : ledger_;
  log_writer_parts writer{log_.get(), reader_.get(), check_.get(), parts.followers, parts.stop_process, parts.disk_writable};
  writer.patient_followers = parts.patient_followers;
  writer.marks = parts.marks;
  writer.mark_writer = parts.mark_writer;
  writer.if_clock_is_right = "; if it is right, start the server once with --accept-clock";
  if (parts.notes) writer.note = [to = parts.notes](const std::string& text) { note_clock(*to, text); };
  if (parts.feed) writer.patient_followers.push_back(parts.feed);
  if (f.notes) writer.patient_followers.push_back(spawn_writing(system, parts.detached, notes_actor, f.notes));
  writer_ = parts.detached ? next_first::spawn_with_thread(system, "log.writer", log_writer, writer) : system.spawn(log_writer, writer);
  // An answer about the past may read much of the log; no live one waits for it. A list of many jobs takes milliseconds: on a
  // worker of the pool everybody else would wait for them, and with an ordinary share who needs the same processor.
  const auto past = spawn_answering(system, parts.detached, past_actor, reader_.get(), parts.store, parts.clock);
  const auto for_status = std::make_shared<commit_inbox>();
  const auto hurry = [own = parts.detached](bool behind) {
    if (own) set_thread_share(behind ? usual_share : yielding_share);
  };
  const auto status = spawn_answering(
      system, parts.detached, query_actor,
      query_parts{f.status, f.past, past, parts.clock, for_status, parts.stop_process, hurry, sessions(parts.clock, parts.notes)});
  const auto upload = parts.detached ? system.spawn<caf::detached>(uploads, parts.store.blobs, parts.upload_directory)
                                     : system.spawn(uploads, parts.store.blobs, parts.upload_directory);
  gateway_parts g;
  g.base = {writer_, reader_.get(), parts.clock, parts.stop_process};
  g.where = f.where;
  g.owing = std::move(owing);
  g.status = status;
  g.server_uid = parts.server_uid;
  g.shut_down = parts.shut_down;
  g.refuse_clients = parts.refuse_clients;
  g.notes = parts.notes;
  g.uploads = upload;
  g.scripts = parts.detached ? system.spawn<caf::detached>(script_reader, reader_.get()) : system.spawn(script_reader, reader_.get());
  g.blobs = spawn_answering(system, parts.detached, blobs_to_moms, reader_.get(), parts.notes);
  g.feed = parts.feed;
  g.sign_ticket = parts.sign_ticket;
  g.runner = parts.runner;
  g.hook_directory = parts.hook_directory;
  g.keep_sockets = parts.keep_sockets;
  g.witnesses = parts.witnesses;
  g.witnesses.log = log::identity_of(*parts.store.log);
  g.groups_of = parts.groups_of;
  g.schedulers = parts.schedulers;
  if (parts.remote_callers_max > 0) g.remote_callers_max = parts.remote_callers_max;
  if (parts.resting_jobs_at_once > 0) g.resting_jobs_at_once = parts.resting_jobs_at_once;
  g.detached = parts.helpers_detached.value_or(parts.detached);
  gateway_ = system.spawn(actors::gateway, std::move(g));
  // Queries and routing see a commit before anybody is told of it: they follow first. Routing before queries: the status
  // actor tells schedulers of a job, and a run they propose at once must find the job.
  caf::anon_send(writer_, follow{gateway_, true});
  caf::anon_send(writer_, follow{status, true, {}, for_status});
  const auto reactions = system.spawn(reactions_actor, reactions_parts{f.reactions, gateway_, parts.clock});
  caf::anon_send(writer_, follow{reactions});
  if (!parts.hook_directory.empty()) {
    const auto files = std::make_shared<hook_files_writer>(parts.hook_directory, reader_.get(), parts.notes);
    files->begin(f.status->hooks());
    caf::anon_send(writer_, follow{spawn_writing(system, parts.detached, hook_files_actor, files), false, schema::StreamKind::HOOK});
  }
  caf::anon_send(gateway_, begin_work{});
  caf::anon_send(reactions, begin_work{});
}

}  // namespace annals::actors
