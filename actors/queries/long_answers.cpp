#include "actors/queries/long_answers.hpp"

#include <algorithm>

namespace annals::actors {

namespace {

// So much of a user's answers waits to be read before no more of them is made: all of 10,000 jobs, so that a list of them never stops on
// its way.
constexpr std::size_t unread_of_user_bytes = 16u << 20;
// Beyond that an answer of which nothing waits goes on by so little, so that lists that stand in `less` do not stop the user's others.
constexpr std::size_t rows_when_much_is_unread = 64;

}  // namespace

bool long_answers::has(std::string_view user) const { return std::ranges::find(users_, user, &of_user::name) != users_.end(); }

void long_answers::add(const query& asked, std::unique_ptr<projections::answer_in_parts> rest) {
  auto user = std::ranges::find(users_, asked.by.user, &of_user::name);
  if (user == users_.end()) user = users_.insert(users_.end(), of_user{asked.by.user, {}});
  user->answers.push_back({asked, std::move(rest)});
}

std::size_t long_answers::unread_bytes(const of_user& user) {
  std::size_t all = 0;
  for (const auto& a : user.answers) all += a.asked.to->unread_bytes().value_or(0);
  return all;
}

// True: a part was made. Answers for which nobody is there are forgotten.
bool long_answers::make_part_for(of_user& user, const make_part& make) {
  std::erase_if(user.answers, [](const answer& a) { return !a.asked.to->unread_bytes(); });
  const bool reads = unread_bytes(user) <= unread_of_user_bytes;
  for (auto left = user.answers.size(); left > 0; --left) {
    answer next = std::move(user.answers.front());
    user.answers.pop_front();
    const bool now = reads || next.asked.to->unread_bytes() == 0;
    if (!now || make(next.asked, *next.rest, reads ? rows_of_part : rows_when_much_is_unread)) user.answers.push_back(std::move(next));
    if (now) return true;
  }
  return false;
}

std::optional<std::chrono::milliseconds> long_answers::make_next_part(const make_part& make) {
  bool made = false;
  for (auto left = users_.size(); left > 0 && !made; --left) {
    of_user user = std::move(users_.front());
    users_.pop_front();
    made = make_part_for(user, make);
    if (!user.answers.empty()) users_.push_back(std::move(user));
  }
  if (made) pause_ = first_pause;
  if (users_.empty()) return std::nullopt;
  if (made) return std::chrono::milliseconds(0);
  const auto pause = pause_;
  pause_ = std::min(2 * pause_, last_pause);
  return pause;
}

}  // namespace annals::actors
