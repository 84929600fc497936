#include "projections/status/waiting.hpp"

#include <algorithm>
#include <string_view>

#include "events/schema/message.hpp"

namespace annals::projections {

namespace {
std::string_view bytes_of(const kj::Array<capnp::word>& words) {
  const auto bytes = words.asBytes();
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}
}  // namespace

schema::Why::Reader waiting_reasons::reason::data() const {
  return why.size() > 0 ? capnp::readMessageUnchecked<schema::Why>(why.begin()) : schema::Why::Reader();
}

std::string_view waiting_reasons::entry::behind_id() const {
  return behind > 0 && behind <= said->blockers.size() ? std::string_view(said->blockers[behind - 1]) : std::string_view();
}

std::size_t waiting_reasons::same_content::operator()(const std::shared_ptr<const reason>& r) const {
  return std::hash<std::string_view>{}(r->text) * 31 + std::hash<std::string_view>{}(bytes_of(r->why));
}

bool waiting_reasons::same_content::operator()(const std::shared_ptr<const reason>& a, const std::shared_ptr<const reason>& b) const {
  return a->text == b->text && bytes_of(a->why) == bytes_of(b->why);
}

waiting_reasons::record_reader::record_reader(waiting_reasons& into, std::uint64_t scheduler, std::int64_t wall_ns,
                                              schema::CycleReasons::Reader reasons)
    : into_(into), from_(reasons), read_(reasons.getTexts().size()) {
  auto said = std::make_shared<saying>();
  said->cycle = reasons.getCycle();
  said->scheduler = scheduler;
  said->wall_ns = wall_ns;
  for (auto blocker : reasons.getBlockers()) said->blockers.push_back(schema::str(blocker));
  said_ = std::move(said);
}

void waiting_reasons::record_reader::take(schema::JobReason::Reader job) {
  auto& why = read_[job.getText()];
  if (!why) why = into_.shared(from_, job.getText());
  auto& entry = into_.entries_[job.getJob()];
  if (!entry.why || entry.why->text != why->text) entry.since_ns = said_->wall_ns;
  entry.why = why;
  entry.said = said_;
  entry.behind = job.getBehind();
}

std::shared_ptr<const waiting_reasons::reason> waiting_reasons::shared(schema::CycleReasons::Reader from, std::uint32_t at) {
  if (reasons_.size() >= look_at_) drop_unused();
  auto made = std::make_shared<reason>();
  made->text = schema::str(from.getTexts()[at]);
  if (at < from.getWhys().size()) made->why = capnp::canonicalize(from.getWhys()[at]);
  return *reasons_.insert(std::move(made)).first;
}

void waiting_reasons::drop_unused() {
  std::erase_if(reasons_, [](const auto& r) { return r.use_count() == 1; });
  look_at_ = std::max<std::size_t>(64, 2 * reasons_.size());
}

const waiting_reasons::entry* waiting_reasons::find(std::uint64_t job) const {
  const auto at = entries_.find(job);
  return at == entries_.end() ? nullptr : &at->second;
}

}  // namespace annals::projections
