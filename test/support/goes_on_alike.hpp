// The law of checkpoints (docs/design/0068-checkpoints.md): a fold that was stored after any record and restored is, after the rest of the
// records, what a fold of all of them is.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "events/log/record.hpp"
#include "events/values/stored_state.hpp"
#include "test/support/stored_bytes.hpp"

namespace annals::test {

// Records that are folded again for one log: every position of a small one is tried, and some of a large one.
constexpr std::size_t refolded_max = 20'000;

// `make` answers a pointer to a new fold; `answers` what it says at the end of the log, and may change it.
template <class Make, class Answers>
void check_goes_on_alike(const std::vector<log::record_ptr>& records, Make make, Answers answers) {
  const auto step = records.size() * records.size() / (2 * refolded_max) + 1;
  const auto restored_from = [&](const std::string& bytes) {
    auto fold = make();
    stored::restore_whole(bytes, *fold);
    return fold;
  };
  const auto all = make();
  auto often = make();  // stored and restored all the time
  std::vector<std::pair<std::size_t, std::string>> states;
  for (std::size_t i = 0; i < records.size(); ++i) {
    all->fold(*records[i]);
    often->fold(*records[i]);
    if ((i + 1) % step != 0) continue;
    states.emplace_back(i + 1, stored_bytes(*all));
    often = restored_from(stored_bytes(*often));
    BOOST_CHECK_MESSAGE(stored_bytes(*often) == states.back().second, "restored after record " << i + 1 << " and before: another state");
  }
  const auto whole = stored_bytes(*all);
  const auto expected = answers(*all);
  for (const auto& [position, bytes] : states) {
    const auto fold = restored_from(bytes);
    for (auto i = position; i < records.size(); ++i) fold->fold(*records[i]);
    BOOST_CHECK_MESSAGE(stored_bytes(*fold) == whole, "restored after record " << position << ": another state at the end");
    BOOST_CHECK_MESSAGE(answers(*fold) == expected, "restored after record " << position << ": other answers at the end");
  }
}

}  // namespace annals::test
