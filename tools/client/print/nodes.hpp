// What pbsnodes prints: a block per vnode or per host, the lists -l and -S (pbs guide: pbsnodes). Pure.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/client/print/dates.hpp"
#include "tools/client/print/json.hpp"
#include "tools/client/print/labels.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

// The host a vnode is on is the first name of its Mom attribute, with its domain or without; else it is called as the vnode.
bool is_on_host(const object_view& vnode, std::string_view host);

// The vnodes of one host, the natural one (named like the host) first.
struct host_group {
  std::string name;  // that of the natural one; without it, the host's up to the first dot
  std::vector<object_view> vnodes;
};
// In the order in which the hosts' first vnodes stand.
std::vector<host_group> group_by_host(std::span<const object_view> vnodes);

// One attribute of a block, ready to print.
struct node_line {
  std::string name;  // "resources_available.mem"
  std::string value;
  bool is_date = false;  // the value is in seconds since 1970
  bool is_jobs = false;
};
using node_lines = std::vector<node_line>;

node_lines lines_of(const object_view& vnode, const labels& names);
// A host with one vnode shows that vnode. Else what is equal on all stands once and the rest as <various> (dates:
// 1970); numbers and builtin sizes are summed, jobs joined; resources stand last, in the order in which they were met.
node_lines lines_of(const host_group& host, const labels& names);

class node_printer {
 public:
  node_printer() : names_(schema::ObjectKind::NODE) {}
  const labels& names() const { return names_; }
  void block(std::string& out, std::string_view name, const node_lines& lines);
  void dsv(std::string& out, std::string_view name, const node_lines& lines, std::string_view delimiter) const;
  // Dates stay numbers, jobs become a list of their ids, resources of which nothing is assigned are left out.
  static void json(std::string& out, json_document& document, std::string_view name, const node_lines& lines);

 private:
  labels names_;
  date_text dates_;
};

// -l: hosts whose vnodes all have one state, and that state is offline or down.
void put_unavailable(std::string& out, const host_group& host);

// -S and -Sj. `long_form` (-L) cuts nothing.
struct summary_options {
  bool jobs = false;
  bool long_form = false;
};
// Ids of the jobs that are suspended.
using suspended_jobs = std::set<std::string, std::less<>>;
void put_summary_heading(std::string& out, summary_options options);
void put_summary(std::string& out, std::string_view name, const node_lines& lines, summary_options options,
                 const suspended_jobs& suspended);
// The same with -F: nothing is cut.
void put_summary_dsv(std::string& out, std::string_view name, const node_lines& lines, summary_options options,
                     const suspended_jobs& suspended, std::string_view delimiter);
void put_summary_json(std::string& out, json_document& document, std::string_view name, const node_lines& lines,
                      summary_options options, const suspended_jobs& suspended);

// "1.vm/0, 1.vm/1, 2.vm/0" as {"1.vm", "2.vm"}.
std::vector<std::string_view> job_ids_of(std::string_view jobs);

// "24684092kb" as "24gb": in the greatest unit that leaves at least 1, rounded; no bytes at all: "0 b".
std::string rounded_size(std::string_view size);
// A size in kb; nothing that is a size: -1.
std::int64_t kilobytes_of(std::string_view size);

}  // namespace annals::client
