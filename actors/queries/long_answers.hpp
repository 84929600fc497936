// Answers that go out in parts. One part is made at a time, and others are answered between two of them: users come in turn, and of a user
// his answers. What a user does not read is bounded, however many lists he asks for. Governed by docs/design/0064-finished-jobs.md.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/server/messages.hpp"
#include "projections/status/query.hpp"

namespace annals::actors {

class long_answers {
 public:
  // Makes the next part of an answer, of about so many rows. False: there are no more.
  using make_part = std::function<bool(const query& asked, projections::answer_in_parts& rest, std::size_t rows)>;
  // One takes about 2 ms, and has 1 MB.
  static constexpr std::size_t rows_of_part = 1024;

  // The user waits for the rest of an answer.
  bool has(std::string_view user) const;
  void add(const query& asked, std::unique_ptr<projections::answer_in_parts> rest);
  // Has one part made of an answer that is read. When to go on: at once (0), or later, since all readers are slow. Nothing: no answer is
  // left.
  std::optional<std::chrono::milliseconds> make_next_part(const make_part& make);

 private:
  struct answer {
    query asked;
    std::unique_ptr<projections::answer_in_parts> rest;
  };
  struct of_user {
    std::string name;
    std::deque<answer> answers;
  };
  static std::size_t unread_bytes(const of_user& user);
  static bool make_part_for(of_user& user, const make_part& make);

  std::deque<of_user> users_;  // the next one first; each has an answer at least
  std::chrono::milliseconds pause_ = first_pause;
  static constexpr std::chrono::milliseconds first_pause{1}, last_pause{128};
};

}  // namespace annals::actors
