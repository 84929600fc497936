// A small server and its scheduler that write a log as real ones do: jobs come, cycles place them, they run for as long as the test says;
// reservations are confirmed, their windows open and close, and their queues and jobs go with them. For tests of what is made of recorded
// cycles.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle_driver.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/place.hpp"
#include "events/model/exit_codes.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/job/failed_starts.hpp"
#include "events/model/settings_fold.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/scheduling/withheld_jobs.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/reservation_story.hpp"

namespace annals::test {

class recorded_cluster {
 public:
  using fill = std::function<void(schema::Event::Builder)>;

  log::memory_event_store store;
  virtual_clock clock;
  projections::status now;
  bool refuses = false;              // every proposal
  std::set<std::uint64_t> unwanted;  // jobs of which every proposal is refused
  std::set<std::uint64_t> failing;   // jobs of which every start fails, of arrays that of every subjob
  bool follows_refusals = false;
  std::uint64_t alters_walltime = 0;  // that is what a run gets; 0: what was proposed
  bool starts_first = false;          // starts and answers are written before the beginning of their cycle
  bool answers_late = false;          // an answer is written when the next cycle has begun

  explicit recorded_cluster(const std::string& sched_config, unsigned hosts = 2, unsigned cpus = 4) {
    server_ = write(0, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    change_server("scheduling", "True");
    add_queue("workq");
    for (unsigned h = 1; h <= hosts; ++h) add_host("n" + std::to_string(h), cpus);
    scheduler_ = write(0, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    set_policy(sched_config);
    connect();
  }

  void set_policy(const std::string& text) {
    policy_ = text;
    const auto bytes = std::as_bytes(std::span(text));
    driver_.set_policy(text, log::content_hash(bytes));
    stored_ = false;
  }
  void connect() {
    write(scheduler_, [](auto e) { e.initScheduler().initStarted().setHost("borg"); });
    driver_.connected();
    hear(view_.full_view());
    take_sent();
  }
  void change_server(const std::string& name, const std::string& value) {
    write(server_, [&](auto e) {
      auto c = e.initServer().initChanged().initChanges(1)[0];
      c.setName(name);
      c.setValue(value);
    });
  }
  void add_queue(const std::string& name, const std::string& priority = "0") {
    const auto stream = write(0, [&](auto e) { e.initQueue().initCreated().setName(name); });
    write(stream, [&](auto e) {
      auto c = e.initQueue().initChanged().initChanges(4);
      const std::pair<const char*, std::string> set[] = {
          {"queue_type", "Execution"}, {"started", "True"}, {"enabled", "True"}, {"Priority", priority}};
      for (unsigned i = 0; i < 4; ++i) c[i].setName(set[i].first), c[i].setValue(set[i].second);
    });
  }
  void add_host(const std::string& name, unsigned cpus) {
    const auto stream = write(0, [&](auto e) { e.initHost().initAdded().setName(name); });
    write(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(name); });
    write(stream, [&](auto e) {
      auto v = e.initHost().initCameUp().initVnodes(1)[0];
      v.setName(name);
      auto a = v.initAttributes(1)[0];
      a.setName("resources_available");
      a.setResource("ncpus");
      a.setValue(std::to_string(cpus));
    });
  }

  // A postqueuejob hook. Answers its stream.
  std::uint64_t add_hook(const std::string& name) {
    const auto stream = write(0, [&](auto e) { e.initHook().initCreated().setName(name); });
    write(stream, [](auto e) {
      auto c = e.initHook().initChanged().initChanges(1)[0];
      c.setName("event");
      c.setValue("postqueuejob");
    });
    write(stream, [](auto e) {
      auto i = e.initHook().initImported();
      i.setContentType(std::string(model::python_content));
      i.initContent().setHash({reinterpret_cast<const kj::byte*>("h"), 1});
    });
    return stream;
  }
  // It has looked at a job that was submitted.
  void hook_ran(std::uint64_t hook, std::uint64_t job) {
    write(
        hook, model::make_event([&](auto e) { e.initHook().initRan().setSubject(now.job(job)->id); }), {}, queued_.at(job));
  }
  // The server is started anew, and its scheduler comes again.
  void restart() {
    write(server_, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    connect();
    cycle("scheduler started");
  }

  // It runs for so many seconds once it starts, or as long as it was given if it shrinks to fit; 0: for ever. Answers its stream.
  using members = std::vector<std::pair<const char*, const char*>>;  // of Resource_List
  std::uint64_t submit(const std::string& user, unsigned cpus, std::int64_t seconds, const std::string& queue = "workq",
                       const members& more = {}, const std::string& indices = "") {
    const auto number = ++number_;
    const auto select = "1:ncpus=" + std::to_string(cpus);
    const auto job = write(0, [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + (indices.empty() ? "" : "[]") + ".borg");
      q.setIndices(indices);
      q.setNumber(number);
      q.setOwner(user + "@front");
      q.setEuser(user);
      q.setEgroup("users");
      q.setQueue(queue);
      q.setQueueRank(clock.ns / 1000);
      auto a = q.initAttributes(4 + static_cast<unsigned>(more.size()));
      const auto put = [&](unsigned i, const char* name, const char* resource, const std::string& value) {
        a[i].setName(name);
        a[i].setResource(resource);
        a[i].setValue(value);
      };
      put(0, "Resource_List", "ncpus", std::to_string(cpus));
      put(1, "Resource_List", "select", select);
      put(2, "Resource_List", "place", "pack");
      put(3, "schedselect", "", select);
      for (unsigned i = 0; i < more.size(); ++i) put(4 + i, "Resource_List", more[i].first, more[i].second);
    });
    runs_for_[job] = seconds;
    queued_[job] = store.last_sequence();
    return job;
  }

  // An array, of which each subjob runs for so many seconds.
  std::uint64_t submit_array(const std::string& user, const std::string& indices, unsigned cpus, std::int64_t seconds) {
    return submit(user, cpus, seconds, "workq", {}, indices);
  }

  // Cpus of one vnode, in so many seconds and for so long, and again every hour. A cycle confirms it, and then it has a queue. Answers
  // its stream.
  std::uint64_t reserve(const std::string& user, unsigned cpus, std::int64_t in, std::int64_t seconds, unsigned times = 1) {
    given_values asked = two_cpus(clock.ns / second + in, seconds);
    asked[0].value = "1:ncpus=" + std::to_string(cpus);
    if (times > 1) {
      asked.push_back({"reserve_rrule", "", "FREQ=HOURLY;COUNT=" + std::to_string(times)});
      asked.push_back({"reserve_timezone", "", "UTC"});
    }
    const auto stream = tell(0, test::reserve(asked, {}, ++number_), test::user(user));
    BOOST_REQUIRE(stream != 0);
    return stream;
  }
  // True: the server took the command. What becomes of the reservation's queue and jobs by that is written too.
  bool tells(std::uint64_t reservation, const model::reservation_command& command, const model::requester& by) {
    const auto before = log_.last_version(reservation);
    tell(reservation, command, by);
    return log_.last_version(reservation) != before;
  }
  const model::reservation_state& reservation(std::uint64_t stream) const { return now.reservations().at(stream); }

  // With follows_refusals another one follows, as at a server, while runs are refused.
  void cycle(const std::string& trigger = "new job") {
    run_cycle(trigger, {});
    while (follows_refusals && !refused_now_.empty()) run_cycle("runs refused", std::exchange(refused_now_, {}));
    refused_now_.clear();
  }

  // Time goes on; runs end when they should, windows of reservations open and close, jobs have rested, and a cycle follows each of these.
  void later(std::int64_t seconds) {
    const auto until = clock.ns + seconds * second;
    for (;;) {
      const auto [wake, reservation] = next_wake();
      const auto rested = std::max(withheld_.next_ns().value_or(INT64_MAX), clock.ns);
      const auto at = std::min({wake, rested, ends_.empty() ? INT64_MAX : ends_.begin()->first});
      if (at > until) break;
      clock.ns = std::max(clock.ns, at);
      if (at == wake) {
        BOOST_REQUIRE(tells(reservation, model::reservation_time{}, the_server()));
        cycle("reservation changed");
      } else if (at == rested) {
        cycle("job changed");
      } else {
        end(ends_.begin()->second);
        cycle("job ended");
      }
    }
    clock.ns = std::max(clock.ns, until);
  }

  // Of a job that runs, or that waits.
  void end(std::uint64_t job) {
    std::erase_if(ends_, [&](const auto& e) { return e.second == job; });
    const auto j = *now.job(job);
    if (!j.allocated.exec_vnode().empty()) release(job, j);
    write(job, [&](auto e) { e.initJob().initEnded(); });
    if (const auto of = subjobs_.extract(job)) tell_array(of.mapped().first, model::subjob_told{.index = of.mapped().second, .run = j.run});
  }

  std::uint64_t write(std::uint64_t stream, const fill& f, std::vector<ports::blob> blobs = {}) {
    return write(stream, model::make_event(f), std::move(blobs));
  }

 private:
  void run_cycle(const std::string& trigger, const std::set<std::uint64_t>& without) {
    withheld_.time_is(clock.ns);
    hear(view_.take_delta());
    driver_.received(*schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto c = m.initCycle();
      c.setNumber(++cycles_);
      c.setTrigger(trigger);
      c.setViewSequence(view_.sequence());
      c.setWallNs(clock.ns);
      auto list = c.initWithout(static_cast<unsigned>(without.size()));
      for (unsigned i = 0; const auto job : without) list.set(i++, job);
    }));
    const auto late = std::exchange(late_, {});
    take_sent();
    bool changed = false;
    for (const auto& answer : late) changed |= take_answer(answer);
    if (std::exchange(answered_, false) || changed) cycle("reservation changed");
  }

