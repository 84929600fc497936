#include "tools/audit/replay.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "actors/replica/replica.hpp"
#include "events/attributes/ids.hpp"
#include "events/values/shown_text.hpp"
#include "projections/status/query.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view run_phases[] = {"none", "received", "starting", "started", "ended", "placed", "refused", "left"};
static_assert(std::size(run_phases) == model::run_phase_count);

constexpr std::uint64_t looked_at_once = 10'000;  // records, between which somebody may end it: some milliseconds

std::string_view phase_name(model::run_phase p) { return run_phases[static_cast<std::size_t>(p)]; }

struct vnode_line {
  std::string name, state, jobs;
};

std::vector<vnode_line> vnodes_of(const replayed& state) {
  std::vector<std::pair<const model::vnode_state*, const model::host_state*>> all;
  for (const auto& [serial, host] : state.status.hosts())
    for (const auto& v : host.vnodes) all.emplace_back(&v, &host);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first->order < b.first->order; });
  std::vector<vnode_line> lines;
  for (const auto& [vnode, host] : all) {
    vnode_line line{vnode->name, projections::vnode_state_text(state.status, *host, *vnode), {}};
    if (const auto* use = state.status.holdings().find(vnode->name))
      for (const auto& j : use->jobs) line.jobs += (line.jobs.empty() ? "" : " ") + j.id;
    lines.push_back(std::move(line));
  }
  return lines;
}

// A line without the blanks of columns that stayed empty.
std::string ended(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string counts_text(const projections::status& s) {
  std::string text = std::to_string(s.jobs_of("").total);
  for (const auto& [letter, count] : s.jobs_of("").by_state)
    if (count > 0) text += "  " + std::string(1, letter) + ":" + std::to_string(count);
  return text;
}

}  // namespace

void take_in(const log::record& r, replayed& into) {
  if (r.kind() == schema::StreamKind::RUN) model::apply(into.runs[r.get().getStream()], place_of(r), r.event());
  else into.status.fold(r);
  into.sequence = r.sequence();
  into.wall_ns = r.get().getWallNs();
}

ports::store_status replay(const log::log_reader& reader, std::uint64_t until, replayed& into, const std::function<bool()>& go_on) {
  actors::replica all;
  all.add_first_lane({"state", [&](const log::record& r) { take_in(r, into); }, {}, {}});
  ports::store_status read;
  for (std::uint64_t up_to = 0; read && up_to < until && go_on();) {
    up_to += std::min(until - up_to, looked_at_once);
    read = all.catch_up(reader, {}, up_to);
  }
  return read;
}

std::string digest(const replayed& state) {
  std::string all;
  const auto add = [&](std::string_view kind, std::string_view name, std::string_view value) {
    for (const auto part : {kind, name, value}) all += std::to_string(part.size()) + ":" + std::string(part);
  };
  const auto& s = state.status;
  if (s.server().exists) add("server", s.server().server_name, projections::server_row(s).packed());
  for (const auto& [name, q] : s.queues()) add("queue", name, projections::queue_row(s, q).packed());
  for (const auto& [serial, host] : s.hosts())
    for (const auto& v : host.vnodes) add("vnode", v.name, projections::vnode_row(s, host, v).packed());
  for (const auto& [name, sched] : s.schedulers()) add("scheduler", name, sched.attributes.packed());
  s.each_stream([&](const model::job_state& job) {
    add("job", job.id, s.shown(job).packed());
    return true;
  });
  for (const auto& [stream, run] : state.runs)
    add("run", values::print(run.key()), std::string(phase_name(run.phase)) + " " + std::to_string(run.exit_status));
  const auto hash = log::content_hash(std::as_bytes(std::span(all)));
  return hex(std::as_bytes(std::span(hash)));
}

std::string replay_text(const replayed& state) {
  const auto& s = state.status;
  std::string text = "at #" + std::to_string(state.sequence);
  if (state.sequence > 0) text += ", " + time_text(state.wall_ns);
  text += "\n";
  if (s.server().exists) text += "server  " + harmless(s.server().server_name) + "\n";
  for (const auto& [name, q] : s.queues()) text += ended("queue   " + padded(harmless(name), 16) + "  " + s.jobs_of(name).text());
  for (const auto& v : vnodes_of(state))
    text += ended("vnode   " + padded(harmless(v.name), 16) + "  " + padded(v.state, 16) + "  " + v.jobs);
  s.each_stream([&](const model::job_state& job) {
    const auto comment = s.shown(job, attributes::job::comment);
    text += ended("job     " + padded(job.id, 16) + "  " + std::string(1, model::state_letter(job)) + "  " +
                  padded(harmless(job.owner_name()), 12) + "  " + padded(harmless(job.queue()), 12) + "  " + harmless(comment));
    return true;
  });
  for (const auto& [stream, run] : state.runs)
    text += "run     " + padded(harmless(values::print(run.key())), 16) + "  " + padded(std::string(phase_name(run.phase)), 8) +
            "  exit status " + std::to_string(run.exit_status) + "\n";
  if (s.server().exists)
    text += "jobs    " + counts_text(s) + "\nvnodes  " + std::to_string(vnodes_of(state).size()) + "\n";
  else
    text += "runs    " + std::to_string(state.runs.size()) + "\n";
  return text + "digest  " + digest(state) + "\n";
}

std::string replay_json(const replayed& state) {
  json out;
  out["sequence"] = state.sequence;
  out["wallNs"] = state.wall_ns;
  out["digest"] = digest(state);
  out["jobs"] = json::array();
  state.status.each_stream([&](const model::job_state& job) {
    out["jobs"].push_back(
        {{"id", job.id}, {"state", std::string(1, model::state_letter(job))}, {"owner", job.owner()}, {"queue", job.queue()}});
    return true;
  });
  out["vnodes"] = json::array();
  for (const auto& v : vnodes_of(state)) out["vnodes"].push_back({{"name", v.name}, {"state", v.state}, {"jobs", v.jobs}});
  out["runs"] = json::array();
  for (const auto& [stream, run] : state.runs)
    out["runs"].push_back({{"run", values::print(run.key())}, {"phase", phase_name(run.phase)}, {"exitStatus", run.exit_status}});
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace annals::audit
