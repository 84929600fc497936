#include "actors/gateway/hosts/order_lines.hpp"

#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

namespace {
std::string host_of(const post_to_host& p) { return p.host; }
std::string host_of(const withdraw_from_host& w) { return w.host; }
std::string host_of(const mom_connected& m) { return m.peer->peer().name; }
std::string host_of(const mom_gone& m) { return m.peer->peer().name; }
}  // namespace

bool order_lines::must_be_signed(const item& what) {
  const auto* p = std::get_if<post_to_host>(&what);
  return p && p->message.get().isStartRun() && p->message.get().getStartRun().getSisters().size() > 0;
}

void order_lines::put(item what) {
  const auto host = std::visit([](const auto& w) { return host_of(w); }, what);
  const auto line = lines_.find(host);
  if (line != lines_.end()) return line->second.push_back(std::move(what));
  if (!must_be_signed(what)) return parts_.leave(host, std::move(what));
  lines_[host].push_back(std::move(what));
  sign_first(host);
}

void order_lines::sign_first(const std::string& host) {
  const auto& first = std::get<post_to_host>(lines_.at(host).front());
  parts_.sign(first, [this, host](order as_it_leaves) { on_signed(host, std::move(as_it_leaves)); });
}

void order_lines::on_signed(const std::string& host, order as_it_leaves) {
  auto& line = lines_.at(host);
  std::get<post_to_host>(line.front()).message = std::move(as_it_leaves);
  do {
    parts_.leave(host, std::move(line.front()));
    line.pop_front();
    if (!line.empty() && must_be_signed(line.front())) return sign_first(host);
  } while (!line.empty());
  lines_.erase(host);
}

}  // namespace annals::actors
