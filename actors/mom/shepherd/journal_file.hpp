// The run file from the shepherd's side: claimed once, locked until the object goes, appended to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "actors/mom/host/job_cgroup.hpp"
#include "actors/mom/host/order_file.hpp"

namespace annals::shepherd {

class spare_cgroup;

class journal_file {
 public:
  journal_file() = default;
  ~journal_file();
  journal_file(const journal_file&) = delete;
  journal_file& operator=(const journal_file&) = delete;
  // Locks the file and writes that the run is ours; both are on disk afterwards, the file's name too, but for a run that may run again.
  // False: somebody else has or had this run, it was called off, the file holds no order or another run's, or the disk refused.
  bool claim(const char* path, const std::string& boot);
  const std::optional<mom::shepherd_order>& order() const { return order_; }  // nothing: it is not one that we understand
  // One write. False: the disk refused; the line waits and goes before the next one.
  bool append(std::string_view line);
  // Goes before the next line, with one write.
  void append_with_next(std::string_view line);
  // The last line: tries until the disk takes it, for only we know how the run ended.
  void append_last(std::string_view line);

 private:
  bool lock(const char* path);
  bool sync() const;
  int fd_ = -1;
  std::string waiting_;
  std::optional<mom::shepherd_order> order_;
  std::string mark_;
};

// Makes it with the limits of the order, of what is spare where there is any. The job runs without what can't be had, which is said in the
// journal.
void make_cgroup(const mom::job_cgroup& cgroup, const mom::shepherd_order& order, journal_file& journal, spare_cgroup* spare = nullptr);

}  // namespace annals::shepherd
