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
  bool has_order(const std::string&) const override { return false; }
  void adopt(const std::string&) override {}
  void signal(const std::string&, int) override {}
  void confirm(const std::string&) override {}
  void confine(const std::string&, const ports::host_share&) override {}
  void append_stderr(const std::string&, const std::string&) override {}
  void append_stdout(const std::string&, const std::string&) override {}
  void append_output(const std::string&, bool, const std::string&) override {}
  std::optional<ports::run_usage> usage(const std::string&) override { return {}; }
  void stage_in(const std::string&, const ports::stage_in_order&) override {}
  void unstage(const std::string&, const ports::stage_in_order&) override {}
  void deliver(const std::string&, const ports::delivery_order&) override {}
  void keep_jobdir(const std::string&) override {}
  void forget(const std::string&) override {}
  void forget_others(const std::set<std::string>&) override {}
};

}  // namespace annals::test
