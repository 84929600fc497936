// Jobs that wait for others (-W depend). What a job waits for stands in its `depend` and is its system hold; who waits for it is told to
// it. What becomes of other jobs a job's rules can't know: the reaction `dependencies` tells it. Source: pbs guide, qsub, "depend".
// Governed by docs/design/0054-dependencies.md.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "events/attributes/ids.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/small_message.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/job_id.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;
using values::dependency;
using values::dependency_type;

namespace {

using dependencies = std::vector<dependency>;

dependencies parsed(std::string_view depend) { return values::parse_dependencies(depend).value_or(dependencies()); }

bool has(const dependencies& all, const dependency& d) { return std::find(all.begin(), all.end(), d) != all.end(); }

bool is_ours(const std::string& server, std::string_view name) {
  return server.empty() || values::id_for("1." + server, name).has_value();
}

// A full id: "12.borg@borg".
std::optional<std::string> full_target(std::string_view text, std::string_view server) {
  auto id = values::parse_job_id(text);
  if (!id || !is_ours(id->server, server) || !is_ours(id->at, server)) return std::nullopt;
  id->server = server;
  return values::print(*id) + "@" + std::string(server);
}

bool waits(const dependency& d) { return values::is_after(d.type) || d.type == dependency_type::on; }
bool any_waits(const dependencies& all) { return std::any_of(all.begin(), all.end(), waits); }

void take_away(dependencies& from, const dependency& what) {
  if (what.type != dependency_type::on) {
    std::erase(from, what);
    return;
  }
  const auto on = std::find_if(from.begin(), from.end(), [](const auto& d) { return d.type == dependency_type::on; });
  if (on == from.end()) return;
  if (on->count > what.count) on->count -= what.count;
  else from.erase(on);
}

using one_change = std::pair<schema::AttributeOp, dependency>;

// What changes in `depend`, which is `left` as yet, and the hold that goes with what is left of it then.
event changed(const job_state& job, dependencies left, const std::vector<one_change>& changes) {
  const bool held = (job.holds & values::hold_set::system) != 0 && any_waits(left);
  for (const auto& [op, d] : changes) {
    if (op == schema::AttributeOp::DECREMENT) take_away(left, d);
    else if (!values::is_before(d.type)) left.push_back(d);
  }
  const bool set_free = held && !any_waits(left);
  return schema::make_small<schema::Event>([&](schema::Event::Builder e) {
    auto list = e.initJob().initAltered().initChanges(static_cast<unsigned>(changes.size() + set_free));
    for (unsigned i = 0; i < changes.size(); ++i) {
      list[i].setName("depend");
      list[i].setValue(values::print({changes[i].second}));
      list[i].setOp(changes[i].first);
      list[i].setDerived(true);
    }
    if (!set_free) return;
    auto hold = list[static_cast<unsigned>(changes.size())];
    hold.setName("Hold_Types");
    hold.setValue(values::print(values::hold_set{static_cast<std::uint8_t>(job.holds & ~values::hold_set::system)}));
    hold.setDerived(true);
  });
}

outcome decide_counted(const job_state& job, const dependency& other) {
  auto own = parsed(job.attribute(ids::depend));
  const bool counts = std::any_of(own.begin(), own.end(), [](const auto& d) { return d.type == dependency_type::on; });
  if (!counts || has(own, other)) return no_change;
  return std::vector{changed(job, std::move(own),
                             {{schema::AttributeOp::DECREMENT, {dependency_type::on, {}, 1}}, {schema::AttributeOp::INCREMENT, other}})};
}

// pbs guide: substate 92.
outcome abort_for(const job_state& job, const std::string& reason, const settings& settings) {
  std::vector<event> out;
  end_by_server(job, 92, reason, settings, out);
  return out;
}

// While another one of its set runs; a hold that is there, for whatever reason, is enough.
outcome decide_held(const job_state& job, bool held) {
  constexpr auto system = values::hold_set::system;
  if (held == ((job.holds & system) != 0) || (!held && waits_for_others(job.attribute(ids::depend)))) return no_change;
  return std::vector{make_event([&](auto e) {
    auto change = held ? e.initJob().initHeld() : e.initJob().initReleased();
    change.initHolds(1).set(0, schema::HoldType::SYSTEM);
  })};
}

std::string id_of(const dependency& d) { return d.job.substr(0, d.job.find('@')); }

}  // namespace

