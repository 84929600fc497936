#include "events/log/log_check.hpp"

#include <algorithm>

#include "events/log/log_copy.hpp"
#include "events/log/log_mark.hpp"
#include "events/log/losses.hpp"

namespace annals::log {

namespace {
// How far a search for something readable goes behind what can't be read: more than a block of the store holds.
constexpr std::uint64_t step_max = 100'000;

std::string range(std::uint64_t first, std::uint64_t end) {
  return end == first + 1 ? "record " + std::to_string(first) + " is"
                          : "records " + std::to_string(first) + " to " + std::to_string(end - 1) + " are";
}

bool says_that_time_went_back(const record& r, std::int64_t before_ns) {
  if (!schema::is(r.event(), schema::LogEvent::CLOCK_STEPPED_BACK)) return false;
  const auto step = r.event().getLog().getClockSteppedBack();
  return step.getFromNs() == before_ns && step.getToNs() == r.get().getWallNs();
}
}  // namespace

log_check::log_check(const ports::record_log& log, const ports::blob_store* blobs, check_state state, std::size_t faults_max)
    : log_(log), blobs_(is_copy(log) ? nullptr : blobs), state_(std::move(state)), faults_max_(faults_max) {}

check_state log_check::whole(const ports::record_log& log) {
  check_state s;
  s.upto = log.last_sequence();
  return s;
}

bool log_check::step(const std::function<bool(std::uint64_t)>& go_on) {
  switch (state_.phase) {
    case check_phase::records: step_records(go_on); break;
    case check_phase::index: step_index(); break;
    case check_phase::rest: step_rest(); break;
    case check_phase::done: break;
  }
  return state_.phase != check_phase::done;
}

// -- records -----------------------------------------------------------------------------------------------------------

void log_check::step_records(const std::function<bool(std::uint64_t)>& go_on) {
  bool stopped = false;
  std::size_t left = limits::check_slice_records;
  const auto read = log_.read(state_.next, [&](std::uint64_t sequence, schema::byte_span bytes) {
    stopped = go_on && !go_on(sequence);
    if (stopped || sequence > state_.upto) return false;
    check(sequence, bytes);
    return --left > 0;
  });
  check_places();
  if (stopped) return;
  if (!read) {
    fault(read.text);
    step_over();
  } else if (left > 0 && state_.next <= state_.upto) {
    missing(state_.next, state_.upto + 1);
  }
  if (state_.next > state_.upto) end_records();
}

// What can't be read ends where something can: the next records are tried one by one, a block's worth and more.
void log_check::step_over() {
  const auto first = state_.next;
  bool found = false;
  for (auto at = first + 1; !found && at < first + step_max && at <= state_.upto; ++at)
    (void)log_.read(at, [&](std::uint64_t sequence, schema::byte_span) {
      found = true;
      state_.next = std::min(sequence, state_.upto + 1);
      return false;
    });
  if (!found) state_.next = std::min(first + step_max, state_.upto + 1);
  fault(range(first, state_.next) + " not readable");
  forget_head();
}

void log_check::forget_head() {
  state_.head_known = false;
  state_.head = {};
  state_.wall_ns = INT64_MIN;
}

void log_check::missing(std::uint64_t first, std::uint64_t end) {
  fault(range(first, end) + " missing");
  forget_head();
  state_.next = end;
}

void log_check::check(std::uint64_t sequence, schema::byte_span bytes) {
  const auto decoded = decode(bytes);
  const auto* sound = std::get_if<record_ptr>(&decoded);
  if (sequence != state_.next && !(sound && explains_gap(**sound, state_.next))) missing(state_.next, sequence);
  state_.next = sequence + 1;
  ++state_.records;
  if (const auto* bad = std::get_if<damage>(&decoded)) {
    fault(sequence, find_in_index(sequence), bad->text);
    forget_head();
    return;
  }
  const auto& r = **sound;
  const ports::index_place at{r.get().getStream(), r.get().getStreamVersion()};
  if (r.sequence() != sequence) fault(sequence, at, "it says it is record " + std::to_string(r.sequence()));
  if (sequence == 1 && r.previous() != chain_hash{}) fault(sequence, at, "it is the first one, but follows another");
  if (state_.head_known && r.previous() != state_.head)
    fault(sequence, at, "its chain hash does not match record " + std::to_string(sequence - 1) + ": one of the two was changed");
  state_.head = r.hash();
  state_.head_known = true;
  placed_.push_back({at, sequence});
  check_order(r);
  note_blobs(sequence, r.event());
}

void log_check::check_order(const record& r) {
  const ports::index_place at{r.get().getStream(), r.get().getStreamVersion()};
  const auto sequence = state_.next - 1;
  if (at.version == 0) fault(sequence, at, "versions of a stream begin with 1");
  if (r.get().getWallNs() < state_.wall_ns && !says_that_time_went_back(r, state_.wall_ns))
    fault(sequence, at, "its time is before that of the record before it");
  if (r.get().getWriterEpoch() < state_.epoch) fault(sequence, at, "its writer epoch is before that of the record before it");
  // What is lost may have been such a word.
  state_.wall_ns = schema::is(r.event(), schema::LogEvent::RECORD_LOST) ? INT64_MIN : r.get().getWallNs();
  state_.epoch = r.get().getWriterEpoch();
}

// The index must lead to each record, and have the version before it at an earlier one.
void log_check::check_places() {
  std::vector<ports::index_place> places;
  for (const auto& p : placed_) {
    places.push_back(p.place);
    if (p.place.version > 1) places.push_back({p.place.stream, p.place.version - 1});
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<std::uint64_t> found;
  if (const auto read = log_.sequences_of(places, found); !read) fault(read.text);
  found.resize(places.size());
  const auto sequence_at = [&](ports::index_place p) {
    return found[static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), p) - places.begin())];
  };
  for (const auto& [place, sequence] : placed_) {
    const auto indexed = sequence_at(place);
    if (indexed == 0) fault(sequence, place, "the index of streams does not have it");
    else if (indexed != sequence) fault(sequence, place, "the index of streams has record " + std::to_string(indexed) + " in its place");
    if (place.version < 2) continue;
    const auto before = sequence_at({place.stream, place.version - 1});
    if (before == 0) fault(sequence, place, "its stream has no version " + std::to_string(place.version - 1));
    else if (before >= sequence) fault(sequence, place, "the version before it is record " + std::to_string(before));
  }
  placed_.clear();
}

