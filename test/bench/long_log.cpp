// A long log of a server, made from a short one: of a job that has run, many are made, and more that are queued. It is what such a server
// would have written, to the last hash of the chain, but within minutes: records are patterns with new numbers and times, and thousands
// have one sync. Accounting and mails are marked as written up to its end, as they would be, so that a checkpoint can be made at once.
// The last job that ended in the log is the pattern. It has run beside a scheduler, for some seconds. Of those made, 100 run at a time.
// usage: bench_long_log SERVER_PRIV FINISHED QUEUED EVENTS
// EVENTS of the whole log: samples of finished jobs' usage fill it up. The server is down meanwhile. test/bench/cluster.py uses it.
#include <capnp/message.h>

#include <cstring>
#include <fstream>
#include <future>
#include <iterator>

#include "events/log/log_reader.hpp"
#include "projections/accounting/checkpoint_mark.hpp"
#include "projections/mail/mail_spool.hpp"
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

constexpr std::size_t records_of_batch = 20'000;
constexpr std::uint64_t jobs_at_once = 100;
constexpr std::uint64_t samples_in_a_row = 10;     // of a job: the index of streams takes them more quickly than those of all jobs in turn
constexpr std::uint64_t first_number = 1'000'000;  // all have as many digits: a text keeps its size
constexpr std::size_t digits_of_number = 7;
constexpr std::uint64_t jobs_max = 8'999'999;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_long_log: %s\n", why.c_str());
  std::exit(1);
}

// A record that can be written again and again: its message stands in one piece, and changes in place.
class pattern {
 public:
  explicit pattern(schema::Record::Reader of)
      : words_(of.totalSize().wordCount + 64), builder_(kj::arrayPtr(words_.data() + 1, words_.size() - 1)) {
    builder_.setRoot(of);
    record_ = builder_.getRoot<schema::Record>();
    record_.setCause(0);
  }
  schema::Record::Builder get() { return record_; }
  schema::JobEvent::Builder job() { return record_.getEvent().getJob(); }

  schema::byte_span message() {
    const auto segments = builder_.getSegmentsForOutput();
    if (segments.size() != 1) fail("a pattern has outgrown its room");
    const std::uint32_t head[] = {0, static_cast<std::uint32_t>(segments[0].size())};  // one segment, of so many words
    std::memcpy(words_.data(), head, sizeof head);
    return std::as_bytes(std::span(words_.data(), 1 + segments[0].size()));
  }

 private:
  std::vector<capnp::word> words_;  // one for the head, then the segment
  capnp::MallocMessageBuilder builder_;
  schema::Record::Builder record_{nullptr};
};
using pattern_ptr = std::unique_ptr<pattern>;

void write_digits(std::uint64_t n, char* to) {
  for (std::size_t i = digits_of_number; i > 0; --i, n /= 10) to[i - 1] = static_cast<char>('0' + n % 10);
}

// What the patterns are made of.
struct patterns {
  pattern_ptr queued, assigned, started, sample, cycle_began, cycle_ended;
  std::vector<pattern_ptr> end;  // from the end of its program on
  std::uint64_t cycle = 0;       // the last one's number

  explicit patterns(const log::log_reader& reader) {
    std::uint64_t stream = 0;
    must(reader.read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::ENDED)) stream = r->get().getStream();
      if (r->kind() == schema::StreamKind::SCHEDULER) learn_cycle(*r);
      return true;
    }));
    must(reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      learn_job(*r);
      return true;
    }));
    if (!queued || !assigned || !started || !sample || end.empty() || !cycle_began || !cycle_ended)
      fail("no job in this log has run, told its usage and ended beside a scheduler");
    auto job = queued->job().getQueued();
    const auto id = schema::str(job.asReader().getId());
    job.setId(std::string(digits_of_number, '0') + id.substr(id.find('.')));
  }

 private:
  static void must(const ports::store_status& ok) {
    if (!ok) fail(ok.text);
  }
  void learn_cycle(const log::record& r) {
    if (schema::is(r.event(), schema::SchedulerEvent::CYCLE_BEGAN)) cycle_began = std::make_unique<pattern>(r.get());
    if (!schema::is(r.event(), schema::SchedulerEvent::CYCLE_ENDED)) return;
    cycle_ended = std::make_unique<pattern>(r.get());
    cycle = r.event().getScheduler().getCycleEnded().getNumber();
  }
  void learn_job(const log::record& r) {
    auto p = std::make_unique<pattern>(r.get());
    const auto what = r.event().getJob().which();
    if (what == schema::JobEvent::QUEUED) queued = std::move(p);
    else if (what == schema::JobEvent::ASSIGNED) assigned = std::move(p);
    else if (what == schema::JobEvent::STARTED) started = std::move(p);
    else if (what == schema::JobEvent::USAGE_REPORTED) sample = std::move(p);
    else if (started) end.push_back(std::move(p));
  }
};