  void release(std::uint64_t job, const model::job_state& j) {
    write(job, [&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(j.run);
      x.setReported(true);
    });
    write(job, [&](auto e) {
      auto v = e.initJob().initVnodesReleased();
      v.setRun(j.run);
      v.setExecVnode(j.allocated.exec_vnode());
      auto hosts = v.initHosts(static_cast<unsigned>(j.hosts.size()));
      for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, j.hosts[i]);
    });
  }

  std::uint64_t write(std::uint64_t stream, model::event event, std::vector<ports::blob> blobs = {}, std::uint64_t cause = 0) {
    log::append a;
    a.cause = cause;
    a.stream = stream;
    a.expected_version = log_.last_version(stream);
    a.events.push_back(std::move(event));
    a.blobs = std::move(blobs);
    const auto staged = log_.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log_.commit(records)));
    for (const auto& r : records) {
      now.fold(*r);
      view_.apply(*r);
      withheld_.folded(*r);
      (void)of_rules_.fold(log::place_of(*r), r->event());
    }
    clock.ns += 1000;
    return std::get<log::staged>(staged).stream;
  }

  // -- reservations ------------------------------------------------------------------------------------------------------------

  std::uint64_t tell(std::uint64_t stream, const model::reservation_command& command, const model::requester& by) {
    const auto known = now.reservations().find(stream);
    const model::stamp at{clock.ns, by};
    const auto decided = model::decide(known == now.reservations().end() ? model::reservation_state() : known->second,
                                       with_reckoned(command, at, settings_), at, settings_);
    if (!decided.accepted()) return stream;
    for (const auto& e : decided.events()) stream = write(stream, e);
    follow(stream);
    return stream;
  }

  // The next moment at which something is due of a reservation, and of which.
  std::pair<std::int64_t, std::uint64_t> next_wake() const {
    std::pair<std::int64_t, std::uint64_t> next{INT64_MAX, 0};
    for (const auto& [stream, r] : now.reservations())
      for (const auto& wake : model::pending_effects(r, settings_)) next = std::min(next, {std::max(wake.wall_ns, clock.ns), stream});
    return next;
  }

  // Its queue and jobs, as reactions do it at a server (actors/server/reactions/reservation_queues.cpp).
  void follow(std::uint64_t stream) {
    const auto at = now.reservations().find(stream);
    if (at == now.reservations().end() || !at->second.has_queue()) return;
    const auto r = at->second;
    if (r.running == 0 && r.over > 0) end_jobs(r.id, r.lives());
    auto queue = queues_of_reservations_.find(stream);
    if (queue == queues_of_reservations_.end()) queue = queues_of_reservations_.emplace(stream, add_queue_of(r)).first;
    const std::string started = r.running != 0 ? "True" : "False";
    if (now.queues().at(r.id).attributes.get(attributes::queue::started) != started) change_queue(queue->second, "started", started);
    if (r.lives()) return;
    end_jobs(r.id, false);
    write(queue->second, [&](auto e) { e.initQueue().initDeleted().setName(r.id); });
    tell(stream, model::reservation_empty{}, the_server());
  }
  std::uint64_t add_queue_of(const model::reservation_state& r) {
    const auto stream = write(0, [&](auto e) {
      auto q = e.initQueue().initCreated();
      q.setName(r.id);
      q.setReservation(r.serial);
    });
    change_queue(stream, "queue_type", "Execution");
    change_queue(stream, "enabled", "True");
    for (const char* name : {"resources_max", "resources_available"})
      change_queue(stream, name, std::string(r.attributes.get(attributes::reservation::Resource_List, "ncpus").value_or("")), "ncpus");
    return stream;
  }
  void change_queue(std::uint64_t stream, const char* name, const std::string& value, const char* resource = "") {
    write(stream, [&](auto e) {
      auto c = e.initQueue().initChanged().initChanges(1)[0];
      c.setName(name);
      c.setResource(resource);
      c.setValue(value);
    });
  }
  void end_jobs(const std::string& queue, bool only_running) {
    std::vector<std::uint64_t> its;
    for (const auto& [job, seconds] : runs_for_)
      if (const auto j = now.job(job); j && j->queue() == queue && j->phase != model::job_phase::finished &&
                                       (!only_running || !j->allocated.exec_vnode().empty())) its.push_back(job);
    for (const auto job : its) end(job);
  }

  bool take_answer(const actors::cycle_driver::message& m) {
    return tells(m.get().getReservation().getReservation(), model::reservation_answer{m, "default"}, the_scheduler());
  }

  // -- the scheduler -----------------------------------------------------------------------------------------------------------

  void hear(const std::vector<projections::scheduling_projection::message>& view) {
    for (const auto& m : view) driver_.received(m.get());
  }

  void take_sent() {
    while (!sent_.empty()) {  // a view that was wanted may have let a cycle begin
      auto sent = std::exchange(sent_, {});
      if (starts_first && !refuses)
        std::stable_partition(sent.begin(), sent.end(), [](const auto& m) { return m.get().isRun() || m.get().isReservation(); });
      for (const auto& m : sent)
        if (!m.get().isReservation()) take(m);
        else if (answers_late) late_.push_back(m);
        else answered_ |= take_answer(m);
    }
  }
  void take(const actors::cycle_driver::message& message) {
    const auto m = message.get();
    using which = schema::FromScheduler::Which;
    switch (m.which()) {
      case which::RUN:
        if (refuses || unwanted.contains(m.getRun().getJob())) return refuse(m.getRun());
        return m.getRun().getOfArray() ? run_subjob(message) : run(m.getRun());
      case which::FULL_VIEW: return hear(view_.full_view());
      case which::REASONS: write(scheduler_, [&](auto e) { e.initScheduler().setCycleReasons(m.getReasons()); }); return;
      case which::CYCLE_ENDED: write(scheduler_, [&](auto e) { e.initScheduler().setCycleEnded(m.getCycleEnded()); }); return;
      case which::FAIRSHARE: write(scheduler_, [&](auto e) { e.initScheduler().setFairsharePolicy(m.getFairshare()); }); return;
      case which::CYCLE_BEGAN: {
        std::vector<ports::blob> blobs;
        const auto bytes = std::as_bytes(std::span(policy_));
        if (!std::exchange(stored_, true)) blobs.push_back({log::content_hash(bytes), {bytes.begin(), bytes.end()}});
        write(
            scheduler_, [&](auto e) { e.initScheduler().setCycleBegan(m.getCycleBegan()); }, std::move(blobs));
        return;
      }
      default: return;
    }
  }

  void run(schema::ProposeRun::Reader p) {
    refused_.erase(p.getJob());
    const auto number = now.job(p.getJob())->run + 1;
    write(p.getJob(), [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(number);
      a.setExecVnode(p.getExecVnode());
      a.setExecHost(p.getExecHost());
      a.setHosts(p.getHosts());
      a.setScheduler("default");
      a.setPlace("pack");
      a.setWalltimeSeconds(alters_walltime > 0 ? alters_walltime : p.getWalltimeSeconds());
    });
    if (failing.contains(p.getJob())) return fail(p.getJob());
    write(p.getJob(), [&](auto e) { e.initJob().initStarted().setRun(number); });
    const auto limit = p.getWalltimeSeconds() > 0 ? static_cast<std::int64_t>(p.getWalltimeSeconds()) : INT64_MAX;
    if (const auto seconds = std::min(runs_for_[p.getJob()], limit); seconds > 0) ends_.emplace(clock.ns + seconds * second, p.getJob());
  }

  void run_subjob(const actors::cycle_driver::message& proposal) {
    const auto p = proposal.get().getRun();
    const auto array = p.getJob();
    if (model::rests(*now.job(array), clock.ns)) return refuse(p);  // another of its subjobs failed just now
    refused_.erase(array);
    const auto born = tell_array(array, model::proposed_run{proposal, "default"});
    std::uint64_t stream = 0;
    for (const auto& e : born) stream = write(stream, e);
    BOOST_REQUIRE(stream != 0);
    if (failing.contains(array)) {
      fail(stream);
      tell_array(array, model::subjob_told{.index = p.getIndex(), .run = now.job(stream)->run, .requeued = true, .not_started = true});
      return;
    }
    write(stream, [&](auto e) { e.initJob().initStarted().setRun(now.job(stream)->run); });
    subjobs_[stream] = {array, p.getIndex()};
    ends_.emplace(clock.ns + runs_for_[array] * second, stream);
  }
  // Its host could not start it, and it is queued again.
  void fail(std::uint64_t job) {
    const auto j = *now.job(job);
    write(job, [&](auto e) {
      auto f = e.initJob().initStartFailed();
      f.setRun(j.run);
      f.setCode(model::exit_hook_rejected);
    });
    write(job, [&](auto e) { e.initJob().initVnodesReleased().setExecVnode(j.allocated.exec_vnode()); });
    write(job, [&](auto e) {
      auto r = e.initJob().initRequeued();
      r.setRun(j.run);
      r.setExitStatus(model::exit_hook_rejected);
      if (!j.is_subjob()) r.setRestsUntilNs(model::rest_until_ns(j, clock.ns));
    });
  }
  // Answers the first events of a subjob that begins.
  std::vector<model::event> tell_array(std::uint64_t array, const model::job_command& command) {
    auto decided = model::decide(*now.job(array), command, {clock.ns, the_scheduler()}, *of_rules_.settings());
    BOOST_REQUIRE(decided.accepted());
    for (const auto& e : decided.events()) write(array, e);
    return std::move(decided.born);
  }

  void refuse(schema::ProposeRun::Reader p) {
    const auto place = schema::str(p.getExecVnode());
    auto& last = refused_[p.getJob()];
    if (std::exchange(last, place) != place) write(scheduler_, [&](auto e) {
      auto r = e.initScheduler().initProposalRefused();
      r.setJob(p.getJob());
      r.setCycle(p.getCycle());
      r.setExecVnode(p.getExecVnode());
      r.setReason("no");
    });
    refused_now_.insert(p.getJob());
    driver_.received(*schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto r = m.initRefused();
      r.setJob(p.getJob());
      r.setReason("no");
    }));
  }

  log::event_log log_{store, clock};
  projections::scheduling_projection view_{now, "default"};
  projections::withheld_jobs withheld_{now, view_};
  std::vector<actors::cycle_driver::message> sent_, late_;
  bool answered_ = false;  // and something came of it
  actors::cycle_driver driver_{
      {.name = "default"}, {.send = [this](const auto& m) { sent_.push_back(m); }, .log = [](auto, auto, auto, auto) {}, .clock = &clock}};
  std::string policy_;
  bool stored_ = false;
  std::uint64_t server_ = 0, scheduler_ = 0, number_ = 0, cycles_ = 0;
  model::settings_fold of_rules_;
  std::map<std::uint64_t, std::int64_t> runs_for_;
  std::map<std::uint64_t, std::uint64_t> queued_;                             // job -> the record that queued it
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> subjobs_;  // that run: their arrays and indices
  std::map<std::uint64_t, std::string> refused_;                              // where to run, until it ran
  std::set<std::uint64_t> refused_now_;                                       // by the last cycle
  std::multimap<std::int64_t, std::uint64_t> ends_;                           // time -> job
  const model::settings settings_ = small_settings();                         // of what reservations are decided by
  std::map<std::uint64_t, std::uint64_t> queues_of_reservations_;             // streams
};

}  // namespace annals::test
