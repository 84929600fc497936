// What may happen to a scheduler object, and what it means.
#include <algorithm>
#include <functional>
#include <optional>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/model/scheduler/directories.hpp"
#include "events/model/scheduler/places.hpp"
#include "events/model/scheduler/scheduler.hpp"

namespace annals::model {

namespace ids = attributes::scheduler;
namespace pbs_error = values::pbs_error;
using which = schema::SchedulerEvent::Which;

namespace {

std::string first_priv(const std::string& name, const settings& settings) { return settings.home + "/sched_priv_" + name; }
std::string first_log(const std::string& name, const settings& settings) { return settings.home + "/sched_log_" + name; }

// A new scheduler begins with the defaults of its table; what the request says comes after them and wins.
schema::sealed<schema::Manage> with_defaults(schema::Manage::Reader m, const settings& settings) {
  std::vector<std::pair<std::string, std::string>> defaults;
  for (const auto& row : attributes::table_of(schema::ObjectKind::SCHEDULER))
    if (*row.default_value != '\0' && row.set_by != attributes::setter::nobody && row.set_by != attributes::setter::internal)
      defaults.emplace_back(row.name, row.default_value);
  defaults.emplace_back("sched_priv", first_priv(schema::str(m.getName()), settings));
  defaults.emplace_back("sched_log", first_log(schema::str(m.getName()), settings));
  return schema::make<schema::Manage>([&](schema::Manage::Builder b) {
    b.setVerb(m.getVerb());
    b.setKind(m.getKind());
    b.setName(m.getName());
    const auto n = static_cast<unsigned>(defaults.size());
    auto all = b.initChanges(n + m.getChanges().size());
    for (unsigned i = 0; i < n; ++i) {
      all[i].setName(defaults[i].first);
      all[i].setValue(defaults[i].second);
    }
    for (unsigned i = 0; i < m.getChanges().size(); ++i) all.setWithCaveats(n + i, m.getChanges()[i]);
  });
}

std::string_view comment_of(const scheduler_state& scheduler) { return scheduler.attributes.get(ids::comment).value_or(""); }

event comment_event(std::string_view comment) {
  return make_event([&](auto e) {
    auto change = e.initScheduler().initChanged().initChanges(1)[0];
    change.setName("comment");
    change.setValue(std::string(comment));
    if (comment.empty()) change.setOp(schema::AttributeOp::UNSET);
  });
}

// Its directories are named after it.
bool is_scheduler_name(std::string_view name) {
  const auto fits = [](char c) { return c != '/' && static_cast<unsigned char>(c) > ' ' && c != 0x7f; };
  return !name.empty() && std::ranges::all_of(name, fits);
}

// What qmgr may not change of the default scheduler (MS-47, MS-48). Unsetting one is taken, as by PBS, and leaves it as it is.
bool is_fixed_for_default(schema::Attribute::Reader change) {
  const auto* row = attributes::find(schema::ObjectKind::SCHEDULER, schema::text(change.getName()));
  if (!row) return false;
  for (const auto id : {ids::sched_host, ids::sched_port, ids::sched_priv, ids::sched_log, ids::partition})
    if (row->id == id) return true;
  return false;
}

using first_value = std::function<std::optional<std::string>(attributes::attribute_id)>;

// Returns the request with the first value in place of each that is unset or set to an empty text.
schema::sealed<schema::Manage> with_first_values(schema::Manage::Reader m, const first_value& first) {
  return schema::make<schema::Manage>([&](schema::Manage::Builder b) {
    b.setVerb(m.getVerb());
    b.setKind(m.getKind());
    b.setName(m.getName());
    b.setChanges(m.getChanges());
    for (auto c : b.getChanges()) {
      const auto* row = attributes::find(schema::ObjectKind::SCHEDULER, schema::text(c.asReader().getName()));
      const bool is_no_text = row && row->type == attributes::value_type::string && c.asReader().getValue().size() == 0;
      const bool is_emptied = c.getOp() == schema::AttributeOp::UNSET || (c.getOp() == schema::AttributeOp::SET && is_no_text);
      const auto value = row && is_emptied ? first(row->id) : std::nullopt;
      if (!value) continue;
      c.setOp(schema::AttributeOp::SET);
      c.setValue(*value);
    }
  });
}

// What is fixed may be set to what it is, as `print` says it.
outcome decide_change_of_default(const scheduler_state& scheduler, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  const bool may = now.by.is_manager() && now.by.role != schema::Role::SERVER;
  if (may && m.getVerb() == schema::ManageVerb::SET)
    for (auto c : m.getChanges()) {
      if (!is_fixed_for_default(c)) continue;
      const auto id = attributes::find(schema::ObjectKind::SCHEDULER, schema::text(c.getName()))->id;
      if (c.getOp() != schema::AttributeOp::SET || scheduler.attributes.get(id) != schema::text(c.getValue()))
        return refuse(pbs_error::not_on_default_scheduler);
    }
  // It begins with scheduling = True, others with False.
  const auto whole =
      with_first_values(m, [](auto id) { return id == ids::scheduling ? std::optional<std::string>("True") : std::nullopt; });
  const auto rest = only_changes(*whole, [&](schema::Attribute::Reader c) { return !may || !is_fixed_for_default(c); });
  return changed_or_refused(schema::ObjectKind::SCHEDULER, scheduler.attributes, *rest, now.by, settings.resources);
}

outcome decide_set(const scheduler_state& scheduler, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  if (scheduler.name == "default") return decide_change_of_default(scheduler, m, now, settings);
  // Without a directory it could not be started. PBS gives it the first one again.
  const auto whole = with_first_values(m, [&](auto id) -> std::optional<std::string> {
    if (id == ids::sched_priv) return first_priv(scheduler.name, settings);
    if (id == ids::sched_log) return first_log(scheduler.name, settings);
    return std::nullopt;
  });
  return changed_or_refused(schema::ObjectKind::SCHEDULER, scheduler.attributes, *whole, now.by, settings.resources);
}

// Whoever turns scheduling on has done something about what the start found.
bool ends_finding(const scheduler_state& scheduler, capnp::List<schema::Attribute>::Reader changes) {
  bool turned_on = false;
  for (auto c : changes) {
    if (schema::text(c.getName()) == "comment") return false;
    if (schema::text(c.getName()) == "scheduling")
      turned_on = c.getOp() == schema::AttributeOp::SET && schema::text(c.getValue()) == "True";
  }
  return turned_on && scheduler.found_unfit && is_comment_on_directories(comment_of(scheduler));
}

outcome decide_set_and_comment(const scheduler_state& scheduler, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  auto set = decide_set(scheduler, m, now, settings);
  if (!set.accepted() || set.events().empty()) return set;
  if (ends_finding(scheduler, set.events().front().get().getScheduler().getChanged().getChanges()))
    set.events().push_back(comment_event(""));
  return set;
}

outcome decide_manage(const scheduler_state& scheduler, schema::Manage::Reader m, const stamp& now, const settings& settings) {
  const auto name = schema::str(m.getName());
  switch (m.getVerb()) {
    case schema::ManageVerb::CREATE: {
      if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
      if (scheduler.exists) return refuse(pbs_error::scheduler_exists);
      if (!is_scheduler_name(name)) return refuse(pbs_error::invalid_object_name);
      if (name.size() > limits::queue_name_chars_max) return refuse(pbs_error::scheduler_name_too_long);
      if (auto asked = changed_or_refused(schema::ObjectKind::SCHEDULER, scheduler.attributes, m, now.by, settings.resources);
          !asked.accepted())
        return asked;
      // Its directories below PBS_HOME are nobody's choice.
      const requester server{now.by.user, now.by.host, schema::Role::SERVER};
      const auto completed = with_defaults(m, settings);
      auto changed = changed_or_refused(schema::ObjectKind::SCHEDULER, scheduler.attributes, *completed, server, settings.resources);
      if (!changed.accepted()) return changed;
      std::vector<event> out{make_event([&](auto e) { e.initScheduler().initCreated().setName(name); })};
      for (auto& e : changed.events()) out.push_back(std::move(e));
      return out;
    }
    case schema::ManageVerb::DELETE:
      if (!scheduler.exists) return refuse(pbs_error::unknown_scheduler);
      if (!now.by.is_manager()) return refuse(pbs_error::unauthorized);
      if (scheduler.name == "default") return refuse(pbs_error::cannot_delete_scheduler);
      return std::vector<event>{make_event([&](auto e) { e.initScheduler().initDeleted().setName(name); })};
    case schema::ManageVerb::SET:
    case schema::ManageVerb::UNSET:
      if (!scheduler.exists) return refuse(pbs_error::unknown_scheduler);
      return decide_set_and_comment(scheduler, m, now, settings);
    case schema::ManageVerb::IMPORT: break;
  }
  return refuse(pbs_error::invalid_request);
}

// The cycle that it is in, with what programs have told for it.
bool completes_cycle(const scheduler_state& scheduler, schema::CycleBegan::Reader began) {
  return scheduler.in_cycle && began.getNumber() == scheduler.cycle && began.getDynamic().size() > 0;
}

outcome decide_said(const scheduler_state& scheduler, schema::FromScheduler::Reader m) {
  switch (m.which()) {
    case schema::FromScheduler::CYCLE_BEGAN:
      if (m.getCycleBegan().getNumber() <= scheduler.cycle && !completes_cycle(scheduler, m.getCycleBegan())) return no_change;  // a repeat
      return std::vector<event>{make_event([&](auto e) { e.initScheduler().setCycleBegan(m.getCycleBegan()); })};
    case schema::FromScheduler::REASONS:
      return std::vector<event>{make_event([&](auto e) { e.initScheduler().setCycleReasons(m.getReasons()); })};
    case schema::FromScheduler::CYCLE_ENDED:
      if (!scheduler.in_cycle || m.getCycleEnded().getNumber() != scheduler.cycle) return no_change;
      return std::vector<event>{make_event([&](auto e) { e.initScheduler().setCycleEnded(m.getCycleEnded()); })};
    case schema::FromScheduler::DIRECTORIES: return decide_directories(scheduler, m.getDirectories());
    case schema::FromScheduler::FAIRSHARE: return decide_fairshare_policy(scheduler.fairshare, m.getFairshare());
    default: return no_change;
  }
}

event proposal_event(const proposal_refused& refused) {
  const auto run = refused.proposal.get().getRun();
  return make_event([&](auto e) {
    auto r = e.initScheduler().initProposalRefused();
    r.setJob(run.getJob());
    r.setCycle(run.getCycle());
    r.setReason(refused.why);
    r.setExecVnode(run.getExecVnode());
  });
}

outcome decide_came(const scheduler_state& scheduler, const scheduler_came& came, const settings& settings) {
  if (!scheduler.exists) return refuse(pbs_error::unknown_scheduler);
  if (!may_come_from(scheduler, came.host, settings.host_name)) return refuse(pbs_error::scheduler_connected);
  std::vector<event> out{make_event([&](auto e) {
    auto s = e.initScheduler().initStarted();
    s.setHost(came.host);
    s.setVersion(came.version);
    s.setPid(came.pid);
    s.setPort(came.port);
  })};
  if (comment_of(scheduler) == no_partition && !lacks_partition(scheduler)) out.push_back(comment_event(""));
  return out;
}

outcome decide_not_started(const scheduler_state& scheduler, const scheduler_not_started& failed) {
  if (!scheduler.exists) return no_change;
  std::vector<event> out{make_event([&](auto e) { e.initScheduler().initStartFailed().setText(failed.text); })};
  if (lacks_partition(scheduler) && comment_of(scheduler).empty()) out.push_back(comment_event(no_partition));
  if (!failed.trouble.empty())
    out.push_back(make_event([&](auto e) {
      auto changes = e.initScheduler().initChanged().initChanges(2);
      changes[0].setName("comment");
      changes[0].setValue(failed.trouble);
      changes[1].setName("scheduling");
      changes[1].setValue("False");
    }));
  return out;
}

outcome decide_gone(const scheduler_state& scheduler, const scheduler_gone& gone) {
  std::vector<event> out{make_event([&](auto e) { e.initScheduler().initStopped().setText(gone.why); })};
  if (lacks_partition(scheduler) && comment_of(scheduler).empty()) out.push_back(comment_event(no_partition));
  return out;
}

}  // namespace

std::string_view placed_partition(const scheduler_state& scheduler) {
  if (!scheduler.exists || scheduler.name == default_scheduler) return {};
  return scheduler.attributes.get(ids::partition).value_or("");
}

outcome decide(const scheduler_state& scheduler, const scheduler_command& command, const stamp& now, const settings& settings) {
  struct visitor {
    const scheduler_state& scheduler;
    const stamp& now;
    const model::settings& settings;
    outcome operator()(const schema::sealed<schema::Request>& c) const {
      if (c.get().isManage()) return decide_manage(scheduler, c.get().getManage(), now, settings);
      return scheduler.exists ? decide_fairshare(c.get().getFairshare(), now) : outcome(refuse(pbs_error::unknown_scheduler));
    }
    outcome operator()(const trim_fairshare& c) const {
      return scheduler.exists ? decide_trim(c, now) : outcome(refuse(pbs_error::unknown_scheduler));
    }
    outcome operator()(const scheduler_came& c) const { return decide_came(scheduler, c, settings); }
    outcome operator()(const scheduler_gone& c) const { return scheduler.connected ? decide_gone(scheduler, c) : outcome(no_change); }
    outcome operator()(const scheduler_said& c) const { return decide_said(scheduler, c.message.get()); }
    outcome operator()(const scheduler_not_started& c) const { return decide_not_started(scheduler, c); }
    outcome operator()(const proposal_refused& c) const {
      return scheduler.exists ? outcome(std::vector<event>{proposal_event(c)}) : outcome(no_change);
    }
  };
  return std::visit(visitor{scheduler, now, settings}, command);
}

namespace {

// One that comes from another host than it was set to was started there because that one was out of reach. The default one never is on
// another host (MS-47): it has only been called by another name.
void comes_from(scheduler_state& scheduler, std::string_view host) {
  const auto was_on = scheduler.attributes.get(ids::sched_host).value_or("");
  if (scheduler.name != "default" && !was_on.empty() && !same_host(was_on, host)) scheduler.left_host = was_on;
  scheduler.connected = true;
  scheduler.in_cycle = false;
  scheduler.runs_on = host;
  scheduler.attributes.set(ids::sched_host, host);
}

// A start that failed for its directories leaves a comment on them. Another directory, or scheduling turned on, ends what was found.
void take_finding(scheduler_state& scheduler, capnp::List<schema::Attribute>::Reader changes) {
  for (auto c : changes) {
    const auto name = schema::text(c.getName());
    const auto value = c.getOp() == schema::AttributeOp::UNSET ? std::string_view() : schema::text(c.getValue());
    if (name == "comment") scheduler.found_unfit = scheduler.start_failed && is_comment_on_directories(value);
    if (name == "sched_priv" || name == "sched_log" || (name == "scheduling" && value == "True")) scheduler.found_unfit = false;
  }
}

}  // namespace

void apply(scheduler_state& scheduler, const event_place& at, schema::SchedulerEvent::Reader event) {
  auto state = [&](std::string_view text) { scheduler.attributes.set(ids::state, text); };
  switch (event.which()) {
    case which::CREATED:
      ANNALS_INVARIANT(!scheduler.exists, "a scheduler object is created once");
      scheduler.serial = at.stream;
      scheduler.exists = true;
      scheduler.name = schema::str(event.getCreated().getName());
      // What is in no partition belongs to the default scheduler; nobody may give this name to another (15228).
      if (scheduler.name == "default") scheduler.attributes.set(ids::partition, "pbs-default");
      state("down");
      break;
    case which::CHANGED:
      apply_changes(schema::ObjectKind::SCHEDULER, scheduler.attributes, event.getChanged().getChanges());
      for (auto c : event.getChanged().getChanges()) {
        scheduler.partition_given |= c.getOp() == schema::AttributeOp::SET && schema::text(c.getName()) == "partition";
        if (c.getName() == "sched_host") scheduler.left_host.clear();
      }
      take_finding(scheduler, event.getChanged().getChanges());
      break;
    case which::DELETED: scheduler.exists = false; break;
    case which::STARTED:
      scheduler.start_failed = false;
      comes_from(scheduler, schema::text(event.getStarted().getHost()));
      // The default one needs no port, and shows one only while it was given one.
      if (const auto port = event.getStarted().getPort(); port != 0) scheduler.attributes.set(ids::sched_port, std::to_string(port));
      else if (scheduler.name == "default") scheduler.attributes.erase(ids::sched_port);
      state("idle");
      break;
    case which::STOPPED:
      scheduler.connected = scheduler.in_cycle = false;
      state("down");
      break;
    case which::CYCLE_BEGAN:
      scheduler.cycle = event.getCycleBegan().getNumber();
      scheduler.in_cycle = true;
      state("scheduling");
      break;
    case which::CYCLE_REASONS:  // told to the jobs' rows by the status projection
    case which::PROPOSAL_REFUSED: break;
    case which::START_FAILED:  // there was no connection, whatever the server that ran before this one knew
      scheduler.connected = scheduler.in_cycle = false;
      scheduler.start_failed = true;
      state("down");
      break;
    case which::FAIRSHARE_POLICY: scheduler.fairshare = read_fairshare_policy(event.getFairsharePolicy()); break;
    case which::FAIRSHARE_SET:  // the fairshare projection counts
    case which::FAIRSHARE_DECAYED:
    case which::FAIRSHARE_TRIMMED: break;
    case which::CYCLE_ENDED:
      scheduler.in_cycle = false;
      state("idle");
      break;
  }
  scheduler.version = at.version;
}

attributes::attribute_set shown_attributes(const scheduler_state& scheduler) {
  auto shown = scheduler.attributes;
  if (!scheduler.partition_given && !shown.has(ids::partition)) shown.set(ids::partition, "None");
  return shown;
}

}  // namespace annals::model
