// Reading a log beside its live writer: RocksDB's secondary instance, which takes no lock and follows the writer's
// files.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "events/log/log_reader.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/log/rocksdb_reading.hpp"
#include "events/log/writer_watch.hpp"

namespace annals::log {
namespace {

using ports::store_error;
using ports::store_status;

// A directory of one's own, gone with its owner.
class private_directory {
 public:
  private_directory() {
    std::error_code ignored;
    auto base = std::filesystem::temp_directory_path(ignored);
    if (ignored) base = "/tmp";
    path_ = (base / "annals_audit.XXXXXX").string();
    if (!::mkdtemp(path_.data())) path_.clear();
  }
  ~private_directory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  private_directory(const private_directory&) = delete;
  private_directory& operator=(const private_directory&) = delete;
  const std::string& path() const { return path_; }  // empty: could not be made

 private:
  std::string path_;
};

// A reader that waits for the writer pauses so long between two looks at its files: a look costs the same for many records as for one.
constexpr std::chrono::milliseconds pause_between_looks{20};

class auditor : public rocksdb_reading<audit_store> {
 public:
  auditor(std::unique_ptr<private_directory> scratch, std::unique_ptr<rocksdb_tables> tables)
      : rocksdb_reading(std::move(tables)), scratch_(std::move(scratch)), watch_(tables_->path()) {}
  ~auditor() override { tables_.reset(); }  // before its scratch directory goes

  store_status catch_up() override { return follow_writer(); }

  std::uint64_t wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout) const override {
    const auto end = writer_watch::clock::now() + timeout;
    while (last_sequence() <= sequence && watch_.wait_until(end)) {
      const bool followed = bool(follow_writer());
      if (followed && (last_sequence() > sequence || writer_watch::clock::now() >= end)) break;
      std::this_thread::sleep_for(pause_between_looks);
      if (!followed) return watch_.look_again(), last_sequence();
    }
    return last_sequence();
  }

  store_status take(std::uint64_t) override { return read_only(); }
  store_status append(const ports::write_batch&) override { return read_only(); }
  store_status put_blob_piece(std::string_view, std::uint32_t, ports::byte_span) override { return read_only(); }
  store_status finish_blob(std::string_view, std::uint32_t) override { return read_only(); }
  store_status put_cache(std::string_view, ports::byte_span) override { return read_only(); }
  store_status keep_cache() override { return read_only(); }
  store_status drop_cache(std::string_view) override { return read_only(); }

 protected:
  virtual store_status follow_writer() const {
    if (auto s = tables_->db().TryCatchUpWithPrimary(); !s.ok()) return tables_->status_of(s, "following the writer");
    return tables_->load_last();
  }

 private:
  store_status read_only() const {
    return {store_error::io, "event log " + tables_->path() + " is open for reading only"};
  }
  std::unique_ptr<private_directory> scratch_;
  mutable writer_watch watch_;
};

// So often it is tried again when files were replaced in between.
constexpr int tries_beside_a_writer = 10;

// Names the manifest and its size: it says which files the log has.
std::string manifest_of(const std::string& path) {
  std::ifstream in(path + "/CURRENT");
  std::string name;
  std::getline(in, name);
  std::error_code unknown;
  return name + ' ' + std::to_string(std::filesystem::file_size(path + "/" + name, unknown));
}

// A writer removes a file only when others have what was in it, and the manifest says so: the files that are named then are opened.
template <class Open>
rocksdb::Status open_steady(const std::string& path, Open open) {
  for (int tried = 1;; ++tried) {
    const auto named = manifest_of(path);
    const auto s = open();
    if (s.ok() || tried == tries_beside_a_writer || !(has_writer(path) || manifest_of(path) != named)) return s;
  }
}

using opened_tables = std::variant<std::unique_ptr<rocksdb_tables>, store_status>;

opened_tables open_as_a_server_would(const std::string& path, const store_options& options) {
  std::unique_ptr<rocksdb_tables> tables;
  const auto s = open_steady(path, [&] {
    tables = std::make_unique<rocksdb_tables>(path, options);
    return tables->open_to_read();
  });
  if (s.IsPathNotFound() || s.IsNotFound())
    return store_status{store_error::damaged, "event log " + path + ": a file is missing: " + s.ToString() + what_to_run};
  if (!s.ok()) return tables->status_of(s, "opening as a server would");
  return tables;
}

// A log as it was when it was opened.
class verified : public auditor {
 public:
  explicit verified(std::unique_ptr<rocksdb_tables> tables) : auditor(nullptr, std::move(tables)) {}
  store_status read_rest(std::string& position, std::size_t, const memo_visitor& memo_visit) const override {
    if (position.empty())
      if (auto blocks = check_blocks(); !blocks) return blocks;
    return auditor::read_rest(position, SIZE_MAX, memo_visit);
  }

