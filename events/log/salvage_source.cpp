#include "events/log/salvage_source.hpp"

#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <filesystem>

#include "events/log/rocksdb_tables.hpp"
#include "events/log/wal_order.hpp"

namespace annals::log {

namespace {

namespace fs = std::filesystem;

// How far a search for something readable goes one by one; behind that in growing steps.
constexpr std::uint64_t near_steps = 100'000;
constexpr std::uint64_t wal_number_offset = 1'000'000'000;  // above every number that the private store gives itself

struct file {
  std::string name;
  std::unique_ptr<rocksdb::SstFileReader> table;  // none: the private store of the write-ahead logs
};

// The chunks of one file, in order, over what can't be read.
class chunks {
 public:
  chunks(std::unique_ptr<rocksdb::Iterator> i, std::string name, std::function<void(const std::string&, bool)> problem)
      : i_(std::move(i)), name_(std::move(name)), problem_(std::move(problem)) {
    i_->SeekToFirst();
    settle();
  }
  bool valid() const { return i_->Valid(); }
  std::uint64_t first() const { return number_in(i_->key()); }
  rocksdb::Slice value() const { return i_->value(); }
  void next() {
    after_ = first() + 1;
    i_->Next();
    settle();
  }

 private:
  // Behind a block that can't be read: the first key that can be found again.
  void settle() {
    if (i_->Valid() || i_->status().ok()) return;
    const auto text = name_ + ": behind record " + std::to_string(after_ == 0 ? 0 : after_ - 1) + ": " + i_->status().ToString();
    std::uint64_t step = 1;
    for (auto at = after_ + 1; at < UINT64_MAX / 2; at += step) {
      i_->Seek(key_of(at));
      if (i_->Valid() || i_->status().ok()) break;
      if (at > after_ + near_steps) step *= 2;
    }
    problem_(text, !i_->Valid());  // what comes behind bounds what is lost
  }

  std::unique_ptr<rocksdb::Iterator> i_;
  std::string name_;
  std::function<void(const std::string&, bool)> problem_;
  std::uint64_t after_ = 0;
};

class source : public salvage_source {
 public:
  source(std::string directory, const std::string& scratch)
      : directory_(std::move(directory)), from_wal_(scratch + "/wal", store_options{}) {}

  ports::store_status open() {
    std::error_code why;
    std::vector<fs::path> logs;
    for (fs::directory_iterator i(directory_, why), end; !why && i != end; i.increment(why)) {
      if (i->path().extension() == ".sst") open_table(i->path());
      if (i->path().extension() == ".log") logs.push_back(i->path());
    }
    if (why) return {ports::store_error::io, "event log " + directory_ + ": " + why.message()};
    return logs.empty() ? ports::store_status{} : take_in(logs);
  }

  void records(const visitor& visit) override {
    std::vector<chunks> all;
    each_iterator(events, [&](auto i, const std::string& name) {
      all.emplace_back(std::move(i), name, [this](const std::string& text, bool to_the_end) { note(text, to_the_end); });
    });
    std::uint64_t next = 1;
    while (true) {
      std::erase_if(all, [](const chunks& c) { return !c.valid(); });
      if (all.empty()) return;
      emit(take_group(all), next, visit);
    }
  }

  void index(const index_visitor& visit) override {
    each_iterator(streams, [&](auto i, const std::string& name) {
      std::uint64_t stream = 0;
      for (i->SeekToFirst();; i->Next()) {
        if (!i->Valid() && !step_over(*i, stream, name)) break;
        stream = number_in(i->key());
        visit(stream, number_in(i->key(), 8), number_in(i->value()));
      }
    });
  }

  void memos(const memo_visitor& visit) override {
    each_iterator(table::memos, [&](auto i, const std::string& name) {
      for (i->SeekToFirst(); i->Valid(); i->Next()) visit(i->key().ToString(), i->value().ToString());
      if (!i->status().ok()) note(name + ": " + i->status().ToString(), false);
    });
  }

  std::optional<std::vector<std::byte>> blob(std::string_view hash) override {
    const auto head = find(std::string(hash));
    if (!head || head->empty()) return std::nullopt;
    std::string content = (*head)[0] == inline_blob ? head->substr(1) : "";
    const auto count = head->size() == 5 && (*head)[0] == blob_in_pieces ? static_cast<std::uint32_t>(number_in(*head, 1)) : 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      const auto piece = find(piece_key(hash, n));
      if (!piece) return std::nullopt;
      content += *piece;
    }
    const auto bytes = std::as_bytes(std::span(content));
    if (content_hash(bytes) != hash) return std::nullopt;
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }

  const std::vector<problem>& problems() const override { return problems_; }

 private:
  void note(const std::string& text, bool history) {
    if (std::none_of(problems_.begin(), problems_.end(), [&](const auto& p) { return p.text == text; }))
      problems_.push_back({text, history});
  }

  void open_table(const fs::path& path) {
    auto reader = std::make_unique<rocksdb::SstFileReader>(from_wal_.options_of_files());
    const auto name = path.filename().string();
    if (auto s = reader->Open(path.string()); !s.ok()) return note(name + ": " + s.ToString(), true);
    for (std::size_t t = 0; t < table_count; ++t)
      if (reader->GetTableProperties()->column_family_name == rocksdb_tables::name_of(static_cast<table>(t))) {
        files_[t].push_back({name, std::move(reader)});
        return;
      }
    note(name + ": it belongs to no table of a log", true);
  }

