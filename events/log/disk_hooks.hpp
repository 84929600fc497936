// Where the RocksDB store meets the disk, for tests and benchmarks: makes the disk full, fails a sync, counts bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace annals::log {

struct disk_hooks {
  std::atomic<std::int64_t> room{INT64_MAX};        // bytes until the disk is full: a write ends there with "no space left"
  std::atomic<bool> quota{false};                   // the same as a quota that is used up
  std::atomic<bool> fail_sync{false};               // every sync of the write-ahead log fails
  std::atomic<std::uint64_t> bytes_written{0};      // to all files of the store, as given to write()
  std::atomic<std::uint64_t> syncs{0};              // of the write-ahead log
  std::atomic<std::uint64_t> removed{0};            // files of the store; who waits for it is woken
  std::function<void(const std::string&)> opening;  // called before a table's file is opened for reading; set before the store is
};

}  // namespace annals::log
