// The subjobs of a job array that are to be run, and which of them comes next. docs/design/0057-job-arrays.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/job_indices.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

class subjob_list {
 public:
  subjob_list() = default;
  // "5-8:2", "1-3,7": they rise. What is no such text is no array.
  explicit subjob_list(std::string_view text) {
    if (text.empty()) return;
    for (const auto& part : values::split_list(text))
      if (const auto range = values::parse_index_range(part)) ranges_.push_back(*range);
    rewind();
  }

  bool empty() const { return ranges_.empty(); }
  bool has(std::uint32_t index) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), index, [](std::uint32_t i, const auto& r) { return i < r.first; });
    return after != ranges_.begin() && std::prev(after)->has(index);
  }

  // From the lowest on; rewind() begins anew.
  bool at_end() const { return at_ == ranges_.size(); }
  std::uint32_t front() const { return next_; }
  void pop() {
    const auto& range = ranges_[at_];
    if (range.last - next_ >= range.step) next_ += range.step;
    else if (++at_ < ranges_.size()) next_ = ranges_[at_].first;
  }
  void rewind() {
    at_ = 0;
    if (!ranges_.empty()) next_ = ranges_.front().first;
  }

 private:
  std::vector<values::index_range> ranges_;
  std::size_t at_ = 0;
  std::uint32_t next_ = 0;
};

// "12[3].borg" of "12[].borg".
inline std::string subjob_id(std::string_view array, std::uint32_t index) {
  std::string id(array);
  if (const auto at = id.find('['); at != std::string::npos) id.insert(at + 1, std::to_string(index));
  return id;
}

// Whether both ids are of subjobs of one array, or one of them is the array's.
inline bool of_one_array(std::string_view a, std::string_view b) {
  const auto at = a.find('[');
  return at != std::string_view::npos && a.substr(0, at + 1) == b.substr(0, at + 1);
}

}  // namespace annals::cycle