values::result<std::string, rejection> depend_for(std::string_view asked, const settings& settings) {
  auto all = values::parse_dependencies(asked);
  if (!all) return refuse(pbs_error::bad_value, std::string(values::pbs_error_text(pbs_error::bad_value)) + " depend");
  dependencies full;
  std::set<std::tuple<dependency_type, std::string, std::uint32_t>> known;
  for (auto& d : *all) {
    if (d.type != dependency_type::on) {
      const auto target = full_target(d.job, settings.server_name);
      if (!target) return refuse(pbs_error::bad_host);
      d.job = *target;
    }
    if (known.emplace(d.type, d.job, d.count).second) full.push_back(std::move(d));
  }
  return values::print(full);
}

// Every event of a job asks this, and its ids may be many: only the words before them are looked at.
bool waits_for_others(std::string_view depend) {
  return std::ranges::any_of(values::split_quoted(depend), [](std::string_view entry) {
    const auto type = entry.substr(0, entry.find(':'));
    return type.starts_with(values::name_of(dependency_type::after)) || type == values::name_of(dependency_type::on);
  });
}

bool held_for_others(const job_state& job) {
  return (job.holds & values::hold_set::system) != 0 && waits_for_others(job.attribute(ids::depend));
}

std::string shown_depend(const job_state& job) {
  const auto own = job.attribute(ids::depend);
  if (job.dependents.empty()) return std::string(own);
  auto all = parsed(own);
  std::set<std::pair<dependency_type, std::string_view>> shown;
  for (const auto& d : job.dependents)
    if (shown.emplace(d.type, d.job).second) all.push_back(d);
  return values::print(all);
}

void change_depend(job_state& job, schema::Attribute::Reader change) {
  const auto one = parsed(schema::text(change.getValue()));
  ANNALS_INVARIANT(one.size() == 1, "dependencies come and go one by one");
  const bool comes = change.getOp() == schema::AttributeOp::INCREMENT;
  if (values::is_before(one.front().type)) {  // this job's own came with its submission
    if (comes) job.dependents.push_back(one.front());
    return;
  }
  auto own = parsed(job.attribute(ids::depend));
  if (comes) own.push_back(one.front());
  else take_away(own, one.front());
  if (own.empty()) job.attributes.erase(ids::depend);
  else job.attributes.set(ids::depend, values::print(own));
}

outcome decide_dependency(const job_state& job, const dependency_told& told, const settings& settings) {
  using what = dependency_told::what;
  if (job.phase == job_phase::none || job.ended()) return no_change;
  const bool runs = job.phase > job_phase::waiting;
  const bool was_run = runs || (job.array && !job.array->began.empty());  // what is left of an array goes on waiting
  const auto& other = told.other;
  switch (told.is) {
    case what::dependent: {  // who waits may say so twice (qalter): it is shown once, so nobody has to look through all of them here
      if (values::is_before(other.type)) return std::vector{changed(job, {}, {{schema::AttributeOp::INCREMENT, other}})};
      auto own = parsed(job.attribute(ids::depend));
      if (other.type == dependency_type::runone && has(own, other)) return no_change;
      return std::vector{changed(job, std::move(own), {{schema::AttributeOp::INCREMENT, other}})};
    }
    case what::counted: return was_run ? no_change : decide_counted(job, other);
    case what::held: return was_run ? no_change : decide_held(job, true);
    case what::freed: return job.phase == job_phase::exiting ? refuse(pbs_error::bad_state) : decide_held(job, false);
    case what::met:
    case what::failed:
    case what::unknown: break;
  }
  const bool forgets = told.is == what::met && other.type == dependency_type::runone;  // who of its set is gone, also while it runs
  if (!forgets && (told.is == what::met ? runs : was_run)) return no_change;
  auto own = parsed(job.attribute(ids::depend));
  if (!has(own, other)) return no_change;
  if (told.is == what::met) return std::vector{changed(job, std::move(own), {{schema::AttributeOp::DECREMENT, other}})};
  return abort_for(job,
                   (told.is == what::failed ? "Job deleted as result of dependency on job " : "Dependency request for job rejected by ") +
                       id_of(other),
                   settings);
}

}  // namespace annals::model
