#include "projections/status/waiting.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "events/schema/readable.hpp"

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

namespace {

// The shared values of all entries, each once and in their order, with the number of each.
template <class Value, class Less, class Get>
std::map<const Value*, std::uint64_t, Less> numbered(const auto& entries, const Get& get, Less less) {
  std::map<const Value*, std::uint64_t, Less> all(less);
  for (const auto& [job, e] : entries) all.emplace(get(e), 0);
  for (std::uint64_t next = 0; auto& [value, number] : all) number = next++;
  return all;
}

template <class Value>
const std::shared_ptr<const Value>& one_of(const std::vector<std::shared_ptr<const Value>>& all, std::uint64_t number) {
  if (number >= all.size()) stored::reader::refuse("a job waits for a reason that is not there");
  return all[number];
}

}  // namespace

void waiting_reasons::store(stored::writer& to) const {
  const auto whys = numbered<reason>(
      entries_, [](const entry& e) { return e.why.get(); },
      [](const reason* a, const reason* b) { return std::pair(std::string_view(a->text), bytes_of(a->why)) <
                                                    std::pair(std::string_view(b->text), bytes_of(b->why)); });
  const auto sayings = numbered<saying>(
      entries_, [](const entry& e) { return e.said.get(); }, [](const saying* a, const saying* b) { return *a < *b; });
  to.number(whys.size());
  for (const auto& [why, number] : whys) {
    to(why->text);
    to.bytes(bytes_of(why->why));
  }
  to.number(sayings.size());
  for (const auto& [said, number] : sayings) to(*said);
  std::map<std::uint64_t, const entry*> by_job;
  for (const auto& [job, e] : entries_) by_job.emplace(job, &e);
  to.number(by_job.size());
  for (const auto& [job, e] : by_job) to(job, whys.at(e->why.get()), sayings.at(e->said.get()), e->since_ns, e->behind);
}

void waiting_reasons::restore(stored::reader& from) {
  std::vector<std::shared_ptr<const reason>> whys;
  for (auto left = from.count(); left > 0; --left) whys.push_back(restored_reason(from));
  std::vector<std::shared_ptr<const saying>> sayings;
  for (auto left = from.count(); left > 0; --left) {
    auto said = std::make_shared<saying>();
    from(*said);
    sayings.push_back(std::move(said));
  }
  for (auto left = from.count(); left > 0; --left) {
    std::uint64_t job = 0, why = 0, said = 0;
    from(job, why, said);
    auto& e = entries_[job];
    from(e.since_ns, e.behind);
    e.why = one_of(whys, why);
    e.said = one_of(sayings, said);
  }
  whys.clear();
  drop_unused();
}

// The data stands alone, without the head that a message has; it is looked at before it is believed.
std::shared_ptr<const waiting_reasons::reason> waiting_reasons::restored_reason(stored::reader& from) {
  auto made = std::make_shared<reason>();
  from(made->text);
  if (const auto data = from.bytes(); !data.empty()) {
    const std::uint32_t one_segment[] = {0, static_cast<std::uint32_t>(data.size() / sizeof(capnp::word))};
    std::string message(reinterpret_cast<const char*>(one_segment), sizeof one_segment);
    message += data;
    const auto sealed = schema::sealed_message::from_bytes(std::as_bytes(std::span(message)));
    const auto why = sealed ? schema::sealed<schema::Why>(*sealed) : schema::sealed<schema::Why>();
    if (!why || !schema::is_readable(why)) from.refuse("why a job waits can't be read");
    made->why = capnp::canonicalize(why.get());
  }
  return *reasons_.insert(std::move(made)).first;
}

const waiting_reasons::entry* waiting_reasons::find(std::uint64_t job) const {
  const auto at = entries_.find(job);
  return at == entries_.end() ? nullptr : &at->second;
}

}  // namespace annals::projections
