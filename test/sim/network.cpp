// Links of the simulated network: in order and reliable while they live, as TCP is; what is under way when one breaks is
// lost. Late messages come from drawn delays, repeated ones from processes that ask again on a new link.
#include "test/sim/network.hpp"

#include <algorithm>

namespace annals::sim {

namespace {
std::uint64_t next_connection = 1;
}

class link_end final : public wire::connection {
 public:
  link_end(std::weak_ptr<link> of, int side, wire::identity peer)
      : id_(next_connection++), of_(std::move(of)), side_(side), peer_(std::move(peer)) {}
  std::uint64_t id() const override { return id_; }
  const wire::identity& peer() const override { return peer_; }
  void send(const schema::sealed_message& m) override {
    if (auto l = of_.lock()) l->put(side_, m);
  }
  void close(const std::string& why) override {
    if (auto l = of_.lock()) l->break_with(why);
  }
  bool is_open() const override {
    const auto l = of_.lock();
    return l && !l->broken();
  }
  std::size_t unsent_bytes() const override { return 0; }
  void pause_reading() override {}
  void resume_reading() override {}

 private:
  std::uint64_t id_;
  std::weak_ptr<link> of_;
  int side_;
  wire::identity peer_;
};

void link::open(std::shared_ptr<link> self) {
  for (int side = 0; side < 2; ++side) connections_[side] = std::make_shared<link_end>(self, side, ends_[1 - side].seen_as);
  for (int side = 0; side < 2; ++side)
    if (*ends_[side].alive && ends_[side].opened) ends_[side].opened(connections_[side]);
}

void link::put(int from, const schema::sealed_message& m) {
  if (broken_ || !*ends_[from].alive) return;
  if (world_.chance(world_.net.loss_rate)) return;
  auto& queue = under_way_[1 - from];
  std::int64_t due = world_.clock.now + world_.pick_ns(10'000, 3'000'000);
  if (world_.o.start.hosts == 0 && world_.chance(0.02)) due += world_.pick_ns(0, 2'000'000'000);  // late
  if (!queue.empty()) due = std::max(due, queue.back().due);                                      // in order
  queue.push_back({due, m});
}

void link::break_with(const std::string& why) {
  if (broken_) return;
  broken_ = true;
  for (auto& q : under_way_) q.clear();
  for (int side = 0; side < 2; ++side)
    if (*ends_[side].alive && ends_[side].closed) ends_[side].closed(connections_[side], why);
}

bool link::deliver_due() {
  for (int side = 0; side < 2; ++side) {
    auto& q = under_way_[side];
    if (broken_ || q.empty() || q.front().due > world_.clock.now) continue;
    auto m = std::move(q.front().message);
    q.pop_front();
    if (*ends_[side].alive) ends_[side].received(connections_[side], std::move(m));
    return true;
  }
  return false;
}

std::int64_t link::next_due() const {
  std::int64_t due = INT64_MAX;
  for (const auto& q : under_way_)
    if (!q.empty()) due = std::min(due, q.front().due);
  return due;
}

// -- network -----------------------------------------------------------------------------------------------------------------

std::shared_ptr<link> network::connect(endpoint a, endpoint b) {
  std::erase_if(links_, [](const auto& l) { return l->broken(); });
  auto l = std::make_shared<link>(world_, std::move(a), std::move(b));
  links_.push_back(l);
  l->open(l);
  return l;
}

void network::break_link(const std::shared_ptr<link>& l, const std::string& why) { l->break_with(why); }

void network::break_all_of(const life& process) {
  for (auto& l : std::vector(links_))
    if (l->belongs_to(process)) l->break_with("the process is gone");
}

void network::break_between(const life& a, const life& b) {
  for (auto& l : std::vector(links_))
    if (l->belongs_to(a) && l->belongs_to(b)) l->break_with("no way through");
}

bool network::deliver_one() {
  if (links_.empty()) return false;
  const std::size_t first = world_.random() % links_.size();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    auto l = links_[(first + i) % links_.size()];
    if (l->deliver_due()) return true;
  }
  return false;
}

std::int64_t network::next_due() const {
  std::int64_t due = INT64_MAX;
  for (const auto& l : links_) due = std::min(due, l->next_due());
  return due;
}

std::vector<std::shared_ptr<link>> network::open_links() const {
  std::vector<std::shared_ptr<link>> open;
  for (const auto& l : links_)
    if (!l->broken()) open.push_back(l);
  return open;
}

}  // namespace annals::sim
