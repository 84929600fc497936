// Events in which there is something of everything that the ledger keeps: limits, dependencies, custom resources, pools, partitions,
// hooks, suspended jobs, an array, reservations. It takes them in as they are; not every one of them would be let in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "test/support/model_builders.hpp"

namespace annals::test {

using told_events = std::vector<std::pair<model::event_place, model::event>>;

class ledger_story {
 public:
  ledger_story() {
    set_up();
    hosts();
    jobs();
    array();
    reservations();
    take_down();
  }
  const told_events& events() const { return events_; }

 private:
  static constexpr std::uint64_t server = 1, workq = 2, small = 3, short_lived = 4, first_scheduler = 5, second_scheduler = 6, hook = 7,
                                 n1 = 20, n2 = 21, n3 = 22, reservation = 300, standing = 301, first_job = 1000;

  template <class Fill>
  void tell(std::uint64_t stream, Fill&& fill) {
    const std::uint64_t sequence = events_.size() + 1;
    const model::event_place at{sequence, stream, 1, static_cast<std::int64_t>(sequence) * 1'000'000'000, the_server()};
    events_.emplace_back(at, model::make_event(std::forward<Fill>(fill)));
  }
  static void put(capnp::List<schema::Attribute>::Builder to, const given_values& from) { fill(to, from); }
  static unsigned count(const given_values& of) { return static_cast<unsigned>(of.size()); }

  void change_server(const given_values& s) {
    tell(server, [&](auto e) { put(e.initServer().initChanged().initChanges(count(s)), s); });
  }
  void change_queue(std::uint64_t stream, const given_values& s) {
    tell(stream, [&](auto e) { put(e.initQueue().initChanged().initChanges(count(s)), s); });
  }
  void change_scheduler(std::uint64_t stream, const given_values& s) {
    tell(stream, [&](auto e) { put(e.initScheduler().initChanged().initChanges(count(s)), s); });
  }
  void change_vnode(std::uint64_t stream, const std::string& vnode, const given_values& s) {
    tell(stream, [&](auto e) {
      auto c = e.initHost().initVnodeChanged();
      c.setVnode(vnode);
      put(c.initChanges(count(s)), s);
    });
  }

  void set_up() {
    const auto define = [&](const char* name, const char* type, const char* flags) {
      tell(server, [&](auto e) {
        auto d = e.initServer().initResourceCreated();
        d.setName(name);
        d.setType(type);
        d.setFlags(flags);
      });
    };
    define("lic", "long", "hn");
    define("speed", "long", "h");
    define("gone", "string", "");
    tell(server, [](auto e) { e.initServer().initResourceDeleted().setName("gone"); });
    const std::pair<std::uint64_t, const char*> queues[] = {{workq, "workq"}, {small, "small"}, {short_lived, "short_lived"}};
    for (const auto& [stream, name] : queues) tell(stream, [&](auto e) { e.initQueue().initCreated().setName(name); });
    change_server({{"max_queued", "", "[u:PBS_GENERIC=40],[g:group1=30],[o:PBS_ALL=100]"}, {"max_queued_res", "mem", "[p:p1=500gb]"}});
    change_queue(small, {{"max_queued", "", "[u:user1=9]"}, {"max_queuable", "", "12"}, {"partition", "", "p1"}});
    change_queue(short_lived, {{"queued_jobs_threshold", "", "[o:PBS_ALL=3]"}});
    tell(short_lived, [](auto e) { e.initQueue().initDeleted().setName("short_lived"); });
    tell(first_scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    tell(second_scheduler, [](auto e) { e.initScheduler().initCreated().setName("second"); });
    change_scheduler(
        second_scheduler,
        {{"partition", "", "p1"}, {"sched_priv", "", "/pbs/priv"}, {"sched_log", "", "/pbs/log"}, {"job_sort_formula", "", "ncpus"}});
    change_server({{"job_sort_formula", "", "ncpus"}});
    tell(hook, [](auto e) { e.initHook().initCreated().setName("provisions"); });
    tell(hook, [](auto e) { put(e.initHook().initChanged().initChanges(1), {{"event", "", "provision"}}); });
  }

  void host(std::uint64_t stream, const std::string& name, const std::vector<std::string>& vnodes) {
    tell(stream, [&](auto e) { e.initHost().initAdded().setName(name); });
    for (const auto& v : vnodes) tell(stream, [&](auto e) { e.initHost().initVnodeCreated().setName(v); });
    tell(stream, [&](auto e) {
      auto list = e.initHost().initCameUp().initVnodes(static_cast<unsigned>(vnodes.size()));
      for (unsigned i = 0; i < list.size(); ++i) {
        list[i].setName(vnodes[i]);
        put(list[i].initAttributes(2), {{"resources_available", "ncpus", "70"}, {"resources_available", "mem", "8gb"}});
      }
    });
  }
  void hosts() {
    host(n1, "n1", {"n1", "n1[0]", "n1[1]"});
    host(n2, "n2", {"n2"});
    host(n3, "n3", {"n3"});
    change_vnode(n1, "n1", {{"resources_available", "lic", "5"}, {"resources_available", "speed", "2"}, {"queue", "", "workq"}});
    change_vnode(n1, "n1[0]", {{"resources_available", "lic", "@n1"}});
    change_vnode(n2, "n2", {{"partition", "", "p1"}, {"sharing", "", "default_excl"}});
    change_vnode(n1, "n1[1]", {{"provisioning", "linux", "waits"}});
    tell(n1, [](auto e) { e.initHost().initVnodeDeleted().setName("n1[0]"); });  // the last one takes its place
    tell(n1, [](auto e) { e.initHost().initVnodeCreated().setName("n1[0]"); });
    change_vnode(n1, "n1[0]", {{"resources_available", "ncpus", "4"}, {"resources_available", "lic", "@n1"}});
    tell(n3, [](auto e) { e.initHost().initWentDown().setText("silent"); });
    tell(n3, [](auto e) { e.initHost().initVnodeDeleted().setName("n3"); });
    tell(n3, [](auto e) { e.initHost().initRemoved().setName("n3"); });
  }

  static std::uint64_t job_stream(std::uint64_t number) { return first_job + number; }
  void submit(std::uint64_t number, const given_values& s, const std::string& queue = "workq", const std::string& indices = "") {
    tell(job_stream(number), [&](auto e) {
      auto q = e.initJob().initQueued();
      q.setId(std::to_string(number) + (indices.empty() ? "" : "[]") + ".borg");
      q.setNumber(number);
      q.setQueue(queue);
      q.setEuser(number % 2 ? "user1" : "user2");
      q.setEgroup("group1");
      q.setIndices(indices);
      put(q.initAttributes(count(s)), s);
      if (number % 4 == 3) q.initHolds(1).set(0, HoldType::USER);
    });
  }
  void assign(std::uint64_t number, const std::string& exec_vnode, const std::string& place = "free") {
    tell(job_stream(number), [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(1);
      a.setExecVnode(exec_vnode);
      a.setPlace(place);
    });
  }
  void release(std::uint64_t number, const std::string& exec_vnode, schema::ReleaseReason why = schema::ReleaseReason::LEFT,
               bool amounts_only = false) {
    tell(job_stream(number), [&](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setRun(1);
      r.setExecVnode(exec_vnode);
      r.setWhy(why);
      r.setAmountsOnly(amounts_only);
    });
  }
  void suspend(std::uint64_t number, const std::string& exec_vnode, bool admin, bool amounts_only) {
    tell(job_stream(number), [&](auto e) { e.initJob().initSuspended().setAdmin(admin); });
    release(number, exec_vnode, schema::ReleaseReason::SUSPENDED, amounts_only);
  }
  void resume(std::uint64_t number, const std::string& exec_vnode, bool amounts_only) {
    tell(job_stream(number), [](auto e) { e.initJob().initResumed(); });
    tell(job_stream(number), [&](auto e) {
      auto t = e.initJob().initVnodesTaken();
      t.setExecVnode(exec_vnode);
      t.setPlace("free");
      t.setAmountsOnly(amounts_only);
    });
  }
  void end(std::uint64_t number) {
    tell(job_stream(number), [](auto e) { e.initJob().initEnded(); });
  }
  void forget(std::uint64_t number) {
    tell(job_stream(number), [](auto e) { e.initJob().setForgotten(); });
  }
  void alter(std::uint64_t number, const given_values& s) {
    tell(job_stream(number), [&](auto e) { put(e.initJob().initAltered().initChanges(count(s)), s); });
  }

  void jobs() {
    submit(1, {{"Resource_List", "ncpus", "2"}, {"Resource_List", "mem", "1gb"}, {"project", "", "p1"}});
    submit(2, {{"Resource_List", "lic", "1"}, {"schedselect", "", "1:ncpus=1:lic=1"}, {"depend", "", "afterok:1.borg"}});
    submit(3, {{"Resource_List", "walltime", "01:00:00"}, {"depend", "", "runone:1.borg"}}, "small");
    submit(4, {{"depend", "", "afterany:2.borg:3.borg"}});
    submit(5, {{"Resource_List", "ncpus", "0.5"}});
    const std::string two_hosts = "(n1:ncpus=3:mem=1048576kb)+(n1[1]:ncpus=66)";
    assign(1, two_hosts);
    tell(job_stream(1), [](auto e) {
      auto u = e.initJob().initUsageReported().initUsage().initResources(1)[0];
      u.setResource("lic");
      u.setValue("2");
    });
    suspend(1, two_hosts, true, false);
    resume(1, two_hosts, false);
    suspend(1, "(n1:ncpus=3)", false, true);
    resume(1, "(n1:ncpus=3)", true);
    assign(5, "(n2:ncpus=1)", "excl");
    suspend(5, "(n2:ncpus=1)", false, false);
    alter(4, {{"depend", "", "afterany:2.borg", schema::AttributeOp::DECREMENT}, {"Resource_List", "mem", "2gb"}});
    tell(job_stream(2), [](auto e) {
      auto m = e.initJob().initMoved();
      m.setQueue("small");
      put(m.initChanges(1), {{"Resource_List", "lic", "3"}});
    });
    tell(job_stream(3), [](auto e) { e.initJob().initReleased().initHolds(1).set(0, HoldType::USER); });
    release(1, two_hosts);
    tell(job_stream(1), [](auto e) { e.initJob().initRequeued(); });
    assign(1, "(n1:ncpus=1)");
    release(1, "(n1:ncpus=1)");
    end(1);
    submit(6, {});
    end(6);
    forget(6);
  }

  void array() {
    submit(7, {{"Resource_List", "ncpus", "1"}}, "workq", "0-9");
    for (const std::uint32_t index : {0u, 4u}) {
      const auto subjob = values::subjob_number(7, index);
      tell(job_stream(7), [&](auto e) { e.initJob().initSubjobBegan().setIndex(index); });
      submit(subjob, {{"Resource_List", "ncpus", "1"}});
      assign(subjob, "(n1:ncpus=1)");
    }
    const auto back = values::subjob_number(7, 4);
    release(back, "(n1:ncpus=1)");
    tell(job_stream(back), [](auto e) { e.initJob().initRequeued(); });
    forget(back);
    tell(job_stream(7), [](auto e) {
      auto l = e.initJob().initSubjobLeft();
      l.setIndex(4);
      l.setRequeued(true);
    });
  }

  void confirm(std::uint64_t stream, std::uint32_t first, std::uint32_t windows, const std::string& exec_vnode) {
    tell(stream, [&](auto e) {
      auto places = e.initReservation().initConfirmed().initOccurrences(windows);
      for (unsigned i = 0; i < windows; ++i) {
        places[i].setIndex(first + i);
        places[i].setStartNs((first + i) * std::int64_t{1'000'000'000'000});
        places[i].setEndNs((first + i) * std::int64_t{1'000'000'000'000} + 60'000'000'000);
        places[i].setExecVnode(exec_vnode);
      }
    });
  }
  void reserve(std::uint64_t stream, const char* id, schema::ReservationKind kind, std::uint32_t windows) {
    tell(stream, [&](auto e) {
      auto s = e.initReservation().initSubmitted();
      s.setId(id);
      s.setKind(kind);
      put(s.initAttributes(3), {{"Resource_List", "place", "free"}, {"Resource_List", "lic", "1"}, {"Reserve_Owner", "", "user1@borg"}});
      auto list = s.initOccurrences(windows);
      for (unsigned i = 0; i < windows; ++i) list[i].setIndex(i + 1);
      if (windows > 1) s.initLaterGapsS(1).set(0, 1000);
    });
  }
  void reservations() {
    reserve(reservation, "R20", schema::ReservationKind::ADVANCE, 1);
    confirm(reservation, 1, 1, "(n1:ncpus=2)");
    reserve(standing, "S21", schema::ReservationKind::STANDING, 2);
    confirm(standing, 1, 2, "(n1:ncpus=1)+(n1[1]:ncpus=1)");
    tell(reservation, [](auto e) { e.initReservation().initOccurrenceBegan().setIndex(1); });
    tell(standing, [](auto e) {
      auto d = e.initReservation().initDegraded();
      d.initVnodes(1).set(0, "n1[1]");
      d.setRetryNs(5);
      d.setAsks(true);
    });
    tell(standing, [](auto e) { e.initReservation().initRefused().setScheduler("default"); });
    tell(standing, [](auto e) {
      auto a = e.initReservation().initAlterRequested();
      auto o = a.initOccurrences(1)[0];
      o.setIndex(2);
      o.setStartNs(2'500'000'000'000);
      o.setEndNs(2'600'000'000'000);
      put(a.initChanges(1), {{"Reserve_Name", "", "later"}});
    });
    submit(22, {{"Resource_List", "ncpus", "1"}}, "R20");
  }

  void take_down() {
    tell(reservation, [](auto e) { e.initReservation().initOccurrenceEnded().setIndex(1); });
    tell(reservation, [](auto e) { e.initReservation().setEnded(); });
    confirm(standing, 2, 1, "(n1:ncpus=1)");
    release(5, "(n2:ncpus=1)");
    end(5);
    end(3);
    end(2);
    forget(2);
    tell(n1, [](auto e) { e.initHost().initVnodeDeleted().setName("n1[1]"); });
    tell(hook, [](auto e) { e.initHook().initDeleted().setName("provisions"); });
    change_server({{"max_queued", "", "", schema::AttributeOp::UNSET}});
    tell(second_scheduler, [](auto e) { e.initScheduler().initDeleted().setName("second"); });
  }

  told_events events_;
};

}  // namespace annals::test
