#include "tools/export/exporter.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace annals::exporting {
namespace {

std::string hex(const log::chain_hash& hash) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const auto b : hash) text += {digits[std::to_integer<unsigned>(b) >> 4], digits[std::to_integer<unsigned>(b) & 15]};
  return text;
}

void require(const ports::store_status& read) {
  if (!read) throw log_trouble(read.text);
}

exports::stream_reader reader_of(const log::log_reader& log) {
  return [&log](std::uint64_t stream, std::uint64_t before, const exports::visitor& visit) {
    require(log.read_stream(stream, 1, [&](const log::record_ptr& r) { return r->sequence() < before && visit(*r); }));
  };
}

}  // namespace

exporter::exporter(const log::log_reader& log, target& to, const batch_bounds& bounds)
    : log_(log), target_(to), bounds_(bounds), fold_(reader_of(log), to.at().sequence == 0) {
  if (target_.at().sequence == 0) return;
  find_position();
  learn();
}

void exporter::find_position() {
  const auto& at = target_.at();
  log::record_ptr found;
  require(log_.read(at.sequence, [&](const log::record_ptr& r) {
    found = r;
    return false;
  }));
  const auto its = "record " + std::to_string(at.sequence);
  if (!found || found->sequence() != at.sequence)
    throw log_trouble("the target has rows up to " + its +
                      ", and the log ends before: it is another log, or was put back from a backup; "
                      "run pbs_export --rebuild");
  if (hex(found->hash()) != at.hash)
    throw log_trouble("the target has rows of another log: " + its + " differs; run pbs_export --rebuild");
}

void exporter::learn() {
  const auto upto = target_.at().sequence;
  exports::fold_notes notes;
  if (!exports::read_notes(target_.at().notes, notes)) throw log_trouble("the target's notes can't be read; run pbs_export --rebuild");
  std::vector<log::record_ptr> records;
  for (const auto stream : notes.streams)
    require(log_.read_stream(stream, 1, [&](const log::record_ptr& r) {
      if (r->sequence() > upto) return false;
      records.push_back(r);
      return true;
    }));
  for (const auto sequence : notes.records)
    require(log_.read(sequence, [&](const log::record_ptr& r) {
      records.push_back(r);
      return false;
    }));
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a->sequence() < b->sequence(); });
  for (const auto& r : records) fold_.learn(*r);
}

bool exporter::step() {
  const exports::row_taker take = [this](exports::row&& r) { batch_.put(std::move(r)); };
  batch_.clear();
  std::uint64_t records = 0;
  log::record_ptr last;
  require(log_.read(target_.at().sequence + 1, [&](const log::record_ptr& r) {
    fold_.fold(*r, take);
    last = r;
    return ++records < bounds_.records && batch_.rows() < bounds_.rows && batch_.bytes() < bounds_.bytes;
  }));
  if (!last) return false;
  target_.write(batch_, {last->sequence(), hex(last->hash()), exports::print_notes(fold_.notes())});
  rows_written_ += batch_.rows();
  return true;
}

}  // namespace annals::exporting