// Puts records behind the log's end. While one batch is written the next is made.
class writer {
 public:
  explicit writer(ports::event_store& store)
      : store_(store), epoch_(store.epoch() + 1), sequence_(store.last_sequence()), stream_(store.last_stream()) {
    const auto last = log::log_reader(store).read(sequence_, [&](const log::record_ptr& r) {
      hash_ = r->hash();
      wall_ns_ = r->get().getWallNs();
      return false;
    });
    if (!last) fail(last.text);
    if (const auto ok = store.take(epoch_); !ok) fail(ok.text);
    begin_batch();
  }

  std::uint64_t new_stream() { return ++stream_; }
  std::uint64_t sequence() const { return sequence_; }
  std::uint64_t bytes() const { return bytes_; }
  std::int64_t wall_ns() const { return wall_ns_; }

  void write(pattern& p, std::uint64_t stream, std::uint64_t version) {
    auto r = p.get();
    r.setSequence(++sequence_);
    r.setStream(stream);
    r.setStreamVersion(version);
    r.setWriterEpoch(epoch_);
    r.setWallNs(wall_ns_);
    r.setRawNs(wall_ns_);
    auto whole = log::frame(p.message(), hash_);
    hash_ = whole.hash;
    bytes_ += whole.bytes.size();
    next_.records.push_back({sequence_, stream, version, std::move(whole.bytes)});
    if (next_.records.size() == records_of_batch) hand_over();
  }

  void finish() {
    if (!next_.records.empty()) hand_over();
    wait();
  }

 private:
  void wait() {
    if (!writing_.valid()) return;
    if (const auto ok = writing_.get(); !ok) fail(ok.text);
  }
  void hand_over() {
    wait();
    writing_ = std::async(std::launch::async, [this, batch = std::move(next_)] { return store_.append(batch); });
    begin_batch();
  }
  void begin_batch() {
    next_ = {};
    next_.epoch = epoch_;
    next_.records.reserve(records_of_batch);
    wall_ns_ = std::max(wall_ns_, system_time().now_ns());
  }

  ports::event_store& store_;
  std::uint64_t epoch_, sequence_, stream_, bytes_ = 0;
  std::int64_t wall_ns_ = 0;
  log::chain_hash hash_{};
  ports::write_batch next_;
  std::future<ports::store_status> writing_;
};

class story {
 public:
  story(writer& to, patterns& of, std::uint64_t cycle_version)
      : to_(to), of_(of), scheduler_(of.cycle_began->get().getStream()), cycle_version_(cycle_version) {}

  std::uint64_t events_of_job() const { return 5 + of_.end.size(); }  // without samples of its usage

  void queue_job() {
    const auto number = first_number + jobs_++;
    auto job = of_.queued->job().getQueued();
    job.setNumber(number);
    job.setQueueRank(to_.wall_ns() / 1000 + static_cast<std::int64_t>(jobs_));
    write_digits(number, job.getId().begin());
    if (auto command = of_.queued->get().getCommandId(); command.size() >= sizeof number)
      std::memcpy(command.begin(), &number, sizeof number);
    to_.write(*of_.queued, to_.new_stream(), 1);
  }

  // Jobs that run at the same time. `samples` of the usage of each.
  void run_jobs(std::uint64_t jobs, std::uint64_t samples) {
    std::vector<std::uint64_t> streams;
    for (std::uint64_t i = 0; i < jobs; ++i) {
      queue_job();
      streams.push_back(of_.queued->get().getStream());
      start(streams.back());
    }
    for (std::uint64_t told = 0; told < samples; told += samples_in_a_row)
      for (const auto stream : streams) tell_usage(stream, told, std::min(told + samples_in_a_row, samples));
    auto version = 3 + samples;
    for (const auto& p : of_.end) {
      ++version;
      for (const auto stream : streams) to_.write(*p, stream, version);
    }
  }

