// The law of checkpoints (docs/design/0068-checkpoints.md) for whole replicas: one that was restored from a maker's checkpoint of any
// position, and has folded the rest, is to the last byte of each fold what one is that has folded everything. All in memory, rows too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/replica/checkpoint.hpp"
#include "events/log/record.hpp"

namespace annals::test {

using checkpoint_bytes = std::shared_ptr<const std::string>;

// Of a maker that has folded the log up to the record with this hash.
inline checkpoint_bytes checkpoint_of(const actors::replica& of, const log::chain_hash& hash) {
  const actors::checkpoint_head head{actors::program_name(), of.sequence(), hash, 0};
  return std::make_shared<const std::string>(actors::write_checkpoint(head, of.store()));
}

inline actors::checkpoint read_whole(const checkpoint_bytes& bytes) {
  return std::get<actors::checkpoint>(actors::read_checkpoint(bytes, *bytes));
}

inline void restore_from(const actors::checkpoint& from, actors::replica& to) {
  to.restore(from.head().sequence, [&](const std::string& name) { return from.state_of(name); });
}

// The first fold whose state is another one; empty: none is.
template <class StateOf>
std::string differing_fold(const actors::replica::states& states, StateOf expected) {
  const auto other = std::find_if(states.begin(), states.end(), [&](const auto& s) { return expected(s.first) != s.second; });
  return other == states.end() ? "" : other->first;
}

// `positions`: so many records are folded at each checkpoint; rising. Both `make_maker` and `make` answer a pointer to what has a replica,
// all(), that has folded nothing yet. Empty: the law holds.
template <class MakeMaker, class Make>
std::string broken_law(const std::vector<log::record_ptr>& records, const std::vector<std::size_t>& positions, MakeMaker make_maker,
                       Make make) {
  const auto maker = make_maker();
  const auto whole = make();
  std::vector<std::pair<std::size_t, checkpoint_bytes>> checkpoints;
  for (std::size_t i = 0; i < records.size(); ++i) {
    maker->all().fold(*records[i]);
    whole->all().fold(*records[i]);
    if (std::binary_search(positions.begin(), positions.end(), i + 1))
      checkpoints.emplace_back(i + 1, checkpoint_of(maker->all(), records[i]->hash()));
  }
  const auto in_the_end = whole->all().store();
  const auto expected = [&](const std::string& fold) {
    return std::find_if(in_the_end.begin(), in_the_end.end(), [&](const auto& s) { return s.first == fold; })->second;
  };
  for (const auto& [position, bytes] : checkpoints) {
    const auto from = read_whole(bytes);
    const auto restored = make();
    restore_from(from, restored->all());
    const auto says = [at = position](const std::string& fold, const char* when) {
      return "restored after " + std::to_string(at) + " records the state of " + fold + " is another one " + when;
    };
    if (const auto fold = differing_fold(restored->all().store(), [&](const auto& name) { return from.state_of(name).value_or(""); });
        !fold.empty())
      return says(fold, "at once");
    for (auto i = position; i < records.size(); ++i) restored->all().fold(*records[i]);
    if (const auto fold = differing_fold(restored->all().store(), expected); !fold.empty()) return says(fold, "in the end");
  }
  return {};
}

}  // namespace annals::test
