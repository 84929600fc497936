#include "events/model/usage.hpp"

#include <algorithm>

#include "events/schema/message.hpp"

namespace annals::model {

ports::run_usage read_usage(schema::Usage::Reader from) {
  return {from.getCpuSeconds(), from.getMemKb(), from.getVmemKb(), from.getWallSeconds(), from.getNcpus(), from.getCpuPercent()};
}

void write_usage(const ports::run_usage& from, schema::Usage::Builder to) {
  to.setCpuSeconds(from.cpu_seconds);
  to.setMemKb(from.mem_kb);
  to.setVmemKb(from.vmem_kb);
  to.setWallSeconds(from.wall_seconds);
  to.setNcpus(from.ncpus);
  to.setCpuPercent(from.cpu_percent);
}

host_usage read_host_usage(schema::HostUsage::Reader from) {
  return {schema::str(from.getHost()), read_usage(from.getUsage()), from.getMeasuredNs()};
}

void write_host_usage(const host_usage& from, schema::HostUsage::Builder to) {
  to.setHost(from.host);
  write_usage(from.usage, to.initUsage());
  to.setMeasuredNs(from.measured_ns);
}

void add_usage(ports::run_usage& sum, const ports::run_usage& more) {
  sum.cpu_seconds += more.cpu_seconds;
  sum.mem_kb += more.mem_kb;
  sum.vmem_kb += more.vmem_kb;
  sum.cpu_percent += more.cpu_percent;
}

void add_ended_task(ports::run_usage& sum, const ports::run_usage& task) {
  sum.cpu_seconds += task.cpu_seconds;
  sum.mem_kb = std::max(sum.mem_kb, task.mem_kb);
  sum.vmem_kb = std::max(sum.vmem_kb, task.vmem_kb);
  sum.cpu_percent = std::max(sum.cpu_percent, task.cpu_percent);
}

}  // namespace annals::model
