#include "tools/audit/scan.hpp"

#include <algorithm>

#include "events/log/losses.hpp"

namespace annals::audit {
namespace {

// How far a search for something readable goes behind what can't be read: more than a block of the store holds.
constexpr std::uint64_t step_max = 100'000;

class scanning {
 public:
  scanning(const ports::event_store& store, std::uint64_t from, std::uint64_t to, const scan_visitor& visit)
      : store_(store), next_(from), to_(to), visit_(visit) {}

  bool run() {
    while (next_ <= to_ && !enough_) {
      const auto read = store_.read(next_, [&](std::uint64_t sequence, ports::byte_span bytes) { return take(sequence, bytes); });
      if (enough_ || next_ > to_) break;
      if (read) {
        report(next_, "records " + std::to_string(next_) + " to " + std::to_string(to_) + " are missing");
        break;
      }
      report(next_, read.text);
      if (!step_over()) break;
    }
    return sound_;
  }

 private:
  bool take(std::uint64_t sequence, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    const auto* sound = std::get_if<log::record_ptr>(&decoded);
    if (sequence > next_ && next_ <= to_ && !(sound && log::explains_gap(**sound, next_)))
      report(next_, "records " + std::to_string(next_) + " to " + std::to_string(std::min(sequence - 1, to_)) + " are missing");
    next_ = sequence;
    if (sequence > to_) return false;
    ++next_;
    if (const auto* bad = std::get_if<log::damage>(&decoded)) report(sequence, bad->text);
    else if (!visit_.record(std::get<log::record_ptr>(decoded))) enough_ = true;
    return !enough_ && next_ <= to_;
  }

  bool step_over() {
    for (auto at = next_ + 1; at < next_ + step_max && at <= to_; ++at) {
      bool found = false;
      (void)store_.read(at, [&](std::uint64_t sequence, ports::byte_span) {
        found = true;
        next_ = sequence;
        return false;
      });
      if (found) return true;
    }
    return false;
  }

  void report(std::uint64_t sequence, const std::string& what) {
    sound_ = false;
    visit_.damaged(sequence, what);
  }

  const ports::event_store& store_;
  std::uint64_t next_;
  const std::uint64_t to_;
  const scan_visitor& visit_;
  bool sound_ = true, enough_ = false;
};

}  // namespace

bool scan(const ports::event_store& store, std::uint64_t from, std::uint64_t to, const scan_visitor& visit) {
  return scanning(store, from, to, visit).run();
}

}  // namespace annals::audit
