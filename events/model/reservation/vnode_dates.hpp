// What is booked on each vnode, in the order of time: a question costs what is booked at the time that it asks about, however much is
// booked besides. Part of bookings (bookings.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "events/model/vnodes/amounts.hpp"

namespace annals::model {

using vnode_amounts = std::map<std::string, amounts, std::less<>>;

// Reads what an exec_vnode has of each vnode. Neighbours mostly have the same text, which is then read once.
class place_reader {
 public:
  const vnode_amounts& operator()(std::string_view exec_vnode);  // until the next call

 private:
  std::string last_;
  vnode_amounts read_;
};

class vnode_dates {
 public:
  struct holder {
    std::uint64_t who = 0;  // serial
    amounts has;
    bool alone = false;  // nobody else may be there
    bool operator==(const holder&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.who, self.has, self.alone);
    }
  };
  struct span {
    std::int64_t start_ns = 0, end_ns = 0;
  };
  void book(const std::string& vnode, span time, const holder& h);
  void free(const std::string& vnode, span time, const holder& h);
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.booked_);
  }
  // Whether there is a moment at which those who hold the vnode are such.
  template <class Are>
  bool any(std::string_view vnode, span time, Are&& are) const {
    const auto at = booked_.find(vnode);
    if (at == booked_.end()) return false;
    auto from = at->second.upper_bound(time.start_ns);
    if (from != at->second.begin()) --from;
    return std::any_of(from, at->second.lower_bound(time.end_ns), [&](const auto& step) { return are(step.second); });
  }

 private:
  using steps = std::map<std::int64_t, std::vector<holder>>;  // who is there from that moment to the next
  static steps::iterator split(steps& all, std::int64_t at);
  static void join(steps& all, std::int64_t at);

  std::map<std::string, steps, std::less<>> booked_;
};

}  // namespace annals::model
