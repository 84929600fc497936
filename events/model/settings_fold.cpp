#include "events/model/settings_fold.hpp"

#include <utility>

#include "events/model/scheduler/places.hpp"

namespace annals::model {

bool settings_fold::fold(const event_place& at, schema::Event::Reader event) {
  if (event.isServer()) {
    apply(server_, at, event);
  } else if (event.isQueue()) {
    auto& queue = queues_[at.stream];
    apply(queue, at, event);
    if (!queue.exists) queues_.erase(at.stream);
  } else if (!event.isScheduler() || !fold_scheduler(at, event.getScheduler())) {
    return false;
  }
  rebuild();
  return true;
}

// Cycles begin and end all the time, and change no settings.
bool settings_fold::fold_scheduler(const event_place& at, schema::SchedulerEvent::Reader event) {
  if (!event.isCreated() && !event.isChanged() && !event.isDeleted()) return false;
  auto& scheduler = schedulers_[at.stream];
  const auto what_counts = [&] { return std::pair(std::string(placed_partition(scheduler)), is_on(scheduler)); };
  const auto before = what_counts();
  apply(scheduler, at, event);
  const auto now = what_counts();
  if (!scheduler.exists) schedulers_.erase(at.stream);
  return now != before;
}

void settings_fold::rebuild() {
  auto s = std::make_shared<model::settings>();
  s->server_name = server_.server_name;
  s->host_name = server_.host_name;
  s->home = home_;
  s->server = server_.attributes;
  s->resources = server_.resources;
  for (const auto& [stream, queue] : queues_) s->queues[queue.name] = {queue.order, queue.attributes, queue.reservation};
  for (const auto& [stream, scheduler] : schedulers_) {
    const auto its = placed_partition(scheduler);
    if (its.empty()) continue;
    s->scheduler_of_partition.emplace(its, scheduler.name);
    if (!is_on(scheduler)) s->schedulers_off.insert(scheduler.name);
  }
  settings_ = std::move(s);
}

}  // namespace annals::model
