// The order: what a MoM tells the shepherd about one run; the first part of a run file, whose second is the journal
// (run_journal.hpp). docs/design/0004-shepherd.md has the format.
// "name=value" fields, each ended by a NUL byte, between "annals-order=1" and "end=1"; several fields of one name make
// a list. Values are any bytes but NUL, which neither an argument nor an environment entry can hold.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annals::mom {

// A run_order with all that depends on the machine and the account filled in.
struct shepherd_order {
  std::string key, job_id, user, group;
  bool change_user = false;     // the MoM is root: become uid, gid and groups
  bool program_as_mom = false;  // but for the program
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;     // all of them
  std::vector<std::string> environment;  // complete
  std::vector<std::string> program;      // empty: a script job
  bool find_program = false;             // a name of it without a slash is looked for in the job's PATH
  std::string shell, script;             // of script jobs; both absolute
  std::vector<std::string> shell_args;   // empty: a login shell's
  std::string terminal;                  // the program that owns the terminal of an interactive job; empty: it is none
  std::string node_file;                 // removed with the run
  std::string stdout_file, stderr_file;  // absolute
  bool output_is_appended = false;       // as in ports::run_order
  bool may_run_again = false;            // nothing of its journal is synced, whose lines have the order's mark (journal_mark)
  std::string jobdir;                    // absolute
  bool make_jobdir = false;              // it is private: made now, removed with the run
  std::string tmpdir;
  unsigned umask = 077;
  std::uint32_t ncpus = 0;
  std::uint32_t kill_delay_s = 10;
  std::optional<std::uint64_t> cpu_seconds_max, file_bytes_max, resident_bytes_max, address_bytes_max;
  std::optional<int> nice;
  std::uint64_t attached_pid = 0, attached_session = 0, attached_ticks = 0;  // instead of a program; 0: none
  std::string mom_priv;                                                      // where the prologue runs
  std::string prologue, epilogue;                                            // empty: none
  std::uint32_t prologue_alarm_s = 30;
  std::string job_name, queue, account, resource_list;
  std::vector<std::string> cgroup_roots;  // empty: the run has no cgroup (job_cgroup.hpp)
  std::string cgroup_parent;
  std::optional<std::uint64_t> cgroup_memory_bytes, cgroup_vmem_bytes;
  std::uint32_t cgroup_ncpus = 0;
  bool cgroup_cpu_quota = false;
  bool operator==(const shepherd_order&) const = default;
};

std::string print_order(const shepherd_order& order);
// Nothing: not a whole order of this version.
std::optional<shepherd_order> parse_order(std::string_view bytes);
// Where the journal begins in a run file: after the order, or at 0 if there is no whole one.
std::size_t order_size(std::string_view run_file);

// What each line of the journal begins with that belongs to this order, written as print_order() does; empty: lines have no mark. The order
// is no part of it, its bytes are: after a power loss the new beginning of a file may stand before the old rest.
std::string journal_mark(const shepherd_order& order, std::string_view bytes);

// A run file as it is read.
struct run_file_parts {
  std::optional<shepherd_order> order;  // nothing: none that can be read
  std::size_t journal_at = 0;
  std::string mark;
};
// Run files are used again: after a power loss one may hold what was in it under its earlier name, or a part of it. Then
// there is no order, and nothing in the file is this run's journal.
run_file_parts parts_of(std::string_view run_file, std::string_view key);

// -- the format underneath, shared with user_request.hpp

using field = std::pair<std::string_view, std::string_view>;  // name, value

class field_writer {
 public:
  explicit field_writer(std::string_view kind) { put(kind, "1"); }
  void put(std::string_view name, std::string_view value);
  void put(std::string_view name, std::uint64_t value) { put(name, std::to_string(value)); }
  std::string finish() {
    put("end", "1");
    return std::move(out_);
  }

 private:
  std::string out_;
};

// The fields between "<kind>=1" and "end=1"; nothing if these two are not there or a field is malformed.
std::optional<std::vector<field>> parse_fields(std::string_view kind, std::string_view bytes);
// A whole decimal number; nothing if it is not one or does not fit.
std::optional<std::uint64_t> whole_number(std::string_view text);

}  // namespace annals::mom
