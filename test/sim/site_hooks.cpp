#include "test/sim/site_hooks.hpp"

#include <map>
#include <set>
#include <tuple>

#include "events/log/log_reader.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/hook/hook_look.hpp"
#include "test/sim/pruning.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

namespace {

struct site_hook {
  const char* name;
  const char* events;
  const char* freq;
};
constexpr site_hook every_hook[] = {
    {"first", "queuejob,modifyjob,movejob", nullptr},
    {"second", "queuejob,management", nullptr},
    {"runs", "runjob", nullptr},
    {"looks", "postqueuejob,jobobit,modifyvnode", nullptr},
    {"looks_too", "postqueuejob,jobobit", nullptr},
    {"by_the_clock", "periodic", "20"},
    {"starts", "execjob_begin,execjob_prologue,execjob_launch", nullptr},
    {"starts_too", "execjob_begin,execjob_launch", nullptr},
    {"before_the_kill", "execjob_preterm", nullptr},
    {"ends", "execjob_epilogue,execjob_end", nullptr},
    {"stops", "execjob_abort,execjob_postsuspend,execjob_preresume,execjob_resize", nullptr},
    {"joins", "execjob_attach", nullptr},
    {"of_the_host", "exechost_startup,exechost_periodic", "15"},
};
constexpr site_hook pruning_hooks[] = {
    {"prunes", "execjob_prologue,execjob_launch", nullptr},
    {"prunes_too", "execjob_launch", nullptr},
};

constexpr site_hook recipe = {"recipe", "execjob_launch", nullptr};

std::vector<site_hook> hooks_of(const options& o) {
  std::vector<site_hook> hooks;
  if (o.site_hooks) hooks.assign(std::begin(every_hook), std::end(every_hook));
  if (o.pruning > 0) hooks.insert(hooks.end(), std::begin(pruning_hooks), std::end(pruning_hooks));
  if (o.start.by_hook) hooks.push_back(recipe);
  return hooks;
}

void change(hooks::protocol::Change::Builder c, const char* parameter, const std::string& object, const char* attribute,
            const std::string& after) {
  c.setParameter(parameter);
  c.setObject(object);
  c.setKind(std::string_view(parameter) == "job" ? hooks::protocol::ObjectKind::JOB : hooks::protocol::ObjectKind::VNODE);
  c.setAttribute(attribute);
  c.setHasValue(true);
  c.setAfter(after);
}

std::string job_of(hooks::protocol::Request::Reader asked) {
  for (auto p : asked.getParameters())
    if (schema::text(p.getName()) == "job") return schema::str(p.getObject().getName());
  return {};
}

// A MoM that dies asks hooks of a task again: one that refuses then comes too late, since the task may run.
bool is_for_task(hooks::protocol::Request::Reader asked) {
  for (auto p : asked.getParameters())
    if (p.isPairs())
      for (auto pair : p.getPairs())
        if (schema::text(pair.getName()) == "PBS_TASKNUM") return schema::text(pair.getValue()) != "1";
  return false;
}

}  // namespace

// -- what hooks do -------------------------------------------------------------------------------------------------------

drawn_hooks::drawn_hooks(world& w) : world_(w) {
  for (const auto& h : every_hook)
    runner_.when(h.name, [this](hooks::protocol::Request::Reader asked, hooks::protocol::Reply::Builder reply) { answer(asked, reply); });
  for (const auto& h : pruning_hooks)
    runner_.when_asking(h.name, [this](const hooks::hook_run& run, hooks::protocol::Reply::Builder reply) {
      prune(world_, run, reply);
      if (!is_for_task(*run.request) && world_.trouble(world_.o.hook_trouble)) refuse(reply);
    });
  runner_.when_asking(recipe.name, [this](const hooks::hook_run& run, hooks::protocol::Reply::Builder reply) {
    if (!is_for_task(*run.request) && !keep(keep_select_of(world_.o.start), run, reply)) refuse(reply);
  });
}