 protected:
  store_status follow_writer() const override { return {}; }

 private:
  // Files are opened anew for this. One that is gone was replaced if the log of now can be opened without it: then the blocks of that one
  // are read.
  store_status check_blocks() const {
    auto found = tables_->check_blocks();
    for (int tried = 1; found.IsPathNotFound() && tried < tries_beside_a_writer; ++tried) {
      const auto now = open_as_a_server_would(tables_->path(), tables_->wanted());
      if (const auto* why = std::get_if<store_status>(&now)) return *why;
      found = std::get<0>(now)->check_blocks();
    }
    return tables_->status_of(found, "reading every block");
  }
};

// Whatever is left of one.
bool was_a_log(const std::string& path, std::error_code& why) {
  for (std::filesystem::directory_iterator i(path, why), end; !why && i != end; i.increment(why)) {
    const auto name = i->path().filename().string();
    if (name == "CURRENT" || name == "IDENTITY" || name.starts_with("MANIFEST-") || name.ends_with(".sst") || name.ends_with(".log"))
      return true;
  }
  return false;
}

}  // namespace

bool has_writer(const std::string& path) {
  const int fd = ::open((path + "/LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock held {};
  held.l_type = F_WRLCK;
  held.l_whence = SEEK_SET;
  const bool known = ::fcntl(fd, F_GETLK, &held) == 0;
  ::close(fd);
  return known && held.l_type != F_UNLCK;
}

std::variant<std::unique_ptr<audit_store>, store_status> open_to_verify(const std::string& path, const store_options& options) {
  std::error_code why;
  if (!was_a_log(path, why))
    return store_status{store_error::io,
                        "event log " + path + ": " + (why ? why.message() : "there is no event log here")};
  auto opened = open_as_a_server_would(path, options);
  if (auto* not_opened = std::get_if<store_status>(&opened)) return std::move(*not_opened);
  auto tables = std::get<0>(std::move(opened));
  if (auto ok = tables->load_last(); !ok) return ok;
  return std::make_unique<verified>(std::move(tables));
}

std::variant<std::unique_ptr<audit_store>, store_status> open_for_audit(const std::string& path) {
  std::error_code why;
  if (!std::filesystem::exists(path + "/CURRENT", why))
    return store_status{store_error::io,
                        "event log " + path + ": " + (why ? why.message() : "there is no event log here")};
  auto scratch = std::make_unique<private_directory>();
  if (scratch->path().empty())
    return store_status{store_error::io, std::string("can't make a temporary directory: ") + std::strerror(errno)};
  std::unique_ptr<rocksdb_tables> tables;
  const auto s = open_steady(path, [&] {
    tables = std::make_unique<rocksdb_tables>(path, store_options{});
    return tables->open_beside(scratch->path());
  });
  if (!s.ok()) return tables->status_of(s, "opening for reading");
  if (auto ok = tables->load_last(); !ok) return ok;
  auto store = std::make_unique<auditor>(std::move(scratch), std::move(tables));
  if (auto ok = store->catch_up(); !ok) return ok;
  return store;
}

}  // namespace annals::log