  // A store of its own whose tables have the same numbers takes in the batches, over what can't be read of them.
  ports::store_status take_in(std::vector<fs::path> logs) {
    if (auto s = from_wal_.open_to_write(); !s.ok()) return from_wal_.status_of(s, "making a private store");
    from_wal_.close();
    for (const auto& wrong : misplaced_wals(directory_)) {
      note(print(wrong), true);
      std::erase_if(logs, [&](const fs::path& log) { return log.filename() == wrong.file; });
    }
    for (const auto& log : logs) {
      std::error_code failed;
      const auto number = std::strtoull(log.stem().c_str(), nullptr, 10) + wal_number_offset;
      fs::copy_file(log, from_wal_.path() + "/" + std::to_string(number) + ".log", failed);
      if (failed) note(log.filename().string() + ": " + failed.message(), true);
    }
    // What is skipped leaves no trace: whether anything will be shows when nothing may be.
    if (auto s = from_wal_.open_to_read(); !s.ok()) note("the write-ahead logs: " + s.ToString(), true);
    from_wal_.close();
    if (auto s = from_wal_.open_over_damage(); !s.ok()) note("the write-ahead logs: " + s.ToString(), true);
    for (std::size_t t = 0; from_wal_.is_open() && t < table_count; ++t) files_[t].push_back({"the write-ahead logs", nullptr});
    return {};
  }

  template <class Take>
  void each_iterator(table t, Take&& take) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    for (const auto& f : files_[t]) {
      auto* i = f.table ? f.table->NewIterator(options) : from_wal_.db().NewIterator(options, from_wal_.in(t));
      take(std::unique_ptr<rocksdb::Iterator>(i), f.name);
    }
  }

  bool step_over(rocksdb::Iterator& i, std::uint64_t stream, const std::string& name) {
    if (i.status().ok()) return false;
    note(name + ": the index behind stream " + std::to_string(stream) + ": " + i.status().ToString(), false);
    for (auto at = stream + 1; at < stream + near_steps; ++at) {
      i.Seek(key_of(at, 0));
      if (i.Valid()) return true;
      if (i.status().ok()) return false;
    }
    return false;
  }

  std::optional<std::string> find(const std::string& key) {
    std::optional<std::string> found;
    each_iterator(blobs, [&](auto i, const std::string& name) {
      if (found) return;
      i->Seek(key);
      if (i->Valid() && i->key() == rocksdb::Slice(key)) found = i->value().ToString();
      if (!i->status().ok()) note(name + ": a blob: " + i->status().ToString(), false);
    });
    return found;
  }

  // The chunks that overlap: copies of the same.
  std::vector<unpacked_chunk> take_group(std::vector<chunks>& all) {
    std::vector<unpacked_chunk> group;
    std::uint64_t end = UINT64_MAX;
    while (true) {
      const auto least = std::min_element(all.begin(), all.end(), [](const chunks& a, const chunks& b) {
        return a.valid() && (!b.valid() || a.first() < b.first());
      });
      if (!least->valid() || least->first() >= end) return group;
      unpacked_chunk chunk;
      if (chunk.open(least->value().ToStringView(), least->first())) {
        end = group.empty() ? chunk.end() : std::max(end, chunk.end());
        group.push_back(std::move(chunk));
      } else {
        note("the records from " + std::to_string(least->first()) + " on can't be unpacked", true);
        end = group.empty() ? least->first() + 1 : end;
      }
      least->next();
    }
  }

  void emit(const std::vector<unpacked_chunk>& group, std::uint64_t& next, const visitor& visit) {
    if (group.empty()) return;
    std::uint64_t first = UINT64_MAX, end = 0;
    for (const auto& c : group) {
      first = std::min(first, c.begin());
      end = std::max(end, c.end());
    }
    for (auto sequence = std::max(first, next); sequence < end; ++sequence) {
      std::string why;
      if (!emit_one(group, sequence, visit, why) && !why.empty()) note("record " + std::to_string(sequence) + ": " + why, false);
    }
    next = std::max(next, end);
  }

  static bool emit_one(const std::vector<unpacked_chunk>& group, std::uint64_t sequence, const visitor& visit, std::string& why) {
    for (const auto& c : group) {
      if (!c.has(sequence)) continue;
      const auto decoded = decode(c.record(sequence));
      if (const auto* bad = std::get_if<damage>(&decoded)) {
        why = bad->text;
        continue;
      }
      const auto& r = std::get<record_ptr>(decoded);
      if (r->sequence() == sequence) return visit(r, c.record(sequence)), true;
      why = "it says it is record " + std::to_string(r->sequence());
    }
    return false;
  }

  std::string directory_;
  rocksdb_tables from_wal_;
  std::vector<file> files_[table_count];
  std::vector<problem> problems_;
};

}  // namespace

std::variant<std::unique_ptr<salvage_source>, ports::store_status> open_to_salvage(const std::string& directory,
                                                                                   const std::string& scratch) {
  auto s = std::make_unique<source>(directory, scratch);
  if (auto ok = s->open(); !ok) return ok;
  return s;
}

}  // namespace annals::log
