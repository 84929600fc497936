#include "events/log/event_log.hpp"

#include <algorithm>
#include <utility>

#include "events/log/clock_step.hpp"
#include "events/model/limits.hpp"

namespace annals::log {
namespace {

// The tail verified at a start: a few batches, more than any crash can have touched, read in a few milliseconds.
constexpr std::uint64_t tail_records = 2000;
// Versions kept in memory: 4 MB; of the others the store is asked (about 2 us).
constexpr std::size_t versions_max = 100'000;
constexpr std::int64_t ns_per_s = 1'000'000'000;

// Answers are kept by period, as long as the memory reaches; those of this and the last period are looked at, older
// periods are dropped as a whole. So an answer lives for one to two periods. Periods are counted and not read off the clock, or one that
// is wrong for a moment would find other answers: between two commits passes what the clock says, but never less than nothing and never
// more than this. A server at work writes more often; a quiet one remembers for longer.
constexpr std::int64_t passes_at_once_ns = 600 * ns_per_s;
// How far the count is on is a memo of its own, behind all others, written when it differs by so much.
constexpr std::int64_t count_kept_ns = 60 * ns_per_s;
constexpr std::string_view count_key =
    "\xff\xff\xff\xff"
    "count";

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

std::uint64_t from_big_endian(std::string_view bytes) {
  std::uint64_t n = 0;
  for (const char c : bytes) n = (n << 8) | static_cast<unsigned char>(c);
  return n;
}

repeated from_memo(const std::string& value) {
  ANNALS_INVARIANT(value.size() >= 8, "a remembered command id has its sequence");
  return {value.substr(8), from_big_endian(std::string_view(value).substr(0, 8)), false};
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
    take_up_last();
  }
  tip_ = durable_;
  versions_from_ = durable_.sequence;
  take_up_memory();
}

void event_log::take_up_last() {
  const log_reader reader(store_);
  const auto learn_step = [&](const record& r) {
    if (schema::is(r.event(), schema::LogEvent::CLOCK_STEPPED_BACK))
      durable_.furthest_ns = std::max(durable_.furthest_ns, r.event().getLog().getClockSteppedBack().getFurthestNs());
  };
  auto read = reader.read(durable_.sequence, [&](const record_ptr& last) {
    durable_.wall_ns = durable_.furthest_ns = last->get().getWallNs();
    durable_.raw_ns = last->get().getRawNs();
    durable_.head = last->hash();
    durable_.stepped_at = stepped_after(*last);
    learn_step(*last);
    return false;
  });
  if (read && durable_.stepped_at != 0 && durable_.stepped_at != durable_.sequence)
    read = reader.read(durable_.stepped_at, [&](const record_ptr& step) {
      learn_step(*step);
      return false;
    });
  if (!read) verify_tail();  // which says more
  if (!read) throw log_damaged(read.text);
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

// What says that records were lost stands directly behind the loss: a step waits for the next append.
bool event_log::steps_back(std::int64_t now_ns) const {
  if (tip_.sequence == 0 || batch_.after_loss) return false;
  const auto state = time_behind(tip_.wall_ns, now_ns);
  return state == clock_state::went_back || (state == clock_state::wrong && clock_is_right_);
}

std::string event_log::why_time_stands() const {
  const auto now = clock_.now_ns();
  return time_behind(tip_.wall_ns, now) == clock_state::wrong ? time_stands_text(tip_.wall_ns, now) : std::string();
}

std::uint64_t event_log::last_version(std::uint64_t stream) const {
  if (stream == 0) return 0;
  auto [entry, fresh] = versions_.try_emplace(stream, 0);
  if (fresh) entry->second = store_.last_version(stream);
  return entry->second;
}

// A stream that was not written to since the actor saw it has the version that it saw.
std::uint64_t event_log::version_for(const append& what) const {
  const bool as_seen = what.seen != 0 && what.seen >= versions_from_ && !versions_.contains(what.stream);
  return as_seen ? what.expected_version : last_version(what.stream);
}

std::size_t event_log::last_staged_begin() const {
  return staged_appends_.empty() ? staged_records_.size() : staged_appends_.back().records;
}

std::optional<repeated> event_log::find_command(const who& by, const std::string& command_id) const {
  if (command_id.empty()) return std::nullopt;
  const auto key = command_key(by, command_id);
  if (auto found = staged_commands_.find(key); found != staged_commands_.end()) return found->second;
  for (auto p : {memory_.period, memory_.period - 1})
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
  const auto version = version_for(what);
  if (version != what.expected_version) return version_conflict{version};

  const auto now = clock_.now_ns();
  if (steps_back(now)) note_step(now);
  if (!batch_.after_loss) clock_is_right_ = false;
  const auto stream = what.stream != 0 ? what.stream : tip_.last_stream + 1;
  auto p = begin_pending(stream, version, what.born.empty() ? 0 : std::max(tip_.last_stream, stream) + 1);
  write_down(what, what.events, stream, version, now);
  if (p.born != 0) write_down(what, what.born, p.born, 0, now);
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

event_log::pending event_log::begin_pending(std::uint64_t stream, std::uint64_t version, std::uint64_t born) const {
  return {tip_,
          stream,
          version,
          born,
          staged_records_.size(),
          batch_.blobs.size(),
          batch_.memos.size(),
          batch_.adopted.size(),
          staged_bytes_,
          {}};
}

// An append of its own, with a stream of its own. It stays when the append behind it is taken back: it is true.
void event_log::note_step(std::int64_t now_ns) {
  append what;
  what.by.user = "log";
  what.events.push_back(model::make_event([&](schema::Event::Builder e) {
    auto step = e.initLog().initClockSteppedBack();
    step.setFromNs(tip_.wall_ns);
    step.setToNs(now_ns);
    step.setFurthestNs(tip_.furthest_ns);
  }));
  auto p = begin_pending(tip_.last_stream + 1, 0, 0);
  tip_.wall_ns = now_ns;
  write_down(what, what.events, p.stream, 0, now_ns);
  tip_.stepped_at = tip_.sequence;
  staged_appends_.push_back(std::move(p));
}

void event_log::write_down(const append& what, const std::vector<model::event>& events, std::uint64_t stream, std::uint64_t version,
                           std::int64_t now_ns) {
  record_meta meta;
  meta.stream = stream;
  meta.epoch = epoch_;
  meta.raw_ns = now_ns;
  meta.wall_ns = std::max(now_ns, tip_.wall_ns);
  meta.by = what.by;
  meta.command_id = what.command_id;
  meta.cause = what.cause;
  meta.stepped_at = tip_.stepped_at;
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
  tip_.furthest_ns = std::max(tip_.furthest_ns, meta.wall_ns);
  tip_.last_stream = std::max(tip_.last_stream, stream);
  versions_[stream] = version;
}

void event_log::remember(const append& what, const std::string& command) {
  batch_.memos.push_back({period_key(memory_.period) + command, memo_value(tip_.sequence, what.answer)});
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
  if (versions_.size() <= versions_max) return;
  versions_.clear();
  versions_from_ = durable_.sequence;
}

// The count as the last writer left it. Logs of earlier versions have none: their periods were those of the clock.
void event_log::take_up_memory() {
  counted_at_ns_ = durable_.sequence > 0 ? durable_.raw_ns : clock_.now_ns();
  memory_.period = period_of(durable_.sequence > 0 ? durable_.wall_ns : counted_at_ns_);
  memory_.kept_ns = -count_kept_ns;  // it is kept with the first batch
  const auto kept = store_.read_memo(count_key);
  if (!kept || kept->size() < 24) return;
  memory_.period = static_cast<std::int64_t>(from_big_endian(std::string_view(*kept).substr(8, 8)));
  memory_.passed_ns = memory_.kept_ns = static_cast<std::int64_t>(from_big_endian(std::string_view(*kept).substr(16, 8)));
}

void event_log::count_time() {
  const auto now = clock_.now_ns();
  memory_before_ = memory_;
  memory_.passed_ns += std::clamp<std::int64_t>(now - std::exchange(counted_at_ns_, now), 0, passes_at_once_ns);
  const bool is_over = memory_.passed_ns >= limits::command_id_memory_s * ns_per_s;
  if (is_over) memory_ = {memory_.period + 1, 0, 0};
  if (is_over) batch_.forget_memos_below = period_key(memory_.period - 1);
  if (!is_over && memory_.passed_ns - memory_.kept_ns < count_kept_ns) return;
  memory_.kept_ns = memory_.passed_ns;
  const auto number = [](std::int64_t n) { return big_endian(static_cast<std::uint64_t>(n), 8); };
  batch_.memos.push_back({std::string(count_key), number(0) + number(memory_.period) + number(memory_.passed_ns)});  // of no record
}

ports::store_status event_log::commit(std::vector<record_ptr>& committed) {
  committed.clear();
  if (staged_records_.empty()) return {};
  if (!uncertain_) count_time();
  batch_.epoch = epoch_;
  auto status = take();
  if (status) status = store_.append(batch_);
  uncertain_ = status.error == ports::store_error::uncertain;
  if (status) {
    durable_ = tip_;
    committed.swap(staged_records_);
    empty_stage();
  } else if (status.error == ports::store_error::disk_full) {
    while (!staged_appends_.empty()) unstage_last();
    empty_stage();
    memory_ = memory_before_;
    tip_ = durable_;  // and before what skip_lost() passed over
  }
  return status;
}

}  // namespace annals::log
