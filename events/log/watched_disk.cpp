#include "events/log/watched_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace annals::log {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

// RocksDB knows one errno of a full disk; a user's quota that is used up is another, and no different for us.
IOStatus told(IOStatus s) {
  const bool over_quota = s.IsIOError() && s.ToString().find(std::strerror(EDQUOT)) != std::string::npos;
  return over_quota ? IOStatus::NoSpace(s.ToString()) : s;
}

IOStatus no_space(const disk_hooks& hooks) {
  return hooks.quota ? told(IOStatus::IOError("(injected)", std::strerror(EDQUOT)))
                     : IOStatus::NoSpace("no space left on device (injected)");
}

}  // namespace

class watched_disk::file : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  file(std::unique_ptr<rocksdb::FSWritableFile> target, watched_disk& disk, bool write_ahead_log)
      : FSWritableFileOwnerWrapper(std::move(target)), disk_(disk), hooks_(disk.hooks_), wal_(write_ahead_log) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
    if (const auto room = take_room(static_cast<std::int64_t>(data.size())); room < data.size()) {
      (void)target()->Append(Slice(data.data(), room), options, dbg);
      return no_space(*hooks_);
    }
    hooks_->bytes_written += data.size();
    return told(target()->Append(data, options, dbg));
  }
  IOStatus Append(const Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* dbg) override {
    return Append(data, options, dbg);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return synced([&] { return target()->Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return synced([&] { return target()->Fsync(options, dbg); });
  }

 private:
  template <class Sync>
  IOStatus synced(Sync&& sync) {
    if (!wal_) return sync();
    ++hooks_->syncs;
    IOStatus s = hooks_->fail_sync ? IOStatus::IOError("sync failed (injected)") : sync();
    if (!s.ok()) disk_.sync_failed_ = true;
    return s;
  }

  // How much of `wanted` bytes fits.
  std::size_t take_room(std::int64_t wanted) {
    if (hooks_->room == INT64_MAX) return static_cast<std::size_t>(wanted);
    const auto before = hooks_->room.fetch_sub(wanted);
    if (before >= wanted) return static_cast<std::size_t>(wanted);
    hooks_->room = 0;
    return static_cast<std::size_t>(std::max<std::int64_t>(before, 0));
  }

  watched_disk& disk_;
  std::shared_ptr<disk_hooks> hooks_;
  bool wal_;
};

watched_disk::watched_disk(std::shared_ptr<disk_hooks> hooks)
    : FileSystemWrapper(rocksdb::FileSystem::Default()),
      hooks_(hooks ? std::move(hooks) : std::make_shared<disk_hooks>()) {}

IOStatus watched_disk::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* out, IODebugContext* dbg) {
  if (hooks_->room <= 0) return no_space(*hooks_);
  std::unique_ptr<rocksdb::FSWritableFile> target_file;
  IOStatus s = told(target()->NewWritableFile(name, options, &target_file, dbg));
  if (s.ok()) *out = std::make_unique<file>(std::move(target_file), *this, name.ends_with(".log"));
  return s;
}

IOStatus watched_disk::ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSWritableFile>* out, IODebugContext* dbg) {
  if (hooks_->room <= 0) return no_space(*hooks_);
  std::unique_ptr<rocksdb::FSWritableFile> target_file;
  IOStatus s = told(target()->ReopenWritableFile(name, options, &target_file, dbg));
  if (s.ok()) *out = std::make_unique<file>(std::move(target_file), *this, name.ends_with(".log"));
  return s;
}

IOStatus watched_disk::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                           std::unique_ptr<rocksdb::FSRandomAccessFile>* out, IODebugContext* dbg) {
  if (hooks_->opening) hooks_->opening(name);
  return target()->NewRandomAccessFile(name, options, out, dbg);
}

IOStatus watched_disk::DeleteFile(const std::string& name, const rocksdb::IOOptions& options, IODebugContext* dbg) {
  IOStatus s = target()->DeleteFile(name, options, dbg);
  ++hooks_->removed;
  hooks_->removed.notify_all();
  return s;
}

}  // namespace annals::log
