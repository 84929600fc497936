#include "test/sim/array_checks.hpp"

#include <set>

#include "events/log/log_reader.hpp"
#include "events/values/job_id.hpp"
#include "events/values/job_indices.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

namespace {

struct array {
  std::string id;
  values::index_range indices;
  std::map<std::uint32_t, std::uint64_t> running{};  // index -> stream, until its end or its requeue
  std::set<std::uint32_t> ended{}, deleted{};        // deleted: before they began
  bool is_deleted = false, over = false;
};

class told_of_arrays {
 public:
  std::map<std::string, int> happened;

  std::string take(const log::record& r) {
    const auto stream = r.get().getStream();
    const auto event = r.event().getJob();
    if (event.isQueued()) return queued(stream, event.getQueued());
    if (const auto s = subjobs_.find(stream); s != subjobs_.end()) return of_subjob(stream, s->second, event);
    if (const auto a = arrays_.find(stream); a != arrays_.end()) return of_array(a->second, event);
    return {};
  }
  std::string at_the_end() const {
    for (const auto& [stream, a] : arrays_)
      if (!a.over) return a.id + " has not ended";
    return subjobs_.empty() ? "" : "a subjob is still there, stream " + std::to_string(subjobs_.begin()->first);
  }

 private:
  std::string queued(std::uint64_t stream, schema::JobQueued::Reader e) {
    if (const auto indices = values::parse_index_range(schema::text(e.getIndices()))) {
      arrays_[stream] = {.id = schema::str(e.getId()), .indices = *indices};
      of_number_[e.getNumber()] = stream;
    }
    if (!values::is_subjob(e.getNumber())) return {};
    const auto id = schema::str(e.getId());
    auto& a = arrays_.at(of_number_.at(values::array_of(e.getNumber())));
    const auto index = values::index_of(e.getNumber());
    subjobs_[stream] = e.getNumber();
    if (!announced_.erase({of_number_.at(values::array_of(e.getNumber())), index})) return id + " was born without its array";
    if (!a.running.emplace(index, stream).second) return id + " runs twice at once";
    if (a.ended.contains(index)) return id + " has ended, and runs again though nobody asked";
    ++happened["began"];
    return {};
  }

  std::string of_subjob(std::uint64_t stream, std::uint64_t number, schema::JobEvent::Reader event) {
    auto& a = arrays_.at(of_number_.at(values::array_of(number)));
    const auto index = values::index_of(number);
    if (event.isEnded()) {
      a.ended.insert(index);
      a.running.erase(index);
      ++happened["ended"];
    } else if (event.isRequeued()) {
      ++happened["queued again"];
      a.running.erase(index);
    } else if (event.isForgotten()) {
      subjobs_.erase(stream);
    }
    return {};
  }

  std::string of_array(array& a, schema::JobEvent::Reader event) {
    if (event.isSubjobBegan()) {
      const auto index = event.getSubjobBegan().getIndex();
      if (a.is_deleted || a.deleted.contains(index)) return a.id + ": subjob " + std::to_string(index) + " was deleted, and begins";
      announced_.insert({of_number_.at(values::parse_job_id(a.id)->number), index});
    } else if (event.isSubjobsAsked()) {
      const auto waiting = values::index_set::parse(schema::text(event.getSubjobsAsked().getWaiting()), a.indices);
      if (!waiting) return a.id + ": it was asked of subjobs that can't be read";
      waiting->each([&](std::uint32_t index) { return a.deleted.insert(index).second; });
      happened["deleted before they began"] += static_cast<int>(waiting->count());
    } else if (event.isDeleteRequested()) {
      a.is_deleted = true;
    } else if (event.isEnded()) {
      a.over = true;
      if (!a.running.empty()) return a.id + " has ended, and subjob " + std::to_string(a.running.begin()->first) + " runs";
      for (auto i = a.indices.first; i <= a.indices.last; i += a.indices.step)
        if (!a.is_deleted && !a.ended.contains(i) && !a.deleted.contains(i) && !gone_.contains({a.id, i}))
          return a.id + " has ended, and subjob " + std::to_string(i) + " never did";
    } else if (event.isSubjobLeft() && !event.getSubjobLeft().getRequeued()) {
      gone_.insert({a.id, event.getSubjobLeft().getIndex()});
    }
    return {};
  }

  std::map<std::uint64_t, array> arrays_;                        // by stream
  std::map<std::uint64_t, std::uint64_t> of_number_, subjobs_;   // streams of arrays; numbers of subjobs by stream
  std::set<std::pair<std::uint64_t, std::uint32_t>> announced_;  // begun by the array, not born yet
  std::set<std::pair<std::string, std::uint32_t>> gone_;         // deleted while they were on their way back
};

}  // namespace

std::vector<asked_value> drawn_array(world& w) {
  const auto last = 2 + w.random() % 5;
  std::vector<asked_value> words{{"array_indices_submitted", "", "1-" + std::to_string(last)}};
  if (w.random() % 3 == 0) words.push_back({"max_run_subjobs", "", std::to_string(1 + w.random() % 3)});
  return words;
}

std::string drawn_part(world& w, const std::string& array) {
  const auto at = array.find("[]");
  if (at == std::string::npos || w.random() % 4 == 0) return array;
  const auto first = 1 + w.random() % 4;
  const auto indices =
      w.random() % 3 == 0 ? std::to_string(first) + "-" + std::to_string(first + 1 + w.random() % 3) : std::to_string(first);
  return array.substr(0, at + 1) + indices + array.substr(at + 1);
}

std::string check_arrays(ports::record_log& store, std::map<std::string, int>& happened) {
  told_of_arrays s;
  std::string fault;
  (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    if (r->event().isJob()) fault = s.take(*r);
    return fault.empty();
  });
  happened = s.happened;
  return fault.empty() ? s.at_the_end() : fault;
}

}  // namespace annals::sim
