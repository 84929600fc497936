// A host for tests of a run's or a part's actor: it does what it is told, and says nothing.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "events/ports/process_host.hpp"

namespace annals::test {

struct quiet_host : ports::process_host {
  void listen(events) override {}
  void start(const ports::run_order&) override {}
  bool has_order(const values::program_key&) const override { return false; }
  void adopt(const values::program_key&) override {}
  void signal(const values::program_key&, int) override {}
  void confirm(const values::run_key&) override {}
  void confine(const values::run_key&, const ports::host_share&) override {}
  void append_stderr(const values::run_key&, const std::string&) override {}
  void append_stdout(const values::run_key&, const std::string&) override {}
  void append_output(const values::run_key&, bool, const std::string&) override {}
  std::optional<ports::run_usage> usage(const values::program_key&) override { return {}; }
  void stage_in(const values::run_key&, const ports::stage_in_order&) override {}
  void unstage(const values::run_key&, const ports::stage_in_order&) override {}
  void deliver(const values::run_key&, const ports::delivery_order&) override {}
  void keep_jobdir(const values::run_key&) override {}
  void forget(const values::program_key&) override {}
  void forget_others(const std::set<values::run_key>&) override {}
};

}  // namespace annals::test
