// RocksDB's view of the disk, watched: tells a failed sync of the write-ahead log from any other failure (RocksDB
// reports both as an I/O error, but after a failed sync it is unknown what is kept), and lets tests inject faults.
// Private to events/log.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <memory>

#include "events/log/disk_hooks.hpp"

namespace annals::log {

class watched_disk : public rocksdb::FileSystemWrapper {
 public:
  explicit watched_disk(std::shared_ptr<disk_hooks> hooks);

  bool sync_failed() const { return sync_failed_; }

  const char* Name() const override { return "annals_watched_disk"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file, rocksdb::IODebugContext* dbg) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override;
  // Without an answer RocksDB does not try by itself, in a thread and on a timer, to recover from a full disk: the
  // store tries when somebody writes.
  rocksdb::IOStatus GetFreeSpace(const std::string&, const rocksdb::IOOptions&, std::uint64_t*,
                                 rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::NotSupported();
  }

 private:
  class file;
  std::shared_ptr<disk_hooks> hooks_;
  std::atomic<bool> sync_failed_{false};
};

}  // namespace annals::log