 private:
  void start(std::uint64_t stream) {
    const auto cycle = ++of_.cycle;
    auto began = of_.cycle_began->get().getEvent().getScheduler().getCycleBegan();
    began.setNumber(cycle);
    began.setViewSequence(to_.sequence());
    of_.cycle_ended->get().getEvent().getScheduler().getCycleEnded().setNumber(cycle);
    to_.write(*of_.cycle_began, scheduler_, ++cycle_version_);
    to_.write(*of_.assigned, stream, 2);
    to_.write(*of_.cycle_ended, scheduler_, ++cycle_version_);
    to_.write(*of_.started, stream, 3);
  }

  // Behind so many samples, up to so many.
  void tell_usage(std::uint64_t stream, std::uint64_t told, std::uint64_t up_to) {
    while (told < up_to) {
      set_walltime(++told * 10);
      to_.write(*of_.sample, stream, 3 + told);
    }
  }

  void set_walltime(std::uint64_t seconds) {
    for (auto used : of_.sample->job().getUsageReported().getUsage().getResources()) {
      if (used.asReader().getResource() != "walltime" || used.getValue().size() != 8) continue;
      char text[16];
      std::snprintf(text, sizeof text, "%02u:%02u:%02u", static_cast<unsigned>(seconds / 3600 % 100),
                    static_cast<unsigned>(seconds / 60 % 60), static_cast<unsigned>(seconds % 60));
      std::memcpy(used.getValue().begin(), text, 8);
    }
  }

  writer& to_;
  patterns& of_;
  std::uint64_t scheduler_, cycle_version_;
  std::uint64_t jobs_ = 0;
};

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void mark_books(const std::string& priv, std::uint64_t sequence) {
  const auto lines = priv + "/views/accounting", mails = priv + "/mail/mark";
  auto line = projections::newest_mark(content_of(lines));
  auto mail = projections::newest_mail_mark(content_of(mails));
  if (!line || mail.generation == 0) fail("accounting or mail of this server has no mark");
  ++line->generation;
  line->sequence = sequence;
  ++mail.generation;
  mail.done = mail.begun = {sequence + 1, 0};
  std::ofstream(lines, std::ios::binary) << projections::print(*line) << projections::print(*line);
  std::ofstream(mails, std::ios::binary) << projections::print(mail) << projections::print(mail);
}

std::uint64_t bytes_on_disk(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory)) bytes += file.file_size();
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) -> std::uint64_t { return std::strtoull(argv[i], nullptr, 10); };
  if (argc != 5 || number(2) + number(3) > jobs_max) {
    std::fprintf(stderr, "usage: %s SERVER_PRIV FINISHED QUEUED EVENTS\n", argv[0]);
    return 2;
  }
  const std::string priv = argv[1];
  const auto finished = number(2), queued = number(3), events = number(4);
  const auto began = steady::now();
  const auto store = open_or_exit(priv + "/log");
  patterns of{log::log_reader(*store)};
  writer to(*store);
  story tell(to, of, store->last_version(of.cycle_began->get().getStream()));
  const auto least = to.sequence() + queued + finished * tell.events_of_job();
  auto samples = events > least ? events - least : 0;
  for (auto left = finished; left > 0;) {
    const auto jobs = std::min(jobs_at_once, left), each = samples / left;
    tell.run_jobs(jobs, each);
    left -= jobs;
    samples -= jobs * each;
  }
  for (std::uint64_t n = 0; n < queued; ++n) tell.queue_job();
  to.finish();
  mark_books(priv, to.sequence());
  const auto took = seconds_since(began);
  std::printf("%llu records, %.0f bytes each, %.0f on disk; made in %.1f s, %.2f M a second\n",
              static_cast<unsigned long long>(to.sequence()), static_cast<double>(to.bytes()) / static_cast<double>(to.sequence()),
              static_cast<double>(bytes_on_disk(priv + "/log")) / static_cast<double>(to.sequence()), took,
              static_cast<double>(to.sequence()) / took / 1e6);
  return 0;
}
