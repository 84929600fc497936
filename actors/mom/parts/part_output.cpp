#include "actors/mom/parts/part_output.hpp"

#include "events/model/run/task_limits.hpp"

namespace annals::actors {

void part_output::follow(std::uint32_t task, const std::string& user) {
  if (files_ && dropped_) files_->remove(key_of_(task));
  if (!files_ || dropped_ || !tasks_.try_emplace(task).second) return;
  files_->follow(key_of_(task), user);
  look(task);
}

void part_output::look(std::uint32_t task) {
  if (!tasks_.contains(task)) return;
  next(task, false);
  next(task, true);
}

void part_output::next(std::uint32_t task, bool errors) {
  auto& s = tasks_.at(task)[errors];
  if (!s.under_way.empty()) return;
  auto piece = files_->read(key_of_(task), errors, s.taken, limits::output_piece_bytes);
  s.unread = !piece;
  s.under_way = std::move(piece).value_or("");
  // Whole lines where there are any: those of several tasks meet in one file.
  if (const auto end = s.under_way.rfind('\n'); end != std::string::npos) s.under_way.resize(end + 1);
  if (!s.under_way.empty()) send_({task, errors, s.taken, s.under_way});
}

void part_output::taken(std::uint32_t task, bool errors, std::uint64_t up_to) {
  const auto at = tasks_.find(task);
  if (at == tasks_.end()) return;
  auto& s = at->second[errors];
  if (up_to != s.taken + s.under_way.size()) return;  // of an earlier piece
  s.taken = up_to;
  s.under_way.clear();
  next(task, errors);
}

void part_output::repeat() {
  for (const auto& [task, streams] : tasks_)
    for (const bool errors : {false, true})
      if (const auto& s = streams[errors]; !s.under_way.empty()) send_({task, errors, s.taken, s.under_way});
}

bool part_output::all_taken(std::uint32_t task) {
  const auto at = tasks_.find(task);
  if (at == tasks_.end()) return true;
  look(task);
  for (const auto& s : at->second)
    if (s.unread || !s.under_way.empty()) return false;
  done(task);
  return true;
}

bool part_output::all_taken() {
  bool all = true;
  for (auto at = tasks_.begin(); at != tasks_.end();) {
    const auto task = (at++)->first;  // done() takes it out
    all = all_taken(task) && all;
  }
  return all;
}

void part_output::drop() {
  dropped_ = true;
  while (!tasks_.empty()) done(tasks_.begin()->first);
}

void part_output::done(std::uint32_t task) {
  files_->remove(key_of_(task));
  tasks_.erase(task);
}

}  // namespace annals::actors
