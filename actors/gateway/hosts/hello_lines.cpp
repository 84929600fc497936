#include "actors/gateway/hosts/hello_lines.hpp"

#include <utility>

namespace annals::actors {

void hello_lines::pause(line& of, const wire::connection_ptr& peer) {
  if (of.paused.insert(peer).second) peer->pause_reading();
}

void hello_lines::put(item what) {
  const auto peer = std::visit([](const auto& w) { return w.peer; }, what);
  const auto at = lines_.find(peer->peer().name);
  if (at == lines_.end()) return hear_(std::move(what));
  if (std::holds_alternative<said>(what)) pause(at->second, peer);
  at->second.items.push_back(std::move(what));
}

void hello_lines::hold(const wire::connection_ptr& peer) { pause(lines_[peer->peer().name], peer); }

void hello_lines::go_on(const std::string& host) {
  auto waited = std::move(lines_.extract(host).mapped());
  while (!waited.items.empty()) {
    auto next = std::move(waited.items.front());
    waited.items.pop_front();
    hear_(std::move(next));
    if (const auto again = lines_.find(host); again != lines_.end()) {  // one more hello that has to wait
      again->second.items = std::move(waited.items);
      again->second.paused.merge(waited.paused);
      return;
    }
  }
  for (const auto& peer : waited.paused) peer->resume_reading();
}

}  // namespace annals::actors
