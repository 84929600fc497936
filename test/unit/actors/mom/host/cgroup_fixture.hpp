// Runs in real cgroups, with every version that this machine has. Needs root; skipped elsewhere.
#pragma once

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "actors/mom/host/cgroup_files.hpp"
#include "actors/mom/host/cgroup_mounts.hpp"
#include "actors/mom/host/job_cgroup.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

namespace annals::test {

class cgroup_fixture : public host_fixture {
 public:
  const values::run_key key = run_of("7.b.1");
  static constexpr std::uint64_t mb = 1024 * 1024;

  cgroup_fixture() {
    options.cgroup_parent = "annals-test-" + std::to_string(getpid()) + "/n1";
    options.kept_idle_max = std::chrono::hours(1);  // however long this process stands still between two subjobs
    offer_ = mom::find_cgroups("/proc/self/mountinfo", options.cgroup_parent);
  }
  ~cgroup_fixture() {
    end_runs();
    for (const auto& text : offer_.roots) BOOST_TEST(!std::filesystem::exists(top(*mom::parse_root(text))), "left behind in " << text);
  }

  // The same with each version alone, and with both as a MoM would use them. Between two nothing is left.
  template <class Check>
  void with_each(Check&& check) {
    if (offer_.roots.empty()) {
      return skip(offer_.text);
    }
    for (const char* which : {"found", "v1", "v2"}) {
      BOOST_TEST_CONTEXT(which) {
        options.cgroup_roots = roots(which);
        if (options.cgroup_roots.empty()) continue;
        restart_mom();
        check();
        forget_and_wait(key);
        wait_until([&] { return gone(); }, "the cgroups to go");
      }
    }
  }

  std::vector<mom::cgroup_root> parsed() const {
    std::vector<mom::cgroup_root> all;
    for (const auto& text : options.cgroup_roots) all.push_back(*mom::parse_root(text));
    return all;
  }
  std::string run_directory(const mom::cgroup_root& r) const { return r.path + '/' + options.cgroup_parent + "/7.b.1"; }
  // Where the processes of one of its tasks are.
  std::string task_directory(const mom::cgroup_root& r, const named& of) const {
    const bool no_limits = r.v2 && !r.memory && !r.cpu;
    return (no_limits ? r.path + '/' + options.cgroup_parent : run_directory(r)) + '/' + print(of.key);
  }
  // A shepherd that goes home may still be removing the uppermost when all below it are gone.
  bool gone() const {
    for (const auto& r : parsed())
      if (std::filesystem::exists(top(r))) return false;
    return true;
  }
  bool has_memory() const {
    for (const auto& r : parsed())
      if (r.memory) return true;
    return false;
  }
  mom::job_cgroup cgroup(const named& of) const { return {options.cgroup_roots, options.cgroup_parent, print(of.key)}; }

  ports::run_order limited(const std::string& text, ports::host_share share = {{}, {}, 1, false}) const {
    auto o = script(key, text);
    o.share = share;
    return o;
  }
  long shepherd() const { return static_cast<long>(mom::parse_journal(journal_of(key)).claimed->pid); }
  // The number that the script wrote into a file; it may take a moment.
  long number_in(const std::string& name) const {
    const auto path = work() + '/' + name;
    wait_until([&] { return read_whole(path).ends_with('\n'); }, "a number from the script");
    const auto n = std::stol(read_whole(path));
    unlink(path.c_str());
    return n;
  }
  bool frozen() const {
    for (const auto& r : parsed()) {
      const auto leaf = task_directory(r, key);
      if (r.v2) return mom::cgroup_files::number(leaf + "/cgroup.events", "frozen") == 1u;
      if (r.freezer) return mom::cgroup_files::read(leaf + "/freezer.state") == "FROZEN\n";
    }
    return false;
  }

 private:
  // The uppermost directory that is made for the test.
  std::string top(const mom::cgroup_root& r) const {
    return r.path + '/' + options.cgroup_parent.substr(0, options.cgroup_parent.find('/'));
  }
  std::vector<std::string> roots(const std::string& which) const {
    if (which == "found") return offer_.roots;
    std::string kept;
    const auto all = read_whole("/proc/self/mountinfo");
    for (std::size_t at = 0; at < all.size();) {
      const auto line = all.substr(at, all.find('\n', at) + 1 - at);
      if ((line.find(" - cgroup2 ") != std::string::npos) == (which == "v2")) kept += line;
      at += line.size();
    }
    write_whole(work() + "/mountinfo", kept);
    return mom::find_cgroups(work() + "/mountinfo", options.cgroup_parent).roots;
  }
  mom::cgroup_offer offer_;
};

}  // namespace annals::test
