#include "events/log/log_copy.hpp"

#include <algorithm>
#include <utility>

#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/losses.hpp"

namespace annals::log {

namespace {

// Behind all periods of command ids, as the count of them is (event_log.cpp).
constexpr std::string_view copy_key =
    "\xff\xff\xff\xff"
    "copy";
constexpr std::string_view copy_value("\0\0\0\0\0\0\0\0a follower's", 20);  // of no record, as the count

// The end that is verified at a start: more than any crash can have touched, read in a few milliseconds.
constexpr std::uint64_t hashed_records = 2000;

std::string number_of(std::uint64_t sequence) { return "record " + std::to_string(sequence); }

}  // namespace

bool is_copy(const ports::record_log& log) { return log.read_memo(copy_key).has_value(); }
bool is_memo_of_copy(std::string_view key) { return key == copy_key; }

log_copy::log_copy(ports::record_log& store) : store_(store), identity_(identity_of(store)), is_marked_(is_copy(store)) {
  if (store_.last_sequence() == 0) return;
  if (!is_marked_) throw log_damaged("the log that is there is no copy: it was written by a server");
  find_end();
}

void log_copy::find_end() {
  const auto last = store_.last_sequence();
  if (const auto tail = verify_records(store_, last > hashed_records ? last - hashed_records : 1); !tail.ok())
    throw log_damaged(tail.faults.front());
  const auto read = log_reader(store_).read(last, [this](const record_ptr& r) {
    durable_ = {r->sequence(), r->get().getWriterEpoch(), r->hash()};
    return false;
  });
  if (!read) throw log_damaged(read.text);
  tip_ = durable_;
}

std::variant<record_ptr, damage> log_copy::take(schema::byte_span bytes) {
  auto decoded = decode(bytes);
  if (const auto* bad = std::get_if<damage>(&decoded)) return damage{"what came behind " + number_of(tip_.sequence) + ": " + bad->text};
  const auto& r = std::get<record_ptr>(decoded);
  try {
    if (auto why = why_not_next(*r); !why.empty()) return damage{std::move(why)};
  } catch (const kj::Exception& e) {  // sound as a message, but not of this shape
    return damage{number_of(r->sequence()) + ": " + e.getDescription().cStr()};
  }
  stage(r, bytes);
  return decoded;
}

std::string log_copy::why_not_next(const record& r) const {
  const auto it = number_of(r.sequence()), before = number_of(tip_.sequence), next = number_of(tip_.sequence + 1);
  if (r.sequence() != tip_.sequence + 1 && !explains_gap(r, tip_.sequence + 1)) return it + " came, and not " + next;
  if (r.previous() != tip_.head) return it + ": its chain hash does not match " + before;
  if (r.get().getWriterEpoch() < tip_.epoch) return it + ": its writer epoch is before that of " + before;
  return {};
}

void log_copy::stage(const record_ptr& r, schema::byte_span bytes) {
  const auto epoch = r->get().getWriterEpoch();
  const bool behind_loss = r->sequence() != tip_.sequence + 1;
  if (taken_.empty() || taken_.back().end.epoch != epoch || behind_loss) {
    taken_.emplace_back();
    taken_.back().batch.epoch = epoch;
    taken_.back().batch.after_loss = behind_loss;
  }
  auto& to = taken_.back();
  to.batch.records.push_back({r->sequence(), r->get().getStream(), r->get().getStreamVersion(), {bytes.begin(), bytes.end()}});
  to.records.push_back(r);
  to.end = tip_ = {r->sequence(), epoch, r->hash()};
  taken_bytes_ += bytes.size();
}

ports::store_status log_copy::write(taken_batch& b) {
  if (!is_marked_) b.batch.memos.push_back({std::string(copy_key), std::string(copy_value)});
  if (store_.epoch() < b.batch.epoch)
    if (auto taken = store_.take(b.batch.epoch); !taken) return taken;
  return store_.append(b.batch);
}

ports::store_status log_copy::commit(std::vector<record_ptr>& committed) {
  committed.clear();
  ports::store_status status;
  for (auto& b : std::exchange(taken_, {})) {
    status = write(b);
    if (!status) break;
    is_marked_ = true;
    durable_ = b.end;
    std::ranges::move(b.records, std::back_inserter(committed));
  }
  tip_ = durable_;
  taken_bytes_ = 0;
  if (identity_.empty()) identity_ = identity_of(store_);
  return status;
}

}  // namespace annals::log
