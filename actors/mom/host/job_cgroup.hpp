// The cgroup of one program or task of a run, in every hierarchy that is used: <root>/<parent>/<run>/<key>. That of the run
// has its limits on this host, which all its tasks share; the last one holds the processes. A v2 hierarchy without controllers has no
// <run>.
//
// Objects are names: making and dropping one touches nothing. Without roots all succeeds and nothing happens, so that a
// host without cgroups needs no other way. docs/design/0026-cgroups.md.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <vector>

#include "actors/mom/host/cgroup_root.hpp"

namespace annals::mom {

class job_cgroup {
 public:
  // `roots`: as print_root() writes them. `key`: of the program ("12.borg.1") or a task ("12.borg.1-2").
  job_cgroup(const std::vector<std::string>& roots, std::string parent, std::string key);

  // Makes it and sets the limits. What can't be done is left out; returns the first such thing, or "". `cleared`, which has these
  // limits, becomes this one where it can (v1) and is gone.
  std::string make(const cgroup_limits& limits, const job_cgroup* cleared = nullptr) const;
  // Sets other limits for its run, where it is. Memory in use is never above them. What went wrong first, or "".
  std::string limit(const cgroup_limits& limits) const;
  // Descriptors of its cgroup.procs: a process that writes "0" to each is in it, with all that it will start.
  std::vector<int> open_doors() const;

  bool freeze(bool frozen) const;  // false: not here
  // What a signal to all of the run means for the whole: SIGSTOP freezes; SIGCONT, and SIGKILL, which the frozen of v1 do not
  // hear, end that. A stopped process that escapes signals, or is let go by another of its user, still stands.
  void follow(int signal) const;
  bool kill() const;  // one round of SIGKILL, whoever it is and whatever they ignore. True: nobody was there
  cgroup_usage usage() const;
  // With the run's, if this was its last one, and the MoM's, if that was its last run. False: somebody is still in it.
  bool remove() const;

  // For another run with the same limits: nothing that this one used stays. Where it can't be so (v2, or somebody is in it) it is removed.
  // What is left has this name, which nothing has, from now on.
  void clear(const job_cgroup& becomes) const;
  // Of the same MoM and hierarchies.
  bool is_beside(const job_cgroup& other) const { return roots_ == other.roots_ && parent_ == other.parent_; }
  job_cgroup beside(std::string key) const;
  const std::string& key() const { return key_; }

 private:
  std::string run_directory(const cgroup_root& root) const { return root.path + '/' + parent_ + (flat(root) ? "" : '/' + run_); }
  std::string directory(const cgroup_root& root) const { return shared(root) ? run_directory(root) : run_directory(root) + '/' + key_; }
  bool make_in(const cgroup_root& root) const;
  std::string limit_in(const cgroup_root& root, const cgroup_limits& limits) const;
  bool make_parents(const cgroup_root& root) const;
  bool forget_in(const cgroup_root& root) const;
  bool rename_in(const cgroup_root& root, const job_cgroup& other) const;
  void remove_empty(const cgroup_root& root) const;
  // A hierarchy that only shares out cpus has nothing to tell of one task.
  static bool shared(const cgroup_root& root) { return !root.v2 && !root.memory && !root.cpuacct && !root.freezer; }
  // One that has no limits has nothing that the tasks of a run share.
  static bool flat(const cgroup_root& root) { return root.v2 && !root.memory && !root.cpu; }
  const cgroup_root* fence() const;  // the hierarchy that freezes and kills

  std::vector<cgroup_root> roots_;
  std::string parent_, run_, key_;
};

}  // namespace annals::mom
