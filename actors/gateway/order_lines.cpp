#include "actors/gateway/order_lines.hpp"

namespace annals::actors {

bool order_lines::must_be_signed(const post_to_host& p) {
  const auto m = p.message.get();
  return m.isStartRun() && m.getStartRun().getSisters().size() > 0;
}

void order_lines::post(post_to_host p) {
  const auto line = lines_.find(p.host);
  if (line != lines_.end()) return line->second.push_back(std::move(p));
  if (!must_be_signed(p)) return parts_.post(std::move(p));
  const auto host = p.host;
  lines_[host].push_back(std::move(p));
  sign_first(host);
}

void order_lines::withdraw(withdraw_from_host w) {
  const auto line = lines_.find(w.host);
  if (line != lines_.end()) return line->second.push_back(std::move(w));
  parts_.withdraw(std::move(w));
}

void order_lines::sign_first(const std::string& host) {
  const auto& first = std::get<post_to_host>(lines_.at(host).front());
  parts_.sign(first, [this, host](order as_it_leaves) { on_signed(host, std::move(as_it_leaves)); });
}

void order_lines::on_signed(const std::string& host, order as_it_leaves) {
  auto& line = lines_.at(host);
  std::get<post_to_host>(line.front()).message = std::move(as_it_leaves);
  do {
    leave(std::move(line.front()));
    line.pop_front();
    const auto* next = line.empty() ? nullptr : std::get_if<post_to_host>(&line.front());
    if (next && must_be_signed(*next)) return sign_first(host);
  } while (!line.empty());
  lines_.erase(host);
}

void order_lines::leave(item&& what) {
  if (auto* p = std::get_if<post_to_host>(&what)) parts_.post(std::move(*p));
  else parts_.withdraw(std::move(std::get<withdraw_from_host>(what)));
}

}  // namespace annals::actors
