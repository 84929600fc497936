#include "actors/scheduler/reasons_piece.hpp"

#include "events/model/limits.hpp"

namespace annals::actors {

namespace {

// What Cap'n Proto needs: a text is a pointer, perhaps a second one into another segment, and whole words.
std::size_t bytes_of(const std::string& text) { return 16 + (text.size() / 8 + 1) * 8; }

// Its own pointers are among those of the texts.
std::size_t bytes_of(const cycle::why_data& why) {
  std::size_t bytes = 8 + 16;  // the kind, and the list of vnodes
  for (const auto* text : {&why.resource, &why.asked, &why.free, &why.total, &why.limit, &why.owner, &why.count}) bytes += bytes_of(*text);
  for (const auto& vnode : why.vnodes) bytes += bytes_of(vnode);
  return bytes;
}

void fill(schema::Why::Builder to, const cycle::why_data& why) {
  to.setKind(why.kind);
  if (!why.resource.empty()) to.setResource(why.resource);
  if (!why.asked.empty()) to.setAsked(why.asked);
  if (!why.free.empty()) to.setFree(why.free);
  if (!why.total.empty()) to.setTotal(why.total);
  if (!why.limit.empty()) to.setLimit(why.limit);
  if (!why.owner.empty()) to.setOwner(why.owner);
  if (!why.count.empty()) to.setCount(why.count);
  if (why.vnodes.empty()) return;
  auto vnodes = to.initVnodes(static_cast<unsigned>(why.vnodes.size()));
  for (unsigned i = 0; i < vnodes.size(); ++i) vnodes.set(i, why.vnodes[i]);
}

}  // namespace

std::uint32_t reasons_piece::taken::take(std::uint32_t what) {
  const auto [at, is_new] = places.try_emplace(what, static_cast<std::uint32_t>(list.size()));
  if (is_new) list.push_back(what);
  return at->second;
}

bool reasons_piece::add(const cycle::job_reason& reason) {
  std::size_t more = 16;  // a job is two words
  if (!texts_.has(reason.comment)) more += bytes_of(of_->comments[reason.comment]) + bytes_of(of_->whys[reason.comment]);
  if (reason.behind > 0 && !blockers_.has(reason.behind)) more += bytes_of(of_->blockers[reason.behind - 1]);
  if (bytes_ + more > limits::cycle_reasons_bytes_max && !jobs_.empty()) return false;
  bytes_ += more;
  jobs_.push_back({reason.job, texts_.take(reason.comment), reason.behind > 0 ? blockers_.take(reason.behind) + 1 : 0});
  return true;
}

schema::sealed<schema::FromScheduler> reasons_piece::seal() const {
  return schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
    auto r = m.initReasons();
    r.setCycle(cycle_);
    const auto count = static_cast<unsigned>(texts_.list.size());
    auto texts = r.initTexts(count);
    auto whys = r.initWhys(count);
    for (unsigned i = 0; i < count; ++i) {
      texts.set(i, of_->comments[texts_.list[i]]);
      fill(whys[i], of_->whys[texts_.list[i]]);
    }
    auto blockers = r.initBlockers(static_cast<unsigned>(blockers_.list.size()));
    for (unsigned i = 0; i < blockers.size(); ++i) blockers.set(i, of_->blockers[blockers_.list[i] - 1]);
    auto jobs = r.initJobs(static_cast<unsigned>(jobs_.size()));
    for (unsigned i = 0; i < jobs.size(); ++i) {
      jobs[i].setJob(jobs_[i].job);
      jobs[i].setText(jobs_[i].text);
      jobs[i].setBehind(jobs_[i].behind);
    }
  });
}

}  // namespace annals::actors