// Only asked about a damaged record, which can't tell.
ports::index_place log_check::find_in_index(std::uint64_t wanted) const {
  ports::index_place found;
  if (state_.fault_count >= faults_max_) return found;  // its text is not kept
  (void)log_.read_index([&](std::uint64_t stream, std::uint64_t version, std::uint64_t sequence) {
    if (sequence == wanted) found = {stream, version};
    return sequence != wanted;
  });
  return found;
}

// -- blobs -------------------------------------------------------------------------------------------------------------

void log_check::note_blobs(std::uint64_t sequence, schema::Event::Reader event) {
  if (state_.from != 1 || !blobs_) return;
  const auto name = [&](schema::BlobRef::Reader blob) {
    const auto hash = blob.getHash();
    if (hash.size() > 0) check_blob(sequence, std::string(hash.asChars().begin(), hash.size()), blob.getSize());
  };
  if (schema::is(event, schema::JobEvent::QUEUED)) name(event.getJob().getQueued().getScript());
  if (schema::is(event, schema::SchedulerEvent::CYCLE_BEGAN)) name(event.getScheduler().getCycleBegan().getPolicy());
  if (schema::is(event, schema::HookEvent::IMPORTED)) name(event.getHook().getImported().getContent());
  if (schema::is(event, schema::LogEvent::BLOB_LOST)) {
    const auto hash = event.getLog().getBlobLost().getHash();
    if (const auto missing = state_.missing_blobs.find(std::string(hash.asChars().begin(), hash.size()));
        missing != state_.missing_blobs.end()) {
      lose_blob(missing->first, missing->second);
      state_.missing_blobs.erase(missing);
    }
  }
}

