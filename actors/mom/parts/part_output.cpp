#include "actors/mom/parts/part_output.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "events/model/run/task_limits.hpp"

namespace annals::actors {

void part_output::follow(std::uint32_t task, const std::string& user) {
  if (!files_ || done_.contains(task) || !tasks_.try_emplace(task).second) return;
  if (dropped_) return remove(task);
  part_.aside([files = files_, key = part_.key_of(task), user]() -> std::function<void()> {
    files->follow(key, user);
    return {};
  });
  look(task);
}

void part_output::look(std::uint32_t task) {
  for (const bool errors : {false, true}) next(task, errors);
}

void part_output::next(std::uint32_t task, bool errors) {
  const auto at = tasks_.find(task);
  if (at == tasks_.end() || at->second.goes) return;
  auto& s = at->second.streams[errors];
  if (!s.under_way.empty()) return;
  if (s.is_read) {
    s.again = true;
    return;
  }
  s.is_read = true;
  part_.aside([this, files = files_, key = part_.key_of(task), errors, from = s.taken,
               ended = at->second.ended]() -> std::function<void()> {
    return [this, task = key.task, errors, ended, piece = files->read(key, errors, from, limits::output_piece_bytes)] {
      on_read(task, errors, ended, piece);
    };
  });
}

void part_output::on_read(std::uint32_t task, bool errors, bool had_ended, std::optional<std::string> piece) {
  const auto at = tasks_.find(task);
  if (at == tasks_.end() || at->second.goes) return;
  const auto left_before = at->second.what_is_left();
  auto& s = at->second.streams[errors];
  s.is_read = false;
  s.unread = !piece;
  s.under_way = std::move(piece).value_or("");
  // Whole lines where there are any: those of several tasks meet in one file.
  if (const auto end = s.under_way.rfind('\n'); end != std::string::npos) s.under_way.resize(end + 1);
  s.is_known = had_ended;
  s.at_end = had_ended && !s.unread && s.under_way.empty();
  if (!s.under_way.empty()) part_.send({task, errors, s.taken, s.under_way});
  const bool is_new = at->second.ended && at->second.what_is_left() != left_before;
  if (std::exchange(s.again, false)) next(task, errors);
  if (is_new) part_.reconcile();
}

void part_output::taken(std::uint32_t task, bool errors, std::uint64_t up_to) {
  const auto at = tasks_.find(task);
  if (at == tasks_.end()) return;
  auto& s = at->second.streams[errors];
  if (up_to != s.taken + s.under_way.size()) return;  // of an earlier piece
  s.taken = up_to;
  s.under_way.clear();
  for (auto& of : at->second.streams) of.at_end = false;  // the last look is at both
  look(task);
}

void part_output::repeat() {
  for (const auto& [task, of] : tasks_)
    for (const bool errors : {false, true})
      if (const auto& s = of.streams[errors]; !of.goes && !s.under_way.empty()) part_.send({task, errors, s.taken, s.under_way});
}

part_output::left part_output::followed::what_is_left() const {
  const auto all = [&](auto is) { return std::all_of(streams.begin(), streams.end(), is); };
  if (all([](const stream& s) { return s.at_end; })) return left::nothing;
  if (!all([](const stream& s) { return s.under_way.empty() && !s.unread; })) return left::something;
  return all([](const stream& s) { return s.is_known; }) ? left::something : left::unknown;
}

bool part_output::all_taken(std::uint32_t task) {
  const auto left_now = [&] {
    const auto at = tasks_.find(task);
    return at == tasks_.end() || at->second.goes ? std::nullopt : std::optional(at->second.what_is_left());
  };
  if (const auto now = left_now()) {
    tasks_.at(task).ended = true;
    if (now != left::nothing) look(task);
  }
  if (left_now() == left::nothing) remove(task);
  return !tasks_.contains(task);
}

bool part_output::all_taken() {
  bool all = true;
  for (auto at = tasks_.begin(); at != tasks_.end();) {
    const auto task = (at++)->first;  // it may be taken out
    all = all_taken(task) && all;
  }
  return all;
}

part_output::left part_output::left_of(std::uint32_t task) {
  if (all_taken(task)) return left::nothing;
  const auto& of = tasks_.at(task);
  return of.goes ? left::nothing : of.what_is_left();
}

void part_output::drop() {
  dropped_ = true;
  std::vector<std::uint32_t> all;
  for (const auto& [task, of] : tasks_)
    if (!of.goes) all.push_back(task);
  for (const auto task : all) remove(task);
}

void part_output::remove(std::uint32_t task) {
  tasks_.at(task).goes = true;
  part_.aside([this, files = files_, key = part_.key_of(task)]() -> std::function<void()> {
    files->remove(key);
    return [this, task = key.task] {
      tasks_.erase(task);
      done_.insert(task);
      part_.reconcile();
    };
  });
}

}  // namespace annals::actors