void drawn_hooks::process_started(const life& alive) {
  runner_.use_scheduler([this, alive](std::function<void()> work) {
    const bool late = world_.trouble(world_.o.hook_trouble);
    const std::int64_t most = world_.o.start.hosts > 0 ? 2 * second : 10'000'000;
    world_.at(world_.clock.now + (late ? world_.pick_ns(second, 30 * second) : world_.pick_ns(0, most)), alive, std::move(work));
  });
}

void drawn_hooks::refuse(hooks::protocol::Reply::Builder reply) {
  using verdict = hooks::protocol::Verdict;
  const verdict bad[] = {verdict::REJECT, verdict::ERROR, verdict::ALARM};
  reply.setVerdict(bad[world_.random() % 3]);
  reply.setMessage("not now");
}

void drawn_hooks::answer(hooks::protocol::Request::Reader asked, hooks::protocol::Reply::Builder reply) {
  if (world_.trouble(world_.o.hook_trouble)) return refuse(reply);
  const auto* event = hooks::find_event(asked.getEvent());
  const std::string name = event->name;
  const auto drawn = std::to_string(world_.random() % 1000);
  if (name == "queuejob" || name == "postqueuejob" || name == "execjob_begin") {
    const auto job = job_of(asked);
    if (name == "execjob_begin") change(reply.initChanges(1)[0], "job", job, "Execution_Time", drawn);  // long past: no job waits
    else change(reply.initChanges(1)[0], "job", job, "project", "p" + drawn);
  } else if (name == "execjob_prologue" || name == "execjob_epilogue") {
    auto used = reply.initChanges(1)[0];
    change(used, "job", job_of(asked), "resources_used", std::to_string(accelerators_of_hooks));
    used.setResource("naccelerators");
  } else if (name == "runjob") {
    change(reply.initChanges(1)[0], "job", job_of(asked), "Variable_List", "DRAWN=" + drawn);
  } else if (name == "periodic" || name == "exechost_periodic") {
    change(reply.initChanges(1)[0], "vnode_list", "n1", "comment", "seen " + drawn);
  }
}

// -- the administrator ---------------------------------------------------------------------------------------------------

hook_set_up::hook_set_up(const options& wanted) {
  for (const auto& h : hooks_of(wanted)) {
    requests_.push_back(schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(schema::ObjectKind::HOOK);
      m.setName(h.name);
      auto list = m.initChanges(h.freq ? 2 : 1);
      list[0].setName("event");
      list[0].setValue(h.events);
      if (!h.freq) return;
      list[1].setName("freq");
      list[1].setValue(h.freq);
    }));
    requests_.push_back(schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::IMPORT);
      m.setKind(schema::ObjectKind::HOOK);
      m.setName(h.name);
      m.setContentType(std::string(model::python_content));
      m.setContent({reinterpret_cast<const kj::byte*>("pass\n"), 5});
    }));
  }
}

const schema::sealed<schema::Request>* hook_set_up::next_to_send(std::uint64_t id) {
  if (done() || asked_ != 0) return nullptr;
  asked_ = id;
  sent_ = schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(id);
    r.setManage(requests_[next_].get().getManage());
  });
  return &sent_;
}

// Refused: it was there already, a management hook did not want it (then it is missing), or the disk was full.
bool hook_set_up::on_reply(std::uint64_t id) {
  if (id != asked_ || id == 0) return false;
  asked_ = 0;
  ++next_;
  return true;
}

// -- checks --------------------------------------------------------------------------------------------------------------

namespace {

struct hook_checks {
  std::map<std::uint64_t, model::hook_state> hooks;                    // by stream
  std::map<std::string, std::set<std::uint64_t>> vnodes;               // host stream by vnode
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> owed;         // event, hook -> looks
  std::map<std::uint64_t, const char*> events;                         // that were looked at
  std::set<std::tuple<std::uint64_t, std::string, std::string>> done;  // cause, hook, stream: of what was wanted
  std::set<std::pair<std::uint64_t, std::uint64_t>> periods;           // cause, hook: of periodic runs
  std::set<std::pair<std::string, std::uint64_t>> reports;             // of MoMs: host, position
  std::string fault;

