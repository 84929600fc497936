#include "events/log/event_log.hpp"

#include <algorithm>
#include <utility>

#include "events/model/limits.hpp"

namespace annals::log {
namespace {

// The tail verified at a start: a few batches, more than any crash can have touched, read in a few milliseconds.
constexpr std::uint64_t tail_records = 2000;
// Versions kept in memory: 4 MB; of the others the store is asked (about 2 us).
constexpr std::size_t versions_max = 100'000;
constexpr std::int64_t ns_per_s = 1'000'000'000;

// Answers are kept by period, as long as the memory reaches; those of this and the last period are looked at, older
// periods are dropped as a whole. So an answer lives for one to two periods.
std::int64_t period_of(std::int64_t wall_ns) { return wall_ns / ns_per_s / limits::command_id_memory_s; }

std::string big_endian(std::uint64_t n, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>((n >> shift) & 0xff);
  return out;
}

std::string period_key(std::int64_t period) {
  return big_endian(static_cast<std::uint64_t>(std::max<std::int64_t>(period, 0)), 4);
}

// Scoped by who asks: nobody gets an answer by guessing another's command id.
std::string command_key(const who& by, const std::string& id) { return id + by.user + '@' + by.host; }

std::string memo_value(std::uint64_t sequence, const std::string& answer) { return big_endian(sequence, 8) + answer; }

// What a log says that nobody has taken yet: one that a salvage wrote. 0: its last record can't be read.
std::uint64_t last_epoch(const ports::record_log& log) {
  std::uint64_t epoch = 0;
  (void)log_reader(log).read(std::max<std::uint64_t>(log.last_sequence(), 1), [&](const record_ptr& last) {
    epoch = last->get().getWriterEpoch();
    return false;
  });
  return epoch;
}

repeated from_memo(const std::string& value) {
  ANNALS_INVARIANT(value.size() >= 8, "a remembered command id has its sequence");
  std::uint64_t sequence = 0;
  for (int i = 0; i < 8; ++i)
    sequence = (sequence << 8) | static_cast<unsigned char>(value[static_cast<std::size_t>(i)]);
  return {value.substr(8), sequence, false};
}

}  // namespace

struct event_log::pending {
  position before;
  std::uint64_t stream = 0, version_before = 0, born = 0;
  std::size_t records = 0, blobs = 0, memos = 0, adopted = 0, bytes = 0;  // sizes of the stage before
  std::string command;                                                    // key in staged_commands_, or empty
};

event_log::event_log(ports::record_log& store, const ports::clock& clock, tail_check when) : store_(store), clock_(clock) {
  epoch_ = std::max(store.epoch(), last_epoch(store)) + 1;
  // First: behind what is read now nobody else writes any more.
  if (const auto ok = take(); !ok && ok.error != ports::store_error::disk_full) throw log_damaged(ok.text);
  durable_.sequence = store.last_sequence();
  durable_.last_stream = store.last_stream();
  if (durable_.sequence > 0) {
    if (when == tail_check::now) verify_tail();
    const auto read = log_reader(store).read(durable_.sequence, [&](const record_ptr& last) {
      durable_.wall_ns = last->get().getWallNs();
      durable_.head = last->hash();
      return false;
    });
    if (!read) verify_tail();  // which says more
    if (!read) throw log_damaged(read.text);
  }
  tip_ = durable_;
}

std::uint64_t event_log::tail_begin() const { return durable_.sequence > tail_records ? durable_.sequence - tail_records : 1; }

void event_log::verify_tail() const {
  if (durable_.sequence == 0) return;
  if (const auto tail = verify_records(store_, tail_begin()); !tail.ok()) throw log_damaged(tail.faults.front() + what_to_run);
}

// On a full disk it is tried again when something is to be written.
ports::store_status event_log::take() {
  if (taken_) return {};
  auto ok = store_.take(epoch_);
  if (ok) taken_ = true;
  return ok;
}

event_log::~event_log() = default;

std::int64_t event_log::wall_now() const { return std::max(clock_.now_ns(), tip_.wall_ns); }

std::uint64_t event_log::last_version(std::uint64_t stream) const {
  if (stream == 0) return 0;
  auto [entry, fresh] = versions_.try_emplace(stream, 0);
  if (fresh) entry->second = store_.last_version(stream);
  return entry->second;
}

std::size_t event_log::last_staged_begin() const {
  return staged_appends_.empty() ? staged_records_.size() : staged_appends_.back().records;
}

std::optional<repeated> event_log::find_command(const who& by, const std::string& command_id) const {
  if (command_id.empty()) return std::nullopt;
  const auto key = command_key(by, command_id);
  if (auto found = staged_commands_.find(key); found != staged_commands_.end()) return found->second;
  const auto period = period_of(wall_now());
  for (auto p : {period, period - 1})
    if (auto value = store_.read_memo(period_key(p) + key)) return from_memo(*value);
  return std::nullopt;
}

std::variant<staged, version_conflict, repeated, too_large> event_log::stage(append what) {
  ANNALS_INVARIANT(!what.events.empty(), "an append has events");
  ANNALS_INVARIANT(!uncertain_, "nothing is staged behind what nobody knows the end of");
  for (const auto* events : {&what.events, &what.born})
    for (const auto& e : *events)
      ANNALS_INVARIANT(e.get().which() == what.events.front().get().which(), "a stream holds events of one kind");
  if (auto before = find_command(what.by, what.command_id)) return *before;
  std::size_t of_hooks = 0;
  for (const auto& run : what.hooks) of_hooks += run.bytes().size();
  for (const auto* events : {&what.events, &what.born})
    for (const auto& e : *events)
      if (const auto bytes = e.bytes().size() + std::exchange(of_hooks, 0); bytes > limits::event_bytes_max) return too_large{bytes};
  const auto version = last_version(what.stream);
  if (version != what.expected_version) return version_conflict{version};

  const auto stream = what.stream != 0 ? what.stream : tip_.last_stream + 1;
  pending p{tip_,
            stream,
            version,
            what.born.empty() ? 0 : std::max(tip_.last_stream, stream) + 1,
            staged_records_.size(),
            batch_.blobs.size(),
            batch_.memos.size(),
            batch_.adopted.size(),
            staged_bytes_,
            {}};
  write_down(what, what.events, stream, version);
  if (p.born != 0) write_down(what, what.born, p.born, 0);
  const staged place{stream, versions_[stream], tip_.sequence};
  if (!what.command_id.empty()) {
    p.command = command_key(what.by, what.command_id);
    remember(what, p.command);
  }
  for (const auto& b : what.blobs) staged_bytes_ += b.bytes.size();
  std::move(what.blobs.begin(), what.blobs.end(), std::back_inserter(batch_.blobs));
  std::move(what.uploaded.begin(), what.uploaded.end(), std::back_inserter(batch_.adopted));
  staged_appends_.push_back(std::move(p));
  return place;
}

void event_log::write_down(const append& what, const std::vector<model::event>& events, std::uint64_t stream, std::uint64_t version) {
  record_meta meta;
  meta.stream = stream;
  meta.epoch = epoch_;
  meta.raw_ns = clock_.now_ns();
  meta.wall_ns = std::max(meta.raw_ns, tip_.wall_ns);
  meta.by = what.by;
  meta.command_id = what.command_id;
  meta.cause = what.cause;
  if (&events == &what.events) meta.hooks = what.hooks;
  for (const auto& event : events) {
    meta.sequence = ++tip_.sequence;
    meta.version = ++version;
    auto encoded = encode(meta, event, tip_.head);
    meta.hooks.clear();  // they stand in the first record only
    tip_.head = encoded.hash;
    staged_bytes_ += encoded.bytes.size();
    batch_.records.push_back({meta.sequence, stream, version, std::move(encoded.bytes)});
    staged_records_.push_back(std::move(encoded.decoded));
  }
  tip_.wall_ns = meta.wall_ns;
  tip_.last_stream = std::max(tip_.last_stream, stream);
  versions_[stream] = version;
}

void event_log::remember(const append& what, const std::string& command) {
  batch_.memos.push_back({period_key(period_of(tip_.wall_ns)) + command, memo_value(tip_.sequence, what.answer)});
  staged_commands_[command] = {what.answer, tip_.sequence, true};
}

void event_log::skip_lost(std::uint64_t first_sequence, std::uint64_t first_stream) {
  ANNALS_INVARIANT(staged_records_.empty(), "what was lost is skipped before anything is staged");
  tip_.sequence = std::max(tip_.sequence, first_sequence - 1);
  tip_.last_stream = std::max(tip_.last_stream, first_stream - 1);
  batch_.after_loss = true;
}

void event_log::unstage_last() {
  ANNALS_INVARIANT(!staged_appends_.empty(), "what is taken back was staged");
  take_back(staged_appends_.back());
  staged_appends_.pop_back();
}

void event_log::take_back(const pending& p) {
  tip_ = p.before;
  versions_[p.stream] = p.version_before;
  if (p.born != 0) versions_.erase(p.born);
  batch_.records.resize(p.records);
  staged_records_.resize(p.records);
  batch_.blobs.resize(p.blobs);
  batch_.memos.resize(p.memos);
  batch_.adopted.resize(p.adopted);
  staged_bytes_ = p.bytes;
  staged_commands_.erase(p.command);
}

void event_log::empty_stage() {
  batch_ = {};
  staged_records_.clear();
  staged_appends_.clear();
  staged_commands_.clear();
  staged_bytes_ = 0;
  if (versions_.size() > versions_max) versions_.clear();
}

void event_log::forget_old_commands() {
  if (const auto oldest = period_of(tip_.wall_ns) - 1; oldest > swept_period_) batch_.forget_memos_below = period_key(oldest);
}

ports::store_status event_log::commit(std::vector<record_ptr>& committed) {
  committed.clear();
  if (staged_records_.empty()) return {};
  if (!uncertain_) forget_old_commands();
  batch_.epoch = epoch_;
  auto status = take();
  if (status) status = store_.append(batch_);
  uncertain_ = status.error == ports::store_error::uncertain;
  if (status) {
    if (!batch_.forget_memos_below.empty()) swept_period_ = period_of(tip_.wall_ns) - 1;
    durable_ = tip_;
    committed.swap(staged_records_);
    empty_stage();
  } else if (status.error == ports::store_error::disk_full) {
    while (!staged_appends_.empty()) unstage_last();
    empty_stage();
    tip_ = durable_;  // and before what skip_lost() passed over
  }
  return status;
}

}  // namespace annals::log
