// Verification of a log: reads everything once and compares it with everything else that is known about it.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "events/log/log_reader.hpp"

namespace annals::log {
namespace {

struct place {
  std::uint64_t stream = 0, version = 0;
};

class verification {
 public:
  verification(const ports::event_store& store, std::uint64_t from, const std::function<bool(std::uint64_t)>& progress)
      : store_(store), from_(std::max<std::uint64_t>(from, 1)), next_(from_), progress_(progress) {}

  verify_report run() {
    read_records();
    if (!stopped_ && report_.records > 0 && next_ <= store_.last_sequence())
      fault("records " + std::to_string(next_) + " to " + std::to_string(store_.last_sequence()) + " are missing");
    if (!stopped_ && from_ == 1) check_index();
    if (!stopped_ && from_ == 1) check_blobs();
    if (head_) report_.head = *head_;
    return std::move(report_);
  }

 private:
  void read_records() {
    while (true) {
      const auto read = store_.read(next_, [&](std::uint64_t sequence, schema::byte_span bytes) {
        if (progress_ && !progress_(sequence)) stopped_ = true;
        if (!stopped_) check(sequence, bytes);
        return !stopped_ && report_.faults.size() < faults_max;
      });
      if (read || stopped_) return;
      fault(read.text);
      if (!step_over()) return;
    }
  }

  // What can't be read ends where something can: the next records are tried one by one, a block's worth and more.
  bool step_over() {
    const auto first = next_;
    for (auto at = first + 1; at < first + 100'000 && at <= store_.last_sequence(); ++at) {
      bool found = false;
      (void)store_.read(at, [&](std::uint64_t sequence, schema::byte_span) {
        found = true;
        next_ = sequence;
        return false;
      });
      if (!found) continue;
      fault("records " + std::to_string(first) + " to " + std::to_string(next_ - 1) + " can't be read");
      head_.reset();
      return true;
    }
    fault("records from " + std::to_string(first) + " on can't be read");
    return false;
  }

  void check(std::uint64_t sequence, schema::byte_span bytes) {
    if (sequence != next_) {
      fault("records " + std::to_string(next_) + " to " + std::to_string(sequence - 1) + " are missing");
      head_.reset();
      for (; next_ < sequence && from_ == 1; ++next_) places_.push_back({});
    }
    next_ = sequence + 1;
    ++report_.records;
    const auto decoded = decode(bytes);
    if (auto* bad = std::get_if<damage>(&decoded)) {
      damaged(sequence, bad->text);
      return;
    }
    const auto& record = *std::get<record_ptr>(decoded);
    check_place(sequence, record);
    if (head_ && record.previous() != *head_)
      fault(sequence, {record.get().getStream(), record.get().getStreamVersion()},
            "its chain hash does not match record " + std::to_string(sequence - 1) + ": one of the two was changed");
    head_ = record.hash();
    note_blobs(sequence, record.event());
  }

  void damaged(std::uint64_t sequence, const std::string& what) {
    const auto at = find_in_index(sequence);
    fault(sequence, at, what);
    if (from_ == 1) places_.push_back(at);
    if (at.stream) versions_[at.stream] = at.version;
    head_.reset();
  }

  void check_place(std::uint64_t sequence, const record& r) {
    const place at{r.get().getStream(), r.get().getStreamVersion()};
    if (from_ == 1) places_.push_back(at);
    if (r.sequence() != sequence) fault(sequence, at, "it says it is record " + std::to_string(r.sequence()));
    auto [entry, fresh] = versions_.try_emplace(at.stream, at.version);
    const bool first_seen_late = fresh && from_ > 1;
    const auto expected = fresh ? 1 : entry->second + 1;
    if (!first_seen_late && at.version != expected)
      fault(sequence, at, "its stream's next version would be " + std::to_string(expected));
    entry->second = at.version;
    if (r.get().getWallNs() < wall_ns_) fault(sequence, at, "its time is before that of the record before it");
    if (r.get().getWriterEpoch() < epoch_)
      fault(sequence, at, "its writer epoch is before that of the record before it");
    wall_ns_ = r.get().getWallNs();
    epoch_ = r.get().getWriterEpoch();
  }

  void note_blobs(std::uint64_t sequence, schema::Event::Reader event) {
    auto name = [&](schema::BlobRef::Reader ref) {
      const auto hash = ref.getHash();
      if (hash.size() > 0) named_.try_emplace(std::string(hash.asChars().begin(), hash.size()), sequence);
    };
    if (event.isJobQueued()) name(event.getJobQueued().getScript());
    if (event.isCycleBegan()) name(event.getCycleBegan().getPolicy());
    if (event.isBlobForgotten()) {
      const auto hash = event.getBlobForgotten().getHash();
      named_.erase(std::string(hash.asChars().begin(), hash.size()));
    }
  }

  void check_blobs() {
    for (const auto& [hash, sequence] : named_) {
      ports::store_status why;
      ++report_.blobs;
      if (!store_.read_blob(hash, &why))
        fault(sequence, find_in_index(sequence), why ? "the blob it names is missing" : why.text);
    }
  }

  // The index must lead to exactly the records that are there.
  void check_index() {
    std::uint64_t entries = 0;
    const auto read = store_.read_index([&](std::uint64_t stream, std::uint64_t version, std::uint64_t sequence) {
      ++entries;
      const bool known = sequence >= 1 && sequence <= places_.size();
      if (!known || places_[sequence - 1].stream != stream || places_[sequence - 1].version != version)
        fault("the index says that version " + std::to_string(version) + " of stream " + std::to_string(stream) +
              " is record " + std::to_string(sequence) + ", but it is not");
      return report_.faults.size() < faults_max;
    });
    if (!read) fault(read.text);
    if (read && entries < places_.size())
      fault("the index of streams has " + std::to_string(entries) + " entries for " + std::to_string(places_.size()) +
            " records");
  }

  // Only asked about a damaged record, which can't tell.
  place find_in_index(std::uint64_t wanted) const {
    place found;
    (void)store_.read_index([&](std::uint64_t stream, std::uint64_t version, std::uint64_t sequence) {
      if (sequence == wanted) found = {stream, version};
      return sequence != wanted;
    });
    return found;
  }

  void fault(const std::string& text) {
    if (report_.faults.size() < faults_max) report_.faults.push_back(text);
  }
  void fault(std::uint64_t sequence, place at, const std::string& text) {
    const auto where = at.stream ? "stream " + std::to_string(at.stream) + ", version " + std::to_string(at.version)
                                 : "stream unknown";
    fault("record " + std::to_string(sequence) + " (" + where + "): " + text);
  }

  const ports::event_store& store_;
  const std::uint64_t from_;
  std::uint64_t next_;
  const std::function<bool(std::uint64_t)>& progress_;
  bool stopped_ = false;
  verify_report report_;
  std::optional<chain_hash> head_;  // of the record before, if it is known
  std::unordered_map<std::uint64_t, std::uint64_t> versions_;
  std::vector<place> places_;                   // of record i + 1; only in a whole verification
  std::map<std::string, std::uint64_t> named_;  // hash of a blob -> first record that names it
  std::int64_t wall_ns_ = INT64_MIN;
  std::uint64_t epoch_ = 0;
};

}  // namespace

verify_report verify(const ports::event_store& store, std::uint64_t from,
                     const std::function<bool(std::uint64_t)>& progress) {
  return verification(store, from, progress).run();
}

}  // namespace annals::log