void log_check::lose_blob(const std::string& hash, std::uint64_t sequence) {
  ++state_.lost_count;
  if (state_.lost.size() < faults_max_)
    state_.lost.push_back("blob " + hex(hash) + ", named by record " + std::to_string(sequence) + ", is lost since a salvage");
}

// Only asked when more are missing than are remembered: reads on to the end, once.
bool log_check::is_lost_later(const std::string& hash) {
  if (!lost_later_) {
    lost_later_.emplace();
    (void)log_.read(state_.next, [&](std::uint64_t sequence, schema::byte_span bytes) {
      const auto decoded = decode(bytes);
      const auto* r = std::get_if<record_ptr>(&decoded);
      if (r && schema::is((*r)->event(), schema::LogEvent::BLOB_LOST)) {
        const auto named = (*r)->event().getLog().getBlobLost().getHash();
        lost_later_->emplace(named.asChars().begin(), named.size());
      }
      return sequence < state_.upto;
    });
  }
  return lost_later_->contains(hash);
}

void log_check::check_blob(std::uint64_t sequence, const std::string& hash, std::uint64_t named) {
  if (const auto known = known_blobs_.find(hash); known != known_blobs_.end()) return check_size(sequence, named, known->second);
  if (state_.missing_blobs.contains(hash)) return;
  ++state_.blobs;
  std::uint64_t size = named;  // of one that is damaged nobody knows it
  const auto found = blobs_->check_blob(hash, &size);
  if (!found && state_.missing_blobs.size() < limits::check_missing_blobs_max) state_.missing_blobs.emplace(hash, sequence);
  else if (!found && is_lost_later(hash)) lose_blob(hash, sequence);
  else if (!found || !*found) fault(sequence, find_in_index(sequence), found ? found->text : "the blob it names is missing");
  else check_size(sequence, named, size);
  if (!found) return;
  if (known_blobs_.size() >= limits::check_known_blobs_max) known_blobs_.clear();
  known_blobs_.emplace(hash, size);
}

void log_check::check_size(std::uint64_t sequence, std::uint64_t named, std::uint64_t size) {
  if (named == size) return;
  fault(sequence, find_in_index(sequence), "the blob it names has " + std::to_string(size) + " bytes, not " + std::to_string(named));
}

void log_check::end_records() {
  for (const auto& [hash, sequence] : state_.missing_blobs) fault(sequence, find_in_index(sequence), "the blob it names is missing");
  state_.missing_blobs.clear();
  state_.phase = state_.from == 1 ? check_phase::index : check_phase::done;
}

// -- what stands beside the records ------------------------------------------------------------------------------------

// Each record was found in the index; whether it has more than them shows in the number.
void log_check::step_index() {
  std::size_t left = limits::check_slice_entries;
  const auto read = log_.read_index([&](std::uint64_t stream, std::uint64_t version, std::uint64_t sequence) {
    state_.place = {stream, version + 1};
    if (sequence <= state_.upto) ++state_.entries;
    return --left > 0;
  },
                                    state_.place);
  if (read && left == 0) return;
  if (!read) fault(read.text);
  else if (state_.entries != state_.records)
    fault("the index of streams has " + std::to_string(state_.entries) + " entries for " + std::to_string(state_.records) + " records");
  state_.phase = check_phase::rest;
}

void log_check::step_rest() {
  const auto read = log_.read_rest(state_.rest, limits::check_slice_bytes, [&](std::string_view, std::string_view value) {
    if (value.size() < sizeof(std::uint64_t)) fault("the memo of a command id has only " + std::to_string(value.size()) + " bytes");
  });
  if (!read) fault(read.text);
  if (state_.rest.empty()) state_.phase = check_phase::done;
}

void log_check::fault(const std::string& text) {
  if (state_.faults.size() < faults_max_) state_.faults.push_back(text);
  ++state_.fault_count;
}

void log_check::fault(std::uint64_t sequence, ports::index_place at, const std::string& text) {
  const auto where = at.stream ? "stream " + std::to_string(at.stream) + ", version " + std::to_string(at.version)
                               : "stream unknown";
  fault("record " + std::to_string(sequence) + " (" + where + "): " + text);
}

}  // namespace annals::log
