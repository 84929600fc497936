#include "actors/mom/host/machine_order.hpp"

#include "actors/mom/host/environment.hpp"

namespace annals::mom {

shepherd_order order_on(const machine& here, const ports::run_order& o, const account& user) {
  shepherd_order s;
  s.key = print(o.key);
  s.job_id = o.job_id;
  s.user = user.name;
  s.group = o.group;
  s.change_user = user.change_user;
  s.program_as_mom = o.as_mom;
  s.uid = user.uid;
  s.gid = user.gid;
  s.groups = user.groups;
  s.program = o.program;
  s.find_program = o.is_task;  // as PBS does; a job's own program is found in its directory
  s.shell = o.shell.empty() ? user.shell : o.shell;
  s.shell_args = o.shell_args;
  s.script = o.program.empty() && !o.interactive ? o.script : "";
  if (o.interactive) s.terminal = here.terminal;
  s.node_file = o.node_file;
  s.jobdir = o.jobdir.empty() ? user.home : o.jobdir;
  if (!o.private_jobdir.empty()) {
    s.jobdir += '/' + o.private_jobdir;
    s.make_jobdir = !o.is_task;
  }
  const auto absolute = [&](const std::string& path) {
    return path.empty() || path.front() == '/' ? path : s.jobdir + '/' + path;
  };
  s.stdout_file = absolute(o.stdout_file);
  s.output_is_appended = o.output_is_appended;
  s.may_run_again = o.may_run_again;
  s.stderr_file = absolute(o.stderr_file);
  s.tmpdir = o.tmpdir;
  s.umask = o.umask;
  s.ncpus = o.ncpus;
  s.kill_delay_s = o.kill_delay_s;
  s.cpu_seconds_max = o.cpu_seconds_max;
  s.file_bytes_max = o.file_bytes_max;
  s.resident_bytes_max = o.resident_bytes_max;
  s.address_bytes_max = o.address_bytes_max;
  s.nice = o.nice;
  s.attached_pid = static_cast<std::uint64_t>(o.attached.pid);
  s.attached_session = static_cast<std::uint64_t>(o.attached.session);
  s.attached_ticks = o.attached.start_ticks;
  s.mom_priv = here.mom_priv;
  if (!o.is_task) {
    if (!o.without_prologue) s.prologue = here.prologue;
    if (!o.without_epilogue) s.epilogue = here.epilogue;
  }
  s.prologue_alarm_s = o.prologue_alarm_s;
  s.job_name = o.job_name;
  s.queue = o.queue;
  s.account = o.account;
  s.resource_list = o.resource_list;
  s.environment = o.environment;
  add_account(s.environment, user, s.shell, s.jobdir);
  if (o.as_mom) {
    put_variable(s.environment, "UID=" + std::to_string(user.uid));
    put_variable(s.environment, "GID=" + std::to_string(user.gid));
  }
  return s;
}

}  // namespace annals::mom
