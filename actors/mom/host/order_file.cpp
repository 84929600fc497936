#include "actors/mom/host/order_file.hpp"

#include <charconv>

namespace annals::mom {
namespace {

constexpr std::string_view kind = "annals-order";

// One table for both directions: print_order and parse_order can't disagree about a name.
template <class Order, class Visit>
void visit_fields(Order& o, Visit&& visit) {
  visit("key", o.key);
  visit("job_id", o.job_id);
  visit("user", o.user);
  visit("group", o.group);
  visit("change_user", o.change_user);
  visit("program_as_mom", o.program_as_mom);
  visit("uid", o.uid);
  visit("gid", o.gid);
  visit("groups", o.groups);
  visit("env", o.environment);
  visit("arg", o.program);
  visit("find_program", o.find_program);
  visit("shell", o.shell);
  visit("shell_arg", o.shell_args);
  visit("script", o.script);
  visit("terminal", o.terminal);
  visit("node_file", o.node_file);
  visit("stdout", o.stdout_file);
  visit("stderr", o.stderr_file);
  visit("output_is_appended", o.output_is_appended);
  visit("may_run_again", o.may_run_again);
  visit("jobdir", o.jobdir);
  visit("make_jobdir", o.make_jobdir);
  visit("tmpdir", o.tmpdir);
  visit("umask", o.umask);
  visit("ncpus", o.ncpus);
  visit("kill_delay_s", o.kill_delay_s);
  visit("cpu_seconds_max", o.cpu_seconds_max);
  visit("file_bytes_max", o.file_bytes_max);
  visit("resident_bytes_max", o.resident_bytes_max);
  visit("address_bytes_max", o.address_bytes_max);
  visit("nice", o.nice);
  visit("attached_pid", o.attached_pid);
  visit("attached_session", o.attached_session);
  visit("attached_ticks", o.attached_ticks);
  visit("mom_priv", o.mom_priv);
  visit("prologue", o.prologue);
  visit("epilogue", o.epilogue);
  visit("prologue_alarm_s", o.prologue_alarm_s);
  visit("job_name", o.job_name);
  visit("queue", o.queue);
  visit("account", o.account);
  visit("resource_list", o.resource_list);
  visit("cgroup_root", o.cgroup_roots);
  visit("cgroup_parent", o.cgroup_parent);
  visit("cgroup_memory_bytes", o.cgroup_memory_bytes);
  visit("cgroup_vmem_bytes", o.cgroup_vmem_bytes);
  visit("cgroup_ncpus", o.cgroup_ncpus);
  visit("cgroup_cpu_quota", o.cgroup_cpu_quota);
}

struct printer {
  field_writer& out;
  void operator()(std::string_view name, const std::string& v) {
    if (!v.empty()) out.put(name, v);
  }
  void operator()(std::string_view name, bool v) {
    if (v) out.put(name, "1");
  }
  void operator()(std::string_view name, std::uint32_t v) { out.put(name, std::uint64_t{v}); }
  void operator()(std::string_view name, std::uint64_t v) {
    if (v) out.put(name, v);
  }
  void operator()(std::string_view name, const std::optional<std::uint64_t>& v) {
    if (v) out.put(name, *v);
  }
  void operator()(std::string_view name, const std::optional<int>& v) {
    if (v) out.put(name, std::to_string(*v));
  }
  void operator()(std::string_view name, const std::vector<std::string>& v) {
    for (const auto& x : v) out.put(name, x);
  }
  void operator()(std::string_view name, const std::vector<std::uint32_t>& v) {
    for (const auto x : v) out.put(name, std::uint64_t{x});
  }
};

bool read_number(std::string_view text, std::uint32_t& to) {
  const auto n = whole_number(text);
  if (!n || *n > UINT32_MAX) return false;
  to = static_cast<std::uint32_t>(*n);
  return true;
}

// Takes one field if its name fits; `good` stays false until a field was taken and understood.
struct reader {
  field f;
  bool good = false;
  template <class T>
  void operator()(std::string_view name, T& to) {
    if (f.first == name) good = take(to);
  }

  bool take(std::string& to) {
    to = f.second;
    return true;
  }
  bool take(bool& to) {
    to = f.second == "1";
    return to;
  }
  bool take(std::uint32_t& to) { return read_number(f.second, to); }
  bool take(std::uint64_t& to) {
    to = whole_number(f.second).value_or(0);
    return to != 0;
  }
  bool take(std::optional<std::uint64_t>& to) {
    to = whole_number(f.second);
    return to.has_value();
  }
  bool take(std::optional<int>& to) {
    int n = 0;
    const auto end = f.second.data() + f.second.size();
    const auto r = std::from_chars(f.second.data(), end, n);
    if (r.ec != std::errc() || r.ptr != end) return false;
    to = n;
    return true;
  }
  bool take(std::vector<std::string>& to) {
    to.emplace_back(f.second);
    return true;
  }
  bool take(std::vector<std::uint32_t>& to) {
    std::uint32_t n = 0;
    if (!read_number(f.second, n)) return false;
    to.push_back(n);
    return true;
  }
};

}  // namespace

void field_writer::put(std::string_view name, std::string_view value) {
  out_.append(name);
  out_ += '=';
  out_.append(value.substr(0, value.find('\0')));
  out_ += '\0';
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t n = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size() || text.empty()) return {};
  return n;
}

std::optional<std::vector<field>> parse_fields(std::string_view kind_name, std::string_view bytes) {
  std::vector<field> fields;
  fields.reserve(128);
  while (!bytes.empty()) {
    const auto end = bytes.find('\0');
    if (end == std::string_view::npos) return {};
    const auto one = bytes.substr(0, end);
    const auto equals = one.find('=');
    if (equals == std::string_view::npos) return {};
    fields.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    bytes.remove_prefix(end + 1);
  }
  if (fields.size() < 2 || fields.front() != field{kind_name, "1"} || fields.back() != field{"end", "1"}) return {};
  fields.erase(fields.begin());
  fields.pop_back();
  return fields;
}

std::string print_order(const shepherd_order& order) {
  field_writer out(kind);
  visit_fields(order, printer{out});
  return out.finish();
}

std::size_t order_size(std::string_view run_file) {
  constexpr std::string_view last{"\0end=1\0", 7};  // the only field called "end"
  const auto at = run_file.find(last);
  return at == std::string_view::npos ? 0 : at + last.size();
}

run_file_parts parts_of(std::string_view run_file, std::string_view key) {
  const auto size = order_size(run_file);
  auto order = parse_order(run_file.substr(0, size));
  const bool torn = size == 0 && run_file.starts_with(kind);
  if (torn || (order && order->key != key)) return {{}, run_file.size(), {}};
  auto mark = order ? journal_mark(*order, run_file.substr(0, size)) : std::string();
  return {std::move(order), size, std::move(mark)};
}

std::string journal_mark(const shepherd_order& order, std::string_view bytes) {
  if (!order.may_run_again) return {};
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
  return text;
}

std::optional<shepherd_order> parse_order(std::string_view bytes) {
  const auto fields = parse_fields(kind, bytes);
  if (!fields) return {};
  shepherd_order order;
  for (const auto& f : *fields) {
    reader r{f};
    visit_fields(order, r);
    if (!r.good) return {};  // an unknown name is an order of a later version
  }
  return order;
}

}  // namespace annals::mom
