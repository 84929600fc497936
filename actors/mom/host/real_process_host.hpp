// process_host on a real machine: runs programs through the shepherd and believes only what its files say.
// docs/design/0004-shepherd.md has the files and who may write them.
//
// One thread of its own does all the work and tells all events. It learns of changes from inotify (a run's journal
// grew) and pidfd (a shepherd ended); it never polls. Dropping the object leaves the runs alone: a new object on the
// same $PBS_HOME adopts them.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "actors/mom/host/host_options.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

class real_process_host : public ports::process_host {
 public:
  explicit real_process_host(host_options options);  // throws std::system_error if a directory can't be made
  ~real_process_host() override;

  void listen(events e) override;  // before anything else
  void start(const ports::run_order& order) override;
  bool has_order(const values::program_key& key) const override;
  void adopt(const values::program_key& key) override;
  void signal(const values::program_key& key, int signal) override;
  void confirm(const values::run_key& key) override;
  void confine(const values::run_key& key, const ports::host_share& share) override;
  void append_stderr(const values::run_key& key, const std::string& text) override;
  void append_stdout(const values::run_key& key, const std::string& text) override;
  void append_output(const values::run_key& key, bool errors, const std::string& bytes) override;
  std::optional<ports::run_usage> usage(const values::program_key& key) override;
  void stage_in(const values::run_key& key, const ports::stage_in_order& order) override;
  void unstage(const values::run_key& key, const ports::stage_in_order& order) override;
  void deliver(const values::run_key& key, const ports::delivery_order& order) override;
  void keep_jobdir(const values::run_key& key) override;
  void forget(const values::program_key& key) override;
  void forget_others(const std::set<values::run_key>& keys) override;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace annals::mom
