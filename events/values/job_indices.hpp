// The subjobs of a job array: which there are ("1-8:2"), and sets of them ("5-8:2", "1-3,7"). Source: pbs guide, "job arrays".
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annals::values {

// "X-Y:Z", or one index alone.
struct index_range {
  std::uint32_t first = 0, last = 0, step = 1;  // last as it was typed: it need not be one of them
  std::uint32_t count() const { return (last - first) / step + 1; }
  bool has(std::uint32_t index) const { return index >= first && index <= last && (index - first) % step == 0; }
  bool operator==(const index_range&) const = default;
  // events/values/stored_state.hpp
  void store(auto& to) const { to(first, last, step); }
  void restore(auto& from) {
    from(first, last, step);
    if (last < first || step == 0) from.refuse("a range of indices has none");
  }
};

// Nothing: no such range, or an index that no PBS can have.
std::optional<index_range> parse_index_range(std::string_view text);
std::string print(const index_range& range);  // "1-8", "1-8:2", "3" where there is but one

// Some indices of an array, kept as runs of neighbours: a million of them, or all but a few, take a few bytes.
class index_set {
 public:
  index_set() = default;
  explicit index_set(const index_range& of) : of_(of) {}  // none of them
  static index_set all(const index_range& of);
  // What print() gives, for the same array. Nothing: not of this form; an index that the array does not have is passed over.
  static std::optional<index_set> parse(std::string_view text, const index_range& of);

  const index_range& of() const { return of_; }
  bool has(std::uint32_t index) const;
  void add(std::uint32_t index);
  void remove(std::uint32_t index);
  void add(const index_set& others);
  void remove(const index_set& others);
  index_set also_in(const index_set& other) const;
  std::uint32_t count() const;
  bool empty() const { return runs_.empty(); }
  std::uint32_t front() const { return at(runs_.front().first); }  // of one that is not empty
  // The lowest one that is not below `from`. Nothing: there is none.
  std::optional<std::uint32_t> next(std::uint32_t from) const;
  // The lowest first; false from `visit`: no more.
  void each(const std::function<bool(std::uint32_t)>& visit) const;
  // "5-8:2", "1-3,7"; the empty one: "-" (pbs guide: array_indices_remaining).
  std::string print() const;
  bool operator==(const index_set&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.of_, self.runs_);
  }

 private:
  using run = std::pair<std::uint32_t, std::uint32_t>;  // places in the array, both included
  std::uint32_t at(std::uint32_t place) const { return of_.first + place * of_.step; }
  std::uint32_t place_of(std::uint32_t index) const { return (index - of_.first) / of_.step; }
  void add_run(run r);
  void remove_run(run r);

  index_range of_;
  std::vector<run> runs_;  // in order, with gaps between them
};

}  // namespace annals::values
