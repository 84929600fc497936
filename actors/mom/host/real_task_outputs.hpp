// The files of $PBS_HOME/spool that tasks write to. The directory is everybody's: a file is read only if it is a plain one
// of the task's user, and no link is followed.
#pragma once

#include <memory>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/event_loop.hpp"
#include "events/ports/task_outputs.hpp"

namespace annals::mom {

// Where a task's standard output or error goes until it is handed on.
std::string task_output_file(const std::string& pbs_home, const values::program_key& key, bool errors);

class real_task_outputs final : public ports::task_outputs {
 public:
  real_task_outputs(std::string pbs_home, event_loop::complaint complain, const name_service& names = {});
  ~real_task_outputs() override;
  void listen(std::function<void(const values::task_key& key)> grown) override;
  void follow(const values::task_key& key, const std::string& user) override;
  std::optional<std::string> read(const values::task_key& key, bool errors, std::uint64_t offset, std::size_t most) override;
  void remove(const values::task_key& key) override;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace annals::mom
