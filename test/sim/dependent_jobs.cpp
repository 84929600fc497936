#include "test/sim/dependent_jobs.hpp"

#include <algorithm>

#include "events/log/log_reader.hpp"
#include "events/values/dependency.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

namespace {

using values::dependency;
using values::dependency_type;

struct job {
  std::string id;
  std::vector<dependency> depend;
  bool begun = false, over = false, forgotten = false, has_status = false;
  int status = 0;
};

class story {
 public:
  std::map<std::string, int> happened;

  std::string take(const log::record& r) {
    const auto event = r.event().getJob();
    auto& j = jobs_[r.get().getStream()];
    if (event.isQueued()) {
      j.id = schema::str(event.getQueued().getId());
      serial_[j.id] = r.get().getStream();
      for (auto a : event.getQueued().getAttributes())
        if (a.getName() == "depend") j.depend = values::parse_dependencies(schema::text(a.getValue())).value_or(j.depend);
    }
    if (event.isAltered())
      for (auto c : event.getAltered().getChanges())
        if (c.getName() == "depend")
          if (auto fault = change(j, c.getOp(), schema::text(c.getValue())); !fault.empty()) return fault;
    if (event.isAssigned()) {
      if (const auto fault = assigned(j); !fault.empty()) return fault;
      j.begun = true;
    }
    if (event.isRequeued()) runs_.erase(j.id);
    if (event.isForgotten()) j.forgotten = true;
    if (event.isEnded()) return ended(j, event.getEnded());
    return {};
  }

 private:
  const job* find(const dependency& d) const {
    const auto at = serial_.find(d.job.substr(0, d.job.find('@')));
    return at == serial_.end() ? nullptr : &jobs_.at(at->second);
  }
  bool is_met(const dependency& d) const {
    const auto* other = find(d);
    if (!other) return false;
    const bool good = other->has_status && other->status == 0;
    switch (d.type) {
      case dependency_type::after: return other->begun;
      case dependency_type::afterok: return other->over && good;
      case dependency_type::afternotok: return other->over && !good;
      default: return other->over;
    }
  }

  bool has_failed(const dependency& d) const {
    const auto* other = find(d);
    if (!other || other->forgotten) return true;
    return d.type == dependency_type::runone ? other->over || has_run_beside(*other) : !is_met(d);
  }
  // Two of a set may have run before they came together: then the set has run, though one of them has not ended.
  bool has_run_beside(const job& j) const {
    return std::any_of(j.depend.begin(), j.depend.end(), [&](const dependency& d) {
      const auto* other = d.type == dependency_type::runone ? find(d) : nullptr;
      return other && other->over;
    });
  }

  std::string change(job& j, schema::AttributeOp op, std::string_view text) {
    const auto d = values::parse_dependencies(text).value_or(std::vector<dependency>(1)).front();
    if (op == schema::AttributeOp::INCREMENT && !values::is_before(d.type)) j.depend.push_back(d);
    if (op != schema::AttributeOp::DECREMENT) return {};
    if (std::erase(j.depend, d) == 0) return j.id + " was set free of " + d.job + ", for which it did not wait";
    if (d.type != dependency_type::runone && !is_met(d)) return j.id + " was set free too early of " + std::string(text);
    ++happened["set free"];
    return {};
  }

  std::string assigned(const job& j) {
    for (const auto& d : j.depend) {
      if (values::is_after(d.type)) return j.id + " runs, and waits for " + d.job;
      if (d.type != dependency_type::runone) continue;
      if (const auto* other = find(d); other && (other->has_status || (other->begun && !other->over && runs_.contains(other->id))))
        return j.id + " runs beside " + other->id + " of its set";
      ++happened["one of a set"];
    }
    runs_.insert(j.id);
    return {};
  }

  std::string ended(job& j, schema::JobEnded::Reader e) {
    j.over = true;
    j.has_status = e.getHasExitStatus();
    j.status = e.getExitStatus();
    runs_.erase(j.id);
    if (e.getReason().size() == 0) return {};
    ++happened["deleted"];
    const auto reason = schema::str(e.getReason());
    const auto named = reason.substr(reason.rfind(' ') + 1);
    for (const auto& d : j.depend)
      if (d.job.starts_with(named + "@") && has_failed(d)) return {};
    std::string waits;
    for (const auto& d : j.depend)
      waits += " " + values::print(std::vector<dependency>{d}) + (is_met(d) ? " (met)" : has_failed(d) ? " (failed)"
                                                                                                       : "");
    return j.id + " was deleted without reason: " + reason + "; it waits for:" + waits;
  }

  std::map<std::uint64_t, job> jobs_;  // by serial
  std::map<std::string, std::uint64_t> serial_;
  std::set<std::string> runs_;
};

}  // namespace

std::vector<asked_value> drawn_dependencies(world& w, const std::vector<std::string>& jobs) {
  if (jobs.empty()) return {};
  static constexpr const char* types[] = {"after", "afterok", "afternotok", "afterany", "runone"};
  if (w.o.fan) return {{"depend", "", std::string(types[w.random() % 4]) + ":" + jobs.front()}};
  std::string text;
  for (auto left = 1 + w.random() % 2; left > 0; --left)
    text += (text.empty() ? "" : ",") + std::string(types[w.random() % std::size(types)]) + ":" + jobs[w.random() % jobs.size()];
  return {{"depend", "", text}};
}

std::string check_dependencies(ports::record_log& store, std::map<std::string, int>& happened) {
  story s;
  std::string fault;
  log::log_reader reader(store);
  (void)reader.read(1, [&](const log::record_ptr& r) {
    if (r->event().isJob()) fault = s.take(*r);
    return fault.empty();
  });
  happened = s.happened;
  return fault;
}

}  // namespace annals::sim
