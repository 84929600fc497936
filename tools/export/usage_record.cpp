#include "tools/export/usage_record.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "events/values/exec_host.hpp"
#include "events/values/shown_text.hpp"

namespace annals::exporting {
namespace {

constexpr std::string_view in_place_of_bad = "\xEF\xBF\xBD";
constexpr std::int64_t signal_base = 256;  // Exit_status of a program that signal N ended is 256 + N

// The columns of a row of runs, by name.
class run_columns {
 public:
  explicit run_columns(const exports::row& run) : run_(run), columns_(exports::table_of(exports::table_id::runs).columns) {}

  std::optional<std::int64_t> number(std::string_view column) const { return get<std::int64_t>(column); }
  std::optional<exports::moment> time(std::string_view column) const { return get<exports::moment>(column); }
  std::string text(std::string_view column) const { return get<std::string>(column).value_or(""); }

 private:
  template <class T>
  std::optional<T> get(std::string_view column) const {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const exports::column& c) { return c.name == column; });
    const auto* is = std::get_if<T>(&run_.values.at(static_cast<std::size_t>(found - columns_.begin())));
    return is ? std::optional(*is) : std::nullopt;
  }

  const exports::row& run_;
  std::span<const exports::column> columns_;
};

bool is_in_xml(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x20) return first == '\t' || first == '\n' || first == '\r';
  return character != "\xEF\xBF\xBE" && character != "\xEF\xBF\xBF";  // U+FFFE, U+FFFF
}

// A carriage return as it is would be read as a line's end.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto length = std::max<std::size_t>(values::utf8_length(text), 1);
    const auto c = text.substr(0, length);
    if (!is_in_xml(c)) out += in_place_of_bad;
    else if (c == "&") out += "&amp;";
    else if (c == "<") out += "&lt;";
    else if (c == ">") out += "&gt;";
    else if (c == "\r") out += "&#13;";
    else out += c;
    text.remove_prefix(length);
  }
  return out;
}

// In whole seconds, as accounting has them.
std::string print_seconds(exports::moment at) { return exports::print_moment(at).substr(0, 19) + "Z"; }
std::string print_duration(std::int64_t seconds) { return "PT" + std::to_string(std::max<std::int64_t>(seconds, 0)) + "S"; }

// Elements are added in the order that the schema wants; one without content is left out.
class block {
 public:
  explicit block(const char* name) : name_(name) {}

  block& text(const char* element, std::string_view content, const char* attribute = "") {
    return content.empty() ? *this : put(element, attribute, escaped(content));
  }
  block& number(const char* element, std::optional<std::int64_t> n) { return n ? put(element, "", std::to_string(*n)) : *this; }
  block& positive(const char* element, std::optional<std::int64_t> n) { return n && *n > 0 ? number(element, n) : *this; }
  block& time(const char* element, std::optional<exports::moment> at, const char* attribute = "") {
    return at ? put(element, attribute, print_seconds(*at)) : *this;
  }
  block& duration(const char* element, std::int64_t seconds) { return put(element, "", print_duration(seconds)); }
  block& inner(const block& b) {
    content_ += b.xml();
    return *this;
  }

  std::string xml() const {
    return content_.empty() ? std::string() : "<ur:" + std::string(name_) + ">" + content_ + "</ur:" + name_ + ">";
  }

 private:
  block& put(const char* element, const char* attribute, const std::string& content) {
    content_ += "<ur:" + std::string(element) + attribute + ">" + content + "</ur:" + element + ">";
    return *this;
  }

  const char* name_;
  std::string content_;
};

// Numbers of jobs come again, with another time of submission.
std::string global_id(const run_columns& run) {
  const auto created = run.time("created_at");
  return run.text("job_id") + "/" + (created ? print_seconds(*created) : "");
}

block identity_of_record(const run_columns& run, std::int64_t at_ns) {
  block b("RecordIdentityBlock");
  b.text("RecordId", global_id(run) + "/" + std::to_string(run.number("run").value_or(0)));
  b.time("CreateTime", exports::moment{at_ns});
  return b;
}

