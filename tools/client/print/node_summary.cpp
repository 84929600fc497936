// pbsnodes -S and -Sj: one line per host or vnode (pbs guide: pbsnodes).
#include "tools/client/print/layout.hpp"
#include "tools/client/print/nodes.hpp"

namespace annals::client {
namespace {

std::string_view find(const node_lines& lines, std::string_view name) {
  for (const node_line& l : lines)
    if (l.name == name) return l.value;
  return {};
}

std::string_view or_dashes(std::string_view text) { return text.empty() ? "--" : text; }
std::string_view or_zero(std::string_view text, std::string_view zero = "0") { return text.empty() ? zero : text; }

class cells {
 public:
  cells(std::string& out, bool long_form) : out_(out), long_form_(long_form) {}
  void left(std::string_view text, std::size_t width) {
    if (!long_form_ && text.size() > width) text = text.substr(0, width);
    out_.append(text).append(text.size() < width ? width - text.size() : 0, ' ').push_back(' ');
  }
  void right(std::string_view text, std::size_t width) {
    if (!long_form_ && text.size() > width) text = text.substr(0, width);
    out_.append(text.size() < width ? width - text.size() : 0, ' ').append(text).push_back(' ');
  }

 private:
  std::string& out_;
  bool long_form_;
};

std::int64_t number(std::string_view text) {
  const std::int64_t n = seconds_of(text);  // one number reads as seconds
  return n < 0 ? 0 : n;
}

std::string free_and_total(const node_lines& lines, const std::string& resource) {
  const std::int64_t total = number(find(lines, "resources_available." + resource));
  const std::int64_t used = number(find(lines, "resources_assigned." + resource));
  return std::to_string(total - used) + "/" + std::to_string(total);
}

std::string free_and_total_memory(const node_lines& lines) {
  const std::string_view total = or_zero(find(lines, "resources_available.mem"), "0kb");
  const std::int64_t total_kb = kilobytes_of(total),
                     used_kb = kilobytes_of(or_zero(find(lines, "resources_assigned.mem")));
  const std::string all = rounded_size(total);
  if (total_kb <= 0 || used_kb < 0) return all + "/" + all;
  return rounded_size(std::to_string(total_kb - used_kb) + "kb") + "/" + all;
}

void put_jobs(std::string& out, std::string_view name, std::string_view state, const node_lines& lines,
              summary_options options, const suspended_jobs& suspended) {
  cells c(out, options.long_form);
  const std::vector<std::string_view> jobs = job_ids_of(find(lines, "jobs"));
  std::size_t asleep = 0;
  std::string list;
  for (const std::string_view job : jobs) {
    if (suspended.contains(job)) ++asleep;
    list.append(list.empty() ? "" : ",").append(job.substr(0, job.find('.')));
  }
  c.left(name, 15);
  c.left(state, 15);
  c.right(std::to_string(jobs.size()), 6);
  c.right(std::to_string(jobs.size() - asleep), 5);
  c.right(std::to_string(asleep), 6);
  c.right(free_and_total_memory(lines), 12);
  c.right(free_and_total(lines, "ncpus"), 7);
  c.right(free_and_total(lines, "nmics"), 7);
  c.right(free_and_total(lines, "ngpus"), 7);
  out.append(or_dashes(list)).push_back('\n');
}

}  // namespace

void put_summary_heading(std::string& out, summary_options options) {
  if (options.jobs) {
    out.append("                                                        mem       ncpus   nmics   ngpus\n");
    out.append("vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs\n");
    out.append("--------------- --------------- ------ ----- ------ ------------ ------- ------- ------- -------\n");
  } else {
    out.append(
        "vnode           state           OS       hardware host            queue        mem     ncpus   nmics   ngpus  "
        "comment\n");
    out.append(
        "--------------- --------------- -------- -------- --------------- ---------- -------- ------- ------- ------- "
        "---------\n");
  }
}

void put_summary(std::string& out, std::string_view name, const node_lines& lines, summary_options options,
                 const suspended_jobs& suspended) {
  // Of several states the first is shown.
  const std::string_view states = find(lines, "state"), state = states.substr(0, states.find(','));
  if (options.jobs) {
    put_jobs(out, name, state, lines, options, suspended);
    return;
  }
  cells c(out, options.long_form);
  c.left(name, 15);
  c.left(state, 15);
  c.left(or_dashes(find(lines, "resources_available.OS")), 8);
  c.left(or_dashes(find(lines, "resources_available.hardware")), 8);
  c.left(or_dashes(find(lines, "resources_available.host")), 15);
  c.left(or_dashes(find(lines, "queue")), 10);
  c.right(rounded_size(or_zero(find(lines, "resources_available.mem"), "0kb")), 8);
  c.right(or_zero(find(lines, "resources_available.ncpus")), 7);
  c.right(or_zero(find(lines, "resources_available.nmics")), 7);
  c.right(or_zero(find(lines, "resources_available.ngpus")), 7);
  out.append(or_dashes(find(lines, "comment"))).push_back('\n');
}

}  // namespace annals::client
