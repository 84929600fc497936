#include "events/model/settings_fold.hpp"

namespace annals::model {

bool settings_fold::fold(const event_place& at, schema::Event::Reader event) {
  if (event.isServer()) {
    apply(server_, at, event);
  } else if (event.isQueue()) {
    auto& queue = queues_[at.stream];
    apply(queue, at, event);
    if (!queue.exists) queues_.erase(at.stream);
  } else {
    return false;
  }
  rebuild();
  return true;
}

void settings_fold::rebuild() {
  auto s = std::make_shared<model::settings>();
  s->server_name = server_.server_name;
  s->host_name = server_.host_name;
  s->home = home_;
  s->server = server_.attributes;
  s->resources = server_.resources;
  for (const auto& [stream, queue] : queues_) s->queues[queue.name] = {queue.order, queue.attributes};
  settings_ = std::move(s);
}

}  // namespace annals::model
