#include "tools/replay/simulated_arrays.hpp"

#include <set>

namespace annals::replay {

std::uint32_t simulated_arrays::place_of(std::uint64_t stream) const {
  const auto of = running_.find(stream);
  return of == running_.end() ? recorded_.by_job.at(stream) : recorded_.subjob(of->second.array, of->second.index);
}

std::optional<std::uint64_t> simulated_arrays::begin(const actors::cycle_driver::message& proposal, const model::job_state& array,
                                                     std::int64_t now_ns) {
  const subjob of{array.serial, proposal.get().getRun().getIndex()};
  const auto begun = model::decide(array, model::proposed_run{proposal, scheduler_}, {now_ns, {"", "", schema::Role::SCHEDULER}},
                                   log_.settings());
  if (!begun.accepted()) return std::nullopt;
  const auto stream = recorded_.last_sequence + ++streams_;
  log_.write(of.array, now_ns, begun.events());
  log_.write(stream, now_ns, begun.born);
  running_[stream] = of;
  return stream;
}

void simulated_arrays::leave(std::uint64_t stream, std::uint32_t run, bool requeued, std::int64_t now_ns) {
  const auto of = running_.extract(stream);
  if (!of) return;
  if (requeued) log_.write(stream, now_ns, [](schema::Event::Builder e) { e.initJob().setForgotten(); });
  const auto array = log_.now().job(of.mapped().array);
  if (!array) return;
  const auto left = model::decide(*array, model::subjob_told{.index = of.mapped().index, .run = run, .requeued = requeued},
                                  {now_ns, {"", "", schema::Role::SERVER}}, log_.settings());
  log_.write(of.mapped().array, now_ns, left.events());
}

std::vector<std::uint64_t> simulated_arrays::drop(std::uint64_t serial, const values::index_set& asked, std::int64_t now_ns) {
  const auto job = log_.now().job(serial);
  const auto& array = *job->array;
  const auto& known = recorded_.subjobs[serial];
  values::index_set waiting(array.indices());
  std::set<std::uint32_t> to_end;
  asked.each([&](std::uint32_t index) {
    if (const auto at = known.find(index); at != known.end() && recorded_.jobs[at->second].ran_ns >= 0) return true;
    if (array.remaining.has(index)) waiting.add(index);
    else if (array.running.contains(index)) to_end.insert(index);
    return true;
  });
  if (!waiting.empty()) log_.write(serial, now_ns, [&](schema::Event::Builder e) {
    auto s = e.initJob().initSubjobsAsked();
    s.setIndices(waiting.print());
    s.setWaiting(waiting.print());
    s.setWaitingCount(waiting.count());
  });
  std::vector<std::uint64_t> streams;
  for (const auto& [stream, of] : running_)
    if (of.array == serial && to_end.contains(of.index)) streams.push_back(stream);
  return streams;
}

void simulated_arrays::end_if_over(std::uint64_t serial, std::int64_t now_ns) {
  const auto array = log_.now().job(serial);
  if (array && !array->ended() && array->array->over())
    log_.write(serial, now_ns, [](schema::Event::Builder e) { e.initJob().initEnded(); });
}

}  // namespace annals::replay
