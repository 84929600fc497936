#include "tools/audit/salvage.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "events/log/clock_step.hpp"
#include "events/log/log_copy.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/log/salvage_source.hpp"
#include "events/model/limits.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/salvage_plan.hpp"

namespace annals::audit {

namespace {

using schema::StreamKind;

constexpr std::size_t batch_records = 1000, batch_bytes = 4u << 20;

std::uint64_t big_endian(std::string_view bytes, std::size_t n) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < n && i < bytes.size(); ++i) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

// The job number of an answer that was given: "12.borg".
void learn_answer(salvage_plan& plan, std::string_view answer) {
  const auto digits = answer.substr(0, answer.find_first_not_of("0123456789"));
  if (digits.empty() || digits.size() > 12 || digits.size() == answer.size() ||
      (answer[digits.size()] != '.' && answer[digits.size()] != '['))
    return;
  plan.learn_number(std::stoull(std::string(digits)));
}

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? "#" + std::to_string(first) : "#" + std::to_string(first) + " to #" + std::to_string(last);
}

std::string list_text(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

// Writes the new log.
class copying {
 public:
  copying(const salvage_order& order, log::salvage_source& from, salvage_plan& plan, ports::event_store& to)
      : order_(order), from_(from), plan_(plan), to_(to) {}

  void copy() {
    from_.records([&](const log::record_ptr& r, ports::byte_span bytes) {
      fill_up(begin_of_known(*r));
      skip_lost(r->sequence());
      wall_ns_ = r->get().getWallNs();
      stepped_at_ = log::stepped_after(*r);
      epoch_ = r->get().getWriterEpoch();
      if (const auto why = plan_.why_not(*r); !why.empty()) {
        left_out_.insert(r->sequence());
        return stand_in(r->get().getStream(), why);
      }
      keep(*r, bytes);
      ++result.kept;
    });
    fill_up(plan_.last_sequence() + 1);
    result.lost = plan_.lost();
    result.left_out = left_out_.size();
    hold_jobs();
    copy_memos();
    say_so();
    write();
  }

  struct lost_blob {
    std::string hash;
    std::uint64_t record;  // that names it
    std::string of;        // "job 12.borg"
  };
  salvage_result result;
  std::vector<lost_blob> lost_blobs;
  std::vector<std::string> held;

 private:
  void fill_up(std::uint64_t end) {
    while (sequence_ + 1 < end) {
      const auto stream = plan_.stream_of_lost(sequence_ + 1);
      stand_in(stream, "it could not be read");
    }
  }

  // What an accepted loss has skipped stays skipped.
  void skip_lost(std::uint64_t sequence) {
    if (sequence_ + 1 == sequence) return;
    if (!batch_.records.empty()) write();
    sequence_ = sequence - 1;
    batch_.after_loss = true;
  }

  log::record_meta meta(std::uint64_t stream, std::uint64_t version) const {
    log::record_meta m;
    m.sequence = sequence_ + 1;
    m.stream = stream;
    m.version = version;
    m.epoch = epoch_;
    m.wall_ns = wall_ns_;
    m.stepped_at = stepped_at_;
    m.raw_ns = order_.now_ns;
    m.by = {"pbs_audit", order_.host, schema::Role::SERVER};
    return m;
  }

  void stand_in(std::uint64_t stream, const std::string& why) {
    put(meta(plan_.log_stream(), ++log_version_), model::make_event([&](schema::Event::Builder e) {
          auto lost = e.initLog().initRecordLost();
          lost.setStream(stream);
          lost.setWhy(why);
        }));
  }

  void put(const log::record_meta& m, const model::event& event) { push(m.stream, m.version, log::encode(m, event, head_)); }

  void push(std::uint64_t stream, std::uint64_t version, log::encoded_record encoded) {
    bytes_ += encoded.bytes.size();
    batch_.records.push_back({++sequence_, stream, version, std::move(encoded.bytes)});
    head_ = encoded.hash;
    if (batch_.records.size() >= batch_records || bytes_ >= batch_bytes) write();
  }

  void keep(const log::record& r, ports::byte_span bytes) {
    auto& s = plan_.streams().at(r.get().getStream());
    copy_blobs(r, s);
    const auto version = ++s.written;
    if (r.previous() == head_ && version == r.get().getStreamVersion())
      return push(r.get().getStream(), version, {{bytes.begin(), bytes.end()}, {}, r.hash()});
    push(r.get().getStream(), version, log::encode_behind(r, version, head_));
  }

  void copy_blobs(const log::record& r, const stream_plan& s) {
    const auto event = r.event();
    const auto take = [&](capnp::Data::Reader data) {
      const std::string hash(data.asChars().begin(), data.size());
      if (hash.empty() || !copied_.insert(hash).second) return lost_.contains(hash);
      auto content = from_.blob(hash);
      if (!content) lost_.insert(hash);
      if (!content)
        lost_blobs.push_back({hash, r.sequence(), s.name});
      else put_blob(hash, std::move(*content));
      return !content;
    };
    if (schema::is(event, schema::JobEvent::QUEUED) && take(event.getJob().getQueued().getScript().getHash()))
      scriptless_.insert(r.get().getStream());
    if (schema::is(event, schema::SchedulerEvent::CYCLE_BEGAN)) take(event.getScheduler().getCycleBegan().getPolicy().getHash());
    if (schema::is(event, schema::HookEvent::IMPORTED)) take(event.getHook().getImported().getContent().getHash());
  }

  void put_blob(const std::string& hash, std::vector<std::byte> content) {
    bytes_ += content.size();
    if (content.size() <= limits::inline_blob_bytes_max) return batch_.blobs.push_back({hash, std::move(content)});
    std::uint32_t pieces = 0;
    for (auto rest = ports::byte_span(content); !rest.empty(); ++pieces) {
      const auto piece = rest.first(std::min(rest.size(), limits::blob_piece_bytes));
      done(to_.put_blob_piece(hash, pieces, piece));
      rest = rest.subspan(piece.size());
    }
    done(to_.finish_blob(hash, pieces));
    batch_.adopted.push_back(hash);
  }

  // What a hole may have swallowed is for an administrator to find out before the job runs again.
  void hold_jobs() {
    ++epoch_;
    wall_ns_ = std::max(wall_ns_, order_.now_ns);
    for (auto& [serial, s] : plan_.streams()) {
      const bool scriptless = scriptless_.contains(serial);
      if (s.kind != StreamKind::JOB || s.written == 0 || s.state == 'F' || s.state == 'E') continue;
      if (!s.hole() && !plan_.in_doubt(s) && !scriptless) continue;
      const std::string why = s.hole() ? "records of it are lost" : scriptless ? "its script is lost"
                                                                               : "records of it may be lost";
      put(meta(serial, ++s.written), model::make_event([&](schema::Event::Builder e) {
            auto h = e.initJob().initHeld();
            h.initHolds(1).set(0, schema::HoldType::SYSTEM);
            h.setComment("Held by pbs_audit salvage: " + why);
          }));
      held.push_back(s.name + ": " + why);
      ++result.held_jobs;
    }
  }

  // Of commands whose records are there, and of none: how far the count of their days is on. What is made of a copy is none: it says which
  // blobs are lost.
  void copy_memos() {
    const auto& gaps = plan_.gaps();
    from_.memos([&](const std::string& key, const std::string& value) {
      const auto sequence = big_endian(value, 8);
      if (value.size() < 8 || log::is_memo_of_copy(key) || left_out_.contains(sequence)) return;
      if (std::any_of(gaps.begin(), gaps.end(), [&](const auto& g) { return g.first <= sequence && sequence <= g.second; })) return;
      batch_.memos.push_back({key, value});
    });
  }

  void say_so() {
    for (const auto& [serial, s] : plan_.streams()) result.cut_streams += s.hole() ? 1 : 0;
    result.lost_blobs = lost_blobs.size();
    for (const auto& b : lost_blobs)
      put(meta(plan_.log_stream(), ++log_version_), model::make_event([&](schema::Event::Builder e) {
            auto lost = e.initLog().initBlobLost();
            lost.setHash({reinterpret_cast<const kj::byte*>(b.hash.data()), b.hash.size()});
            lost.setRecord(b.record);
          }));
    put(meta(plan_.log_stream(), ++log_version_), model::make_event([&](schema::Event::Builder e) {
          auto l = e.initLog().initSalvaged();
          l.setLost(result.lost + result.left_out);
          l.setLastSequence(plan_.last_sequence());
          l.setNextJobNumber(plan_.next_number());
          l.setCutStreams(result.cut_streams);
          l.setAccount(order_.account);
        }));
  }

  void write() {
    done(to_.append(batch_));
    batch_ = {};
    bytes_ = 0;
  }
  static void done(const ports::store_status& s) {
    if (!s) throw std::runtime_error(s.text);
  }

  const salvage_order& order_;
  log::salvage_source& from_;
  salvage_plan& plan_;
  ports::event_store& to_;
  ports::write_batch batch_;
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0, log_version_ = 0, epoch_ = 1;
  std::int64_t wall_ns_ = 0;
  std::uint64_t stepped_at_ = 0;  // of the last ClockSteppedBack
  log::chain_hash head_{};
  std::set<std::string> copied_, lost_;            // hashes
  std::set<std::uint64_t> left_out_, scriptless_;  // sequences; streams
};

std::string stream_account(std::uint64_t serial, const stream_plan& s) {
  std::string text = s.name.empty() ? std::string(s.last ? stream_kind_name(s.kind) : "unknown") + " stream " + std::to_string(serial)
                                    : s.name + " (stream " + std::to_string(serial) + ")";
  if (s.written == 0) text += ": nothing of it is kept";
  else if (s.kind == StreamKind::JOB) text += ": kept up to version " + std::to_string(std::min(s.kept_to, s.last));
  else text += ": kept, but for what is lost";
  std::vector<std::string> lost;
  for (const auto n : s.lost) lost.push_back("#" + std::to_string(n));
  if (!lost.empty()) text += "; lost: " + list_text(lost);
  if (!s.left_out.empty()) text += "; left out: " + list_text(s.left_out);
  return text;
}

std::string account_of(const salvage_order& order, const log::salvage_source& from, salvage_plan& plan, const copying& done) {
  const auto& r = done.result;
  std::string text = "Salvage of " + order.from + " into " + order.to + ", " + time_text(order.now_ns) + "\n" +
                     std::to_string(plan.known_records()) + " records are known of: " + std::to_string(r.kept) + " are kept, " +
                     std::to_string(r.lost) + " are lost, " + std::to_string(r.left_out) + " were found but left out\n";
  for (const auto& p : from.problems()) text += "could not be read: " + harmless(p.text) + "\n";
  for (const auto& [first, last] : plan.gaps()) text += "lost: " + range_text(first, last) + "\n";
  for (const auto& [sequence, why] : order.refused) text += "left out: #" + std::to_string(sequence) + ": " + harmless(why) + "\n";
  for (const auto& [serial, s] : plan.streams())
    if (s.hole()) text += "stream: " + stream_account(serial, s) + "\n";
  for (const auto& h : done.held) text += "held: " + h + "\n";
  for (const auto& b : done.lost_blobs)
    text += "blob lost: " + hex(std::as_bytes(std::span(b.hash))) + ", named by record #" + std::to_string(b.record) + " of " + b.of + "\n";
  return text + "the next job has number " + std::to_string(plan.next_number()) + " or a higher one\n";
}

// As names_of() finds them in a log that can be opened.
void learn_names(const log::record& r, log_names& own) {
  if (r.sequence() == 1) own.name = hex(r.hash());
  if (!own.identity.empty() || !schema::is(r.event(), schema::ServerEvent::STARTED)) return;
  const auto identity = r.event().getServer().getStarted().getLogUuid().asChars();
  own.identity.assign(identity.begin(), identity.size());
}

void learn_all(const salvage_order& order, log::salvage_source& from, salvage_plan& plan) {
  log_names own;
  from.records([&](const log::record_ptr& r, ports::byte_span) {
    plan.learn(*r);
    learn_names(*r, own);
  });
  from.index([&](std::uint64_t stream, std::uint64_t version, std::uint64_t sequence) { plan.learn_index(stream, version, sequence); });
  from.memos([&](const std::string&, const std::string& value) {
    if (value.size() < 8) return;
    plan.learn_end(big_endian(value, 8));
    learn_answer(plan, std::string_view(value).substr(8));
  });
  plan.learn_end(known_sequence(order.beside, own));
  const auto& problems = from.problems();
  plan.settle(std::any_of(problems.begin(), problems.end(), [](const auto& p) { return p.history; }));
}

bool of_a_server(salvage_plan& plan) {
  return std::none_of(plan.streams().begin(), plan.streams().end(), [](const auto& s) {
    return s.second.kind == StreamKind::RUN || s.second.kind == StreamKind::PART;
  });
}

}  // namespace

salvage_result salvage(const salvage_order& order) {
  salvage_result failed;
  auto opened = log::open_to_salvage(order.from, order.scratch);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) return failed.trouble = why->text, failed;
  auto& from = *std::get<0>(opened);
  salvage_plan plan(order.refused);
  learn_all(order, from, plan);
  if (plan.known_records() == plan.lost()) return failed.trouble = "no record of " + order.from + " can be read", failed;
  if (!of_a_server(plan))
    return failed.trouble =
               "it is a MoM's log: move it away; the MoM begins a new one, and the server gives up the runs it does not find again",
           failed;
  auto made = log::open_event_store(order.to);
  if (const auto* why = std::get_if<ports::store_status>(&made)) return failed.trouble = why->text, failed;
  copying work(order, from, plan, *std::get<0>(made));
  try {
    work.copy();
  } catch (const std::exception& e) {
    return failed.trouble = e.what(), failed;
  }
  std::ofstream account(order.account, std::ios::trunc);
  account << account_of(order, from, plan, work);
  if (!account.flush()) return failed.trouble = "cannot write " + order.account, failed;
  return work.result;
}

}  // namespace annals::audit
