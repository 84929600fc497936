#include "actors/mom/runs/output_router.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace annals::actors {

void output_router::on_piece(output_piece piece, const std::string& host) {
  const auto task = state().tasks.find(piece.task);
  if (task == state().tasks.end() || task->second.host != host) return;
  const auto before = output_taken_[{piece.task, piece.errors}];
  const auto end = piece.offset + piece.bytes.size();
  if (end <= before) return on_taken({piece.task, piece.errors, end});
  if (piece.offset < before) piece.bytes.erase(0, before - std::exchange(piece.offset, before));
  const auto asker = output_for_.find(piece.task);
  // When the job's program has ended nobody waits any more.
  if (asker == output_for_.end() || state().phase != model::run_phase::started) append(std::move(piece));
  else hand_on(asker->second, std::move(piece));
}

void output_router::append(output_piece piece) {
  for (const auto& p : to_append_)
    if (p.task == piece.task && p.errors == piece.errors) return;  // on its way
  to_append_.push_back(std::move(piece));
  if (to_append_.size() == 1) append_next();
}

void output_router::append_next() {
  if (!to_append_.empty()) run_.parts.processes->append_output(run_.key, to_append_.front().errors, to_append_.front().bytes);
}

void output_router::on_appended() {
  if (to_append_.empty()) return;
  const auto p = std::move(to_append_.front());
  to_append_.pop_front();
  append_next();
  on_taken({p.task, p.errors, p.offset + p.bytes.size()});
}

// To an asker on this host, or through the sister's part to one there.
void output_router::hand_on(const task_origin& to, output_piece piece) {
  if (to.host.empty())
    return caf::anon_send(to.asker.who, task_output{to.asker.question, piece.task, piece.errors, piece.offset, std::move(piece.bytes)});
  run_.tell_sister(to.host, [&](auto m) {
    auto t = m.initOutput();
    run_.fill_ref(t.initTask().initRef());
    write_piece(piece, t);
    t.setQuestion(to.asker.question);
  });
}

void output_router::on_taken(const task_output_taken& t) {
  const auto task = state().tasks.find(t.task);
  if (task == state().tasks.end()) return;
  auto& so_far = output_taken_[{t.task, t.errors}];
  so_far = std::max(so_far, t.up_to);
  run_.tell_sister(task->second.host, [&](auto m) {
    auto o = m.initOutputTaken();
    run_.fill_ref(o.initTask().initRef());
    write_taken(t, o);
  });
}

void output_router::forget(const task_origin& origin) {
  std::erase_if(output_for_, [&](const auto& one) { return one.second.is(origin); });
}

void output_router::forget_askers_of(const std::string& host) {
  std::erase_if(output_for_, [&](const auto& one) { return one.second.host == host; });
}

}  // namespace annals::actors