block identity_of_subject(const run_columns& run) {
  block b("SubjectIdentityBlock");
  b.text("LocalUserId", run.text("user_name")).text("LocalGroupId", run.text("group_name"));
  return b;
}

void add_hosts(block& b, const run_columns& run) {
  const auto spec = values::parse_exec_host(run.text("exec_host"));
  if (!spec) return;
  bool is_primary = true;
  for (const auto& host : values::hosts_of(*spec)) {
    block one("ExecutionHost");
    one.text("Hostname", host, is_primary ? " ur:primary=\"true\"" : "");
    if (is_primary) one.positive("ProcessId", run.number("session"));
    b.inner(one);
    is_primary = false;
  }
}

// The block must say from when to when: a run that never began has none.
block compute_usage(const run_columns& run) {
  block b("ComputeUsageBlock");
  const auto start = run.time("started_at"), end = run.time("ended_at");
  if (!start || !end) return b;
  b.duration("CpuDuration", run.number("used_cput_s").value_or(0));
  b.duration("WallDuration", run.number("used_walltime_s").value_or(0));
  b.time("StartTime", start).time("EndTime", end);
  add_hosts(b, run);
  const auto used = run.number("used_ncpus");
  b.positive("Processors", used.value_or(0) > 0 ? used : run.number("asked_ncpus"));
  b.positive("NodeCount", run.number("hosts"));
  b.number("ExitStatus", run.number("exit_status"));
  return b;
}

// PBS ends programs with TERM and then KILL; another signal is the program's own trouble.
const char* status_of(const run_columns& run) {
  const auto outcome = run.text("outcome");
  if (outcome == "requeued" || outcome == "checkpointed") return "queued";
  const auto exit = run.number("exit_status").value_or(0);
  if (exit == signal_base + SIGTERM || exit == signal_base + SIGKILL) return "aborted";
  return outcome == "start_failed" || exit < 0 || exit >= signal_base ? "failed" : "completed";
}

std::string server_of(const std::string& job_id) {
  const auto dot = job_id.find('.');
  return dot == std::string::npos ? std::string() : job_id.substr(dot + 1);
}

block job_usage(const run_columns& run) {
  const auto id = run.text("job_id");
  block b("JobUsageBlock");
  b.text("GlobalJobId", global_id(run)).text("LocalJobId", id).text("JobName", run.text("job_name"));
  b.text("MachineName", server_of(id)).text("Queue", run.text("queue"), " ur:description=\"execution\"");
  b.time("TimeInstant", run.time("created_at"), " ur:type=\"Ctime\"");
  b.time("TimeInstant", run.time("queued_at"), " ur:type=\"Qtime\"");
  b.time("TimeInstant", run.time("eligible_at"), " ur:type=\"Etime\"");
  b.text("Status", status_of(run));
  return b;
}

block memory_usage(const run_columns& run, const char* memory_class, const char* used, const char* asked) {
  block b("MemoryUsageBlock");
  const auto start = run.time("started_at"), end = run.time("ended_at");
  const auto bytes = run.number(used);
  if (!start || !end || !bytes) return b;
  b.text("MemoryClass", memory_class).number("MemoryResourceCapacityUsed", bytes);
  if (asked) b.number("MemoryResourceCapacityRequested", run.number(asked));
  b.time("StartTime", start).time("EndTime", end);
  return b;
}

}  // namespace

std::string usage_record(const exports::row& r) {
  const run_columns run(r);
  block record("UsageRecord");
  record.inner(identity_of_record(run, r.at_ns)).inner(identity_of_subject(run)).inner(compute_usage(run)).inner(job_usage(run));
  record.inner(memory_usage(run, "RAM", "used_mem_bytes", "asked_mem_bytes"));
  record.inner(memory_usage(run, "virtual", "used_vmem_bytes", nullptr));
  return record.xml() + "\n";
}

}  // namespace annals::exporting
