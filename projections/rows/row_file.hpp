// Rows that are seldom looked at, out of memory: in a file. A row costs three or four bytes of memory. Who has rows can make them anew from
// the log.
//
// The file has no name and is gone with its process (use_directory). Or it is kept: the maker of checkpoints appends rows to it, round
// after round, and says in each checkpoint where they are (store). A server that begins with a checkpoint reads them there, and puts later
// ones into a file without a name. Rows are written once: what is forgotten leaves a hole. Governed by docs/design/0064-finished-jobs.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/values/dense_map.hpp"
#include "events/values/stored_state.hpp"

namespace annals::projections {

// A row can't be read: the text says in which file, and why.
struct row_unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class row_file {
 public:
  // One of these is called once, before rows are put; without it rows are in memory, as are those that can't be written because the disk
  // is full. They answer why there is no such file; empty: there is.
  std::string use_directory(const std::string& directory);  // a file without a name
  // A file that is kept under this name. Another one of that name is gone, but for who has it open.
  std::string keep_in(const std::string& path);

  // After restore(), before rows are read. They throw stored::state_unreadable if the file is missing, too short, or another one.
  void go_on_in(const std::string& path);   // as keep_in: a next round of the maker
  void read_from(const std::string& path);  // for reading alone; use_directory says where later rows go

  // The rows of the kept file are on the disk: only then may a checkpoint name them. Why not; empty: they are.
  std::string sync() const;
  // Stores where rows are, and those in memory. Only if no row is in a file without a name. A process syncs before, and stores for one
  // checkpoint alone.
  void store(stored::writer& to) const;
  void restore(stored::reader& from);

  std::size_t size() const { return places_.size(); }
  bool contains(std::uint64_t key) const { return places_.contains(key); }
  void put(std::uint64_t key, std::string_view row);  // in place of what was there
  // Both throw row_unreadable. Nothing: there is none.
  std::optional<std::string> get(std::uint64_t key) const;
  std::optional<std::string> take(std::uint64_t key);  // and forgets it
  /// Visits all rows, in the order in which they lie in the files and then those in memory: rows that lie one behind the other are read
  /// together, which is much quicker than get() of each. Throws row_unreadable.
  void each(const std::function<void(std::uint64_t key, std::string row)>& visit) const;
  values::dense_numbers::cursor begin() const { return places_.begin(); }  // for their keys, in order

  std::uint64_t bytes_on_disk() const;  // of the file that rows are put into, as the file system counts them

 private:
  class open_file {
   public:
    explicit open_file(int fd = -1, std::string name = {}) : fd_(fd), name_(std::move(name)) {}
    ~open_file();
    open_file(open_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)), name_(std::move(other.name_)) {}
    open_file& operator=(open_file&& other) noexcept {
      std::swap(fd_, other.fd_);
      std::swap(name_, other.name_);
      return *this;
    }
    explicit operator bool() const { return fd_ >= 0; }
    int fd() const { return fd_; }
    const std::string& name() const { return name_; }
    std::string why() const;                                         // of what just failed, by errno
    void read(std::uint64_t at, char* to, std::size_t bytes) const;  // all of them; throws row_unreadable
    bool write(std::uint64_t at, std::string_view bytes) const;
    bool punch(std::uint64_t from, std::uint64_t to) const;  // false: the file system can't

   private:
    int fd_;
    std::string name_;
  };

  open_file open_kept(const std::string& path, int flags) const;
  class window;
  std::string read(std::uint64_t key, std::uint64_t place, window& near) const;
  bool append(std::uint64_t key, std::string_view row);
  void let_go(std::uint64_t place, std::size_t bytes);
  void give_back(std::uint64_t stretch) const;

  // Places are counted through both files: those before begin_ are in base_, the others in file_.
  open_file base_, file_;
  std::uint64_t begin_ = 0, end_ = 0;
  values::dense_numbers places_;  // by key: the first byte of a row. All ones: in memory
  std::map<std::uint64_t, std::string> in_memory_;
  // How many rows each megabyte of file_ has something of. One without any is given back to the disk, but not while somebody may read a row
  // there that he has not yet forgotten.
  values::dense_numbers used_;
  std::string id_;                             // of a kept file: sixteen bytes that no other has
  std::uint64_t relied_on_ = 0;                // so far a checkpoint, or who began with one, may read the kept file
  std::vector<std::uint64_t> emptied_;         // megabytes before it whose last row was forgotten since the last checkpoint
  std::vector<std::uint64_t> emptied_before_;  // and in the round before that one
};

}  // namespace annals::projections
