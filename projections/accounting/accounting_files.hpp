// The daily accounting files, each line in them exactly once, whatever stops the process.
//
// Lines go to "<directory>/YYYYMMDD" (mode 644) as they come. The checkpoint says up to which record of the log which
// file is complete, and how long it is then; it is written after the lines were synced. What stands behind it after a
// crash is cut off, and comes again from the log. A file is never cut to less than the checkpoint says.
//
// The checkpoint is two slots (checkpoint_mark.hpp), written in turn, so that a torn write leaves the other; the newer sound
// one counts.
// Governed by docs/design/0012-accounting.md.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/accounting/checkpoint_mark.hpp"

namespace annals::projections {

class accounting_files {
 public:
  // `log` names the log that is folded (one word). Cuts off what the last run did not finish. Without a checkpoint
  // everything is written anew, and day files that are there are set aside as "YYYYMMDD.replaced"; with that of another
  // log the new lines are added to the files there are. Throws std::runtime_error naming the file that can't be used.
  accounting_files(std::filesystem::path directory, std::filesystem::path checkpoint, std::string log);
  ~accounting_files();
  accounting_files(const accounting_files&) = delete;
  accounting_files& operator=(const accounting_files&) = delete;

  // Every line of the records up to here is in the files and on disk.
  std::uint64_t checkpoint_sequence() const { return kept_.sequence; }

  // Day files that are missing, or not as long as what was written to them, one text for each.
  const std::vector<std::string>& differences() const { return differences_; }

  // A line (without newline) of the day of wall_s, local time. Lines come in the order of the log.
  void add(std::int64_t wall_s, std::string_view line);
  // All lines of the records up to this sequence were added.
  void reached(std::uint64_t sequence) { reached_ = sequence; }

  // Much waiting text is better written in between than kept.
  static constexpr std::size_t piece_bytes = 1u << 20;

  // no_space: the disk takes no more; nothing is lost, try again later. sync_failed: it is not known what is on disk; only
  // a new object, which goes back to the checkpoint, can go on. why() says more.
  enum class result { done,
                      no_space,
                      sync_failed };
  result write();  // hands what was added to the system
  // The same, makes it durable and moves the checkpoint.
  result sync();
  bool behind() const { return !waiting_.empty() || unsynced_ || reached_ >= kept_.sequence + far; }  // sync() is due
  std::size_t waiting_bytes() const;
  const std::string& why() const { return why_; }

 private:
  static constexpr std::uint64_t far = 10'000;  // records without a line are folded again after a restart: some ms
  struct segment {                              // lines of one day that are not written yet
    std::string day;
    std::uint64_t before = 0;  // every line up to this record stands before it
    std::string text;
  };
  std::optional<checkpoint_mark> read_checkpoint() const;
  void set_aside_files() const;
  void check_days(const std::string& open);
  result open_day(const std::string& day);
  result begin_day(const segment& s);
  result write_front();
  result write_waiting();
  result keep(checkpoint_mark m);
  result fail(result r, const std::string& what);

  std::filesystem::path directory_, checkpoint_, days_;  // days_: written_days.hpp
  int directory_fd_ = -1, checkpoint_fd_ = -1, day_fd_ = -1;
  checkpoint_mark kept_;       // as on disk
  std::string day_;            // of the open file
  std::uint64_t written_ = 0;  // its length
  bool unsynced_ = false;
  std::uint64_t reached_ = 0;
  std::deque<segment> waiting_;
  std::vector<std::string> differences_;
  std::string why_;
};

}  // namespace annals::projections