  void see(const log::record& r) {
    const auto e = r.event();
    const auto stream = r.get().getStream();
    const auto cause = r.get().getCause();
    const auto at = " at sequence " + std::to_string(r.sequence());
    for (auto run : r.get().getHooks()) see_run(run, r, at);
    if (schema::is(e, schema::HookEvent::RAN)) {
      const auto ran = e.getHook().getRan();
      if (ran.getPosition() != 0 && !reports.emplace(schema::str(ran.getHost()), ran.getPosition()).second)
        fault = "a report of a MoM is written twice" + at;
      if (ran.getRun().getEvent() == "periodic") see_periodic(cause, stream, at);
      else if (cause != 0 && --owed[{cause, stream}] < 0) fault = "a look was written twice" + at;
    }
    if (r.kind() == schema::StreamKind::HOOK) {
      model::apply(hooks[stream], {r.sequence(), stream, r.get().getStreamVersion(), r.get().getWallNs(), {}}, e);
      return;
    }
    if (schema::is(e, schema::HostEvent::VNODE_CREATED)) vnodes[schema::str(e.getHost().getVnodeCreated().getName())] = {stream};
    const auto look = model::look_at(e);
    if (!look) return;
    events[r.sequence()] = look->event;
    const bool of_vnodes = look->of == model::look::kind::vnodes;
    int subjects = of_vnodes ? 0 : 1;
    for (const auto& [vnode, host] : vnodes)
      subjects += of_vnodes && host.contains(stream) && (look->vnode.empty() || look->vnode == vnode);
    for (const auto& [serial, hook] : hooks)
      if (hook.runs_at(look->event)) owed[{r.sequence(), serial}] += subjects;
  }

  void see_periodic(std::uint64_t cause, std::uint64_t hook, const std::string& at) {
    if (cause == 0) fault = "a periodic run has no cause" + at;
    else if (!periods.emplace(cause, hook).second) fault = "a periodic run is written twice" + at;
  }

  void see_run(schema::HookRun::Reader run, const log::record& r, const std::string& at) {
    const auto event = schema::str(run.getEvent());
    const bool asks = event == "queuejob" || event == "modifyjob" || event == "movejob" || event == "management" ||
                      (event == "runjob" && schema::is(r.event(), schema::JobEvent::ASSIGNED));
    if (asks && !schema::is(r.event(), schema::HookEvent::RAN) && run.getVerdict() != schema::HookVerdict::ACCEPTED)
      fault = "done although " + event + " was refused" + at;
    const auto cause = r.get().getCause();
    if (cause != 0 && r.get().getStreamVersion() != 0 && !schema::is(r.event(), schema::HookEvent::RAN) &&
        !done.emplace(cause, schema::str(run.getHook()), std::to_string(r.get().getStream())).second)
      fault = "what a hook wanted is done twice" + at;
  }
};

}  // namespace

std::set<std::string> steps_with_hooks(const ports::event_store& store) {
  std::set<std::string> events;
  (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    for (auto run : r->get().getHooks()) events.insert(schema::str(run.getEvent()));
    if (schema::is(r->event(), schema::HookEvent::RAN)) events.insert(schema::str(r->event().getHook().getRan().getRun().getEvent()));
    return true;
  });
  return events;
}

std::string check_hooks(const ports::event_store& store) {
  hook_checks c;
  (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    c.see(*r);
    return c.fault.empty();
  });
  if (!c.fault.empty()) return c.fault;
  for (const auto& [look, left] : c.owed)
    if (left != 0)
      return c.hooks[look.second].name + " never looked on at sequence " + std::to_string(look.first) + " (" + c.events[look.first] + ")";
  return "";
}

}  // namespace annals::sim
