#include "actors/mom/runs/roll_call.hpp"

#include <algorithm>

#include "events/model/limits.hpp"

namespace annals::actors {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t wait_ns = limits::presence_wait_s * second_ns;
constexpr std::int64_t counts_ns = limits::presence_counts_s * second_ns;
constexpr std::int64_t first_link_ns = limits::sister_silence_s * second_ns;
// That a host has taken in what it was told is its answer too; one that needs longer for it is asked. 500 hosts need 0.3 s.
constexpr std::int64_t taking_in_ns = second_ns / 2;
// The daemon itself stood still, or its clock was set: answers may wait to be read.
constexpr std::int64_t standstill_ns = wait_ns + second_ns;

}  // namespace

void roll_call::begin(std::uint64_t moment, const std::vector<called_host>& hosts, std::int64_t now_ns) {
  phase_ = phase::asking;
  moment_ = moment;
  began_ns_ = looked_ns_ = now_ns;
  ++question_;
  missing_.clear();
  for (const auto& h : hosts) missing_.emplace(h.name, missing_host{h.is_told, 0});
}

roll_call::result roll_call::look(std::uint64_t moment, const std::vector<called_host>& hosts, std::int64_t now_ns) {
  result to;
  const auto age_ns = now_ns - over_ns_;
  if (phase_ == phase::absent && moment == moment_ && age_ns >= 0 && age_ns < wait_ns) return to;
  const bool all_linked = std::ranges::all_of(hosts, [](const called_host& h) { return h.linked_ns != 0; });
  to.complete = was_complete(moment) && all_linked && age_ns >= 0 && age_ns <= counts_ns;
  if (to.complete) return to;
  if (phase_ != phase::asking || moment != moment_) begin(moment, hosts, now_ns);
  if (now_ns < looked_ns_ || now_ns - looked_ns_ > standstill_ns) began_ns_ = now_ns;
  looked_ns_ = now_ns;
  for (const auto& h : hosts) {
    const auto at = missing_.find(h.name);
    if (at == missing_.end()) continue;
    ask(h, at->second, now_ns, to);
    const auto until_ns = given_up_ns(h);
    if (until_ns <= now_ns) to.absent.push_back(h.name);
    else if (to.again_ns == 0 || until_ns < to.again_ns) to.again_ns = until_ns;
  }
  if (to.absent.size() < missing_.size()) {
    to.absent.clear();  // the others first
    to.again_ns = std::max(to.again_ns, now_ns + 1);
    if (now_ns < began_ns_ + taking_in_ns) to.again_ns = std::min(to.again_ns, began_ns_ + taking_in_ns);
    return to;
  }
  phase_ = missing_.empty() ? phase::complete : phase::absent;
  over_ns_ = now_ns;
  to.complete = missing_.empty();
  return to;
}

// It could be asked since then. A link from the future is one from before the clock was set back.
std::int64_t roll_call::since_ns(const called_host& host) const {
  return host.linked_ns > looked_ns_ ? began_ns_ : std::max(began_ns_, host.linked_ns);
}

// Once over each link.
void roll_call::ask(const called_host& host, missing_host& missing, std::int64_t now_ns, result& to) const {
  if (host.linked_ns == 0 || missing.asked_ns >= since_ns(host)) return;
  if (missing.is_told && now_ns < began_ns_ + taking_in_ns) return;
  missing.asked_ns = now_ns;
  to.ask.push_back(host.name);
}

// A link that this life of the process never had may take as long as after any start; one that broke is not waited for.
std::int64_t roll_call::given_up_ns(const called_host& host) const {
  if (host.linked_ns != 0) return since_ns(host) + wait_ns;
  return host.was_linked ? began_ns_ : began_ns_ + first_link_ns;
}

bool roll_call::remove(std::map<std::string, missing_host>::iterator at) {
  if (at == missing_.end() || phase_ != phase::asking) return false;
  missing_.erase(at);
  return missing_.empty();
}

bool roll_call::on_answer(const std::string& host, std::uint32_t question) {
  return question == question_ && remove(missing_.find(host));
}

bool roll_call::on_taken_in(const std::string& host) {
  const auto at = missing_.find(host);
  return at != missing_.end() && at->second.is_told && remove(at);
}

}  // namespace annals::actors
