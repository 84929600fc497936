// pbsnodes -S and -Sj: one line per host or vnode (pbs guide: pbsnodes).
#include <cstdlib>

#include "tools/client/print/layout.hpp"
#include "tools/client/print/nodes.hpp"

namespace annals::client {
namespace {

std::string_view find(const node_lines& lines, std::string_view name) {
  for (const node_line& l : lines)
    if (l.name == name) return l.value;
  return {};
}

std::string_view short_id(std::string_view job) { return job.substr(0, job.find('.')); }

std::string_view or_dashes(std::string_view text) { return text.empty() ? "--" : text; }
std::string_view or_zero(std::string_view text, std::string_view zero = "0") { return text.empty() ? zero : text; }

// One column of the list.
struct cell {
  const char* in_json;
  const char* in_dsv;
  std::string text;
  int width;  // below 0: on the left; 0: as wide as it is
};

void put_cell(std::string& out, const cell& c, bool long_form) {
  const auto width = static_cast<std::size_t>(std::abs(c.width));
  std::string_view text = c.text;
  if (!long_form && width > 0) text = text.substr(0, width);
  const std::size_t room = text.size() < width ? width - text.size() : 0;
  if (c.width > 0) out.append(room, ' ');
  out.append(text);
  if (c.width < 0) out.append(room, ' ');
}

void put_escaped(std::string& out, std::string_view text, std::string_view delimiter) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!delimiter.empty() && text.compare(i, delimiter.size(), delimiter) == 0) out.push_back('\\');
    out.push_back(text[i]);
  }
}

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

std::vector<cell> cells_of_jobs(std::string_view name, std::string_view state, const node_lines& lines,
                                const suspended_jobs& suspended) {
  const std::vector<std::string_view> jobs = job_ids_of(find(lines, "jobs"));
  std::size_t asleep = 0;
  std::string list;
  for (const std::string_view job : jobs) {
    if (suspended.contains(job)) ++asleep;
    list.append(list.empty() ? "" : ",").append(short_id(job));
  }
  return {{"vnode", "vnode", std::string(name), -15},
          {"State", "state", std::string(state), -15},
          {"Total Jobs", "njobs", std::to_string(jobs.size()), 6},
          {"Running Jobs", "run", std::to_string(jobs.size() - asleep), 5},
          {"Suspended Jobs", "susp", std::to_string(asleep), 6},
          {"mem f/t", "mem(f/t)", free_and_total_memory(lines), 12},
          {"ncpus f/t", "ncpus(f/t)", free_and_total(lines, "ncpus"), 7},
          {"nmics f/t", "nmics(f/t)", free_and_total(lines, "nmics"), 7},
          {"ngpus f/t", "ngpus(f/t)", free_and_total(lines, "ngpus"), 7},
          {"jobs", "jobs", std::string(or_dashes(list)), 0}};
}

std::vector<cell> cells_of(std::string_view name, const node_lines& lines, summary_options options,
                           const suspended_jobs& suspended) {
  // Of several states the first is shown.
  const std::string_view states = find(lines, "state"), state = states.substr(0, states.find(','));
  if (options.jobs) return cells_of_jobs(name, state, lines, suspended);
  const auto text = [&](std::string_view attribute) { return std::string(or_dashes(find(lines, attribute))); };
  const auto amount = [&](std::string_view attribute) { return std::string(or_zero(find(lines, attribute))); };
  return {{"vnode", "vnode", std::string(name), -15},
          {"State", "state", std::string(state), -15},
          {"OS", "OS", text("resources_available.OS"), -8},
          {"hardware", "hardware", text("resources_available.hardware"), -8},
          {"host", "host", text("resources_available.host"), -15},
          {"queue", "queue", text("queue"), -10},
          {"Memory", "mem", rounded_size(or_zero(find(lines, "resources_available.mem"), "0kb")), 8},
          {"ncpus", "ncpus", amount("resources_available.ncpus"), 7},
          {"nmics", "nmics", amount("resources_available.nmics"), 7},
          {"ngpus", "ngpus", amount("resources_available.ngpus"), 7},
          {"comment", "comment", text("comment"), 0}};
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
  const std::vector<cell> cells = cells_of(name, lines, options, suspended);
  for (const cell& c : cells) {
    put_cell(out, c, options.long_form);
    out.push_back(&c == &cells.back() ? '\n' : ' ');
  }
}

void put_summary_dsv(std::string& out, std::string_view name, const node_lines& lines, summary_options options,
                     const suspended_jobs& suspended, std::string_view delimiter) {
  const std::vector<cell> cells = cells_of(name, lines, options, suspended);
  for (const cell& c : cells) {
    if (&c != &cells.front()) out.append(delimiter);
    out.append(c.in_dsv).push_back('=');
    put_escaped(out, c.text, delimiter);
  }
  out.push_back('\n');
}

void put_summary_json(std::string& out, json_document& document, std::string_view name, const node_lines& lines,
                      summary_options options, const suspended_jobs& suspended) {
  document.open_object(out, name);
  std::vector<cell> cells = cells_of(name, lines, options, suspended);
  cells.erase(cells.begin());  // the object is called after it
  if (options.jobs) cells.pop_back();
  for (const cell& c : cells) {
    document.key(out, 3, c.in_json);
    put_json_value(out, c.text);
  }
  if (options.jobs) {
    std::vector<std::string_view> jobs = job_ids_of(find(lines, "jobs"));
    for (std::string_view& job : jobs) job = short_id(job);
    document.key(out, 3, "jobs");
    put_json_list(out, jobs);
  }
  document.close_object(out);
}

}  // namespace annals::client
