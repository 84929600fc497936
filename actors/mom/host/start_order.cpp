#include "actors/mom/host/start_order.hpp"

#include <algorithm>
#include <cmath>

#include "actors/mom/host/environment.hpp"
#include "actors/mom/host/host_share.hpp"
#include "actors/mom/host/job_cookie.hpp"
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/order_words.hpp"
#include "actors/mom/host/real_task_outputs.hpp"
#include "events/attributes/canonical.hpp"
#include "events/values/duration.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/job_id.hpp"
#include "events/values/number.hpp"
#include "events/values/output_index.hpp"
#include "events/values/size.hpp"
#include "events/values/string_list.hpp"

namespace annals::mom {
namespace {

using start_reader = schema::StartRun::Reader;

std::string str(capnp::Text::Reader t) { return {t.cStr(), t.size()}; }

// What stands between <jsdl-hpcpa:NAME> and </jsdl-hpcpa:NAME>, each time.
std::vector<std::string> tagged(std::string_view text, std::string_view name) {
  const std::string open = "<jsdl-hpcpa:" + std::string(name) + ">", close = "</jsdl-hpcpa:" + std::string(name) + ">";
  std::vector<std::string> out;
  for (auto at = text.find(open); at != std::string_view::npos; at = text.find(open)) {
    text.remove_prefix(at + open.size());
    const auto end = text.find(close);
    if (end == std::string_view::npos) break;
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end + close.size());
  }
  return out;
}

std::vector<std::string> program_of(start_reader start) {
  auto program = tagged(attribute(start, "executable"), "Executable");
  if (program.empty()) return {};
  program.resize(1);
  for (auto& argument : tagged(attribute(start, "argument_list"), "Argument")) program.push_back(std::move(argument));
  return program;
}

// One entry of Shell_Path_List is "path" or "path@host": the one for this host wins.
std::string shell_of(start_reader start, const mom_settings& settings) {
  std::string general;
  for (const auto& entry : values::split_list(attribute(start, "Shell_Path_List"))) {
    const auto at = entry.find('@');
    if (at == std::string::npos)
      general = entry;
    else if (is_this_host(settings, entry.substr(at + 1)))
      return entry.substr(0, at);
  }
  return general;
}

// "027" and "27" are octal digits of umask(2); anything else is the default.
unsigned umask_of(const std::string& text) {
  unsigned mask = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return 077;
    mask = mask * 8 + static_cast<unsigned>(c - '0');
  }
  return text.empty() ? 077 : mask & 0777;
}

std::optional<std::uint64_t> seconds_of(const std::string& text) {
  const auto d = values::parse_duration(text);
  if (!d || *d < 0) return {};
  return static_cast<std::uint64_t>(*d);
}

std::optional<std::uint64_t> bytes_of(const std::string& text) {
  const auto size = values::parse_size(text);
  if (!size) return {};
  const auto kb = size->to_kb();
  if (kb > UINT64_MAX / 1024) return {};
  return kb * 1024;
}

// The smaller limit of pcput (each process) and cput (all together): one process may not use more than either. In seconds of this host.
std::optional<std::uint64_t> cpu_seconds_of(start_reader start, double cputmult) {
  const auto each = seconds_of(attribute(start, "Resource_List", "pcput"));
  const auto all = seconds_of(attribute(start, "Resource_List", "cput"));
  const auto least = each && all ? std::min(each, all) : each ? each
                                                              : all;
  if (!least) return std::nullopt;
  const auto here = std::ceil(static_cast<double>(*least) / cputmult);
  return static_cast<std::uint64_t>(std::min(here, 1e15));
}

// Cpus on this host, from the exec_vnode; the sum that resources_used.ncpus shows.
std::uint32_t ncpus_of(const model::allocation& has) {
  const auto spec = values::parse_exec_vnode(has.exec_vnode());
  std::uint64_t sum = 0;
  if (spec)
    for (const auto& chunk : spec->chunks)
      for (const auto& part : chunk.parts)
        if (const std::string* const n = part.find("ncpus")) sum += whole_number(*n).value_or(0);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, UINT32_MAX));
}

// -- output

// "12" of 12.borg, "12.3" of 12[3].borg: what default output names end with.
std::string sequence_of(const std::string& job_id) {
  const auto name = job_id.substr(0, job_id.find('.'));
  std::string out;
  for (const char c : name)
    if (c == '[')
      out += '.';
    else if (c != ']')
      out += c;
  return out;
}

// "host:/path" of Output_Path.
target target_of(const std::string& text, const mom_settings& settings) {
  const auto colon = text.find(':');
  const auto slash = text.find('/');
  const bool named = colon != std::string::npos && (slash == std::string::npos || colon < slash);
  return target_at(named ? text.substr(0, colon) : "", named ? text.substr(colon + 1) : text, settings);
}

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

// One of the two output files of a job: where it is written and where it goes. `letter` is o or e.
struct output {
  char letter;
  std::string spool;    // absolute, or a bare name in a private job directory
  bool joined = false;  // written into the other one
  bool direct = false;  // written at its final place (-k d)
  bool keep = false;    // stays on this host, in the home
  bool remove = false;  // not wanted when the job ended with 0 (-R)
  target to;
};

// A subjob whose output paths still have ^array_index^: they are those of all.
bool has_indexed_output(start_reader start) { return attribute(start, "indexed_output") == "True"; }

std::uint32_t array_index_of(start_reader start) {
  return static_cast<std::uint32_t>(whole_number(attribute(start, "array_index")).value_or(0));
}

// Where a file of its own goes.
std::string own_path(start_reader start, char letter) {
  const auto path = attribute(start, letter == 'o' ? "Output_Path" : "Error_Path");
  return has_indexed_output(start) ? values::with_array_index(path, array_index_of(start)) : path;
}

output output_of(start_reader start, const mom_settings& settings, char letter) {
  output out{.letter = letter, .spool = {}, .to = {}};
  const std::string id = str(start.getRef().getJob());
  const std::string join = attribute(start, "Join_Path"), kept = attribute(start, "Keep_Files");
  out.joined = join == (letter == 'o' ? "eo" : "oe");
  out.remove = has(attribute(start, "Remove_Files"), letter);
  const std::string name = id + (letter == 'o' ? ".OU" : ".ER");
  const bool is_private = attribute(start, "sandbox") == "PRIVATE";
  out.spool = is_private ? name : settings.pbs_home + "/spool/" + name;
  out.to = target_of(own_path(start, letter), settings);
  if (out.to.path == "/dev/null") out.spool = out.to.path;
  if (!has(kept, letter)) return out;
  if (!has(kept, 'd')) {
    out.keep = true;
    out.to = {settings.host, attribute(start, "Job_Name") + '.' + letter + sequence_of(id), true};
  } else if (out.to.local && !out.to.path.empty() && out.to.path.front() == '/') {
    out.direct = true;
    out.spool = out.to.path.back() == '/' ? out.to.path + name : out.to.path;
  }
  return out;
}

// indexed_output: where the output of this stream goes as a record. The file must be one that this host can reach.
std::optional<ports::shared_output> shared_output_of(start_reader start, const mom_settings& settings, const output& out) {
  const auto id = values::parse_job_id(str(start.getRef().getJob()));
  if (!has_indexed_output(start) || !id || id->form != values::id_form::subjob || out.keep) return {};
  const auto index = array_index_of(start);
  const auto place =
      values::output_place_of(attribute(start, "Output_Path"), attribute(start, "Error_Path"), attribute(start, "array_id"), index);
  const auto file = target_of(place.path, settings);
  if (place.path.empty() || !file.local) return {};
  return ports::shared_output{file.path, place.inner, settings.host, {id->number, index, start.getRef().getRun(), out.letter}};
}

// "/var/tmp/pbs.12.borg.1f0c5a9d-3B33FA69". An order of an earlier release has nothing to end it with.
std::string tmpdir_for(start_reader start, const mom_settings& settings) {
  const auto end = name_end_of(start);
  return settings.config.tmpdir + "/pbs." + str(start.getRef().getJob()) + (end.empty() ? "" : '.' + settings.mark + '-' + end);
}

}  // namespace

std::string private_jobdir_for(start_reader start) {
  if (attribute(start, "sandbox") != "PRIVATE") return {};
  const auto end = name_end_of(start);
  return "pbs." + str(start.getRef().getJob()) + ".x8z" + (end.empty() ? "" : '.' + end);
}

bool is_interactive(start_reader start) { return attribute(start, "interactive") == "True"; }

values::run_key key_of(schema::RunRef::Reader run) { return {str(run.getJob()), run.getRun()}; }

std::string select_of(start_reader start, const model::allocation& has) {
  return has.select().empty() ? attribute(start, "schedselect") : has.select();
}

void put_allocation(start_reader start, const model::allocation& has, const mom_settings& settings, ports::run_order& o) {
  o.node_file_text = node_file_text(has, select_of(start, has));
  o.ncpus = ncpus_of(has);
  o.resource_list = resource_list_text(start);
  o.share = share_here(has, settings);
}

std::optional<ports::host_share> share_here(const model::allocation& has, const mom_settings& settings) {
  if (!settings.config.use_cgroups) return std::nullopt;
  auto share = share_of_host(has.exec_vnode(), has.exec_host(), [&](const auto& host) { return is_this_host(settings, host); });
  share.cpu_quota = settings.config.cgroup_cpu_quota;
  return share;
}

ports::run_order order_for(start_reader start, const model::allocation& has, const mom_settings& settings) {
  ports::run_order o;
  o.key = key_of(start.getRef());
  o.job_id = str(start.getRef().getJob());
  o.user = str(start.getEuser());
  o.group = str(start.getEgroup());
  o.shell = shell_of(start, settings);
  o.program = program_of(start);
  o.interactive = is_interactive(start);
  o.script = settings.pbs_home + "/mom_priv/jobs/" + o.job_id + ".SC";
  if (o.program.empty() && !o.interactive && (start.hasInlineScript() || start.getScript().getSize() == 0)) {
    const auto script = start.getInlineScript();
    o.script_text.emplace(reinterpret_cast<const char*>(script.begin()), script.size());
  }
  o.node_file = settings.pbs_home + "/aux/" + o.job_id;
  const auto out = output_of(start, settings, 'o'), err = output_of(start, settings, 'e');
  o.stdout_file = out.joined ? err.spool : out.spool;
  o.stderr_file = err.joined ? out.spool : err.spool;
  o.output_is_appended = has_indexed_output(start);
  o.may_run_again = !attribute(start, "array_index").empty() && attribute(start, "Rerunable") != "False";
  if (o.interactive) o.stdout_file = o.stderr_file = "/dev/null";  // until it has its terminal
  o.not_as_root = settings.config.reject_root_scripts;
  o.umask = umask_of(attribute(start, "umask"));
  o.private_jobdir = private_jobdir_for(start);
  if (!o.private_jobdir.empty()) o.jobdir = settings.config.jobdir_root;
  o.tmpdir = tmpdir_for(start, settings);
  put_allocation(start, has, settings, o);
  o.kill_delay_s = start.getKillDelaySeconds();
  o.cpu_seconds_max = cpu_seconds_of(start, settings.config.factors.cput);
  o.file_bytes_max = bytes_of(attribute(start, "Resource_List", "file"));
  o.resident_bytes_max = bytes_of(attribute(start, "Resource_List", "pmem"));
  o.address_bytes_max = bytes_of(attribute(start, "Resource_List", "pvmem"));
  if (const auto nice = values::parse_integer(attribute(start, "Resource_List", "nice")))
    o.nice = static_cast<int>(*nice);
  o.job_name = attribute(start, "Job_Name");
  o.queue = str(start.getQueue());
  o.account = attribute(start, "Account_Name");
  o.prologue_alarm_s = settings.config.prologue_alarm_s;
  o.environment = build_environment({.base = settings.base_environment,
                                     .pbs_exec = settings.pbs_exec,
                                     .variable_list = attribute(start, "Variable_List"),
                                     .job_id = o.job_id,
                                     .job_name = o.job_name,
                                     .queue = o.queue,
                                     .account = o.account,
                                     .schedselect = select_of(start, has),
                                     .node_file = o.node_file,
                                     .tmpdir = o.tmpdir,
                                     .cookie = cookie_of(start),
                                     .array_id = attribute(start, "array_id"),
                                     .array_index = attribute(start, "array_index"),
                                     .mom_manager_port = settings.mom_manager_port,
                                     .interactive = o.interactive});
  return o;
}

std::string resource_list_text(start_reader start) {
  std::vector<std::string> parts;
  for (const auto a : start.getAttributes()) {
    const auto resource = str(a.getResource());
    if (str(a.getName()) != "Resource_List" || resource.empty() || attributes::is_select(resource) || resource == "nodect")
      continue;
    parts.push_back(resource + '=' + str(a.getValue()));
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

ports::job_place place_for(start_reader start, const model::allocation& has, const mom_settings& settings) {
  ports::job_place place;
  place.key = key_of(start.getRef());
  place.job_id = str(start.getRef().getJob());
  place.user = str(start.getEuser());
  place.group = str(start.getEgroup());
  place.node_file = settings.pbs_home + "/aux/" + place.job_id;
  place.node_file_text = node_file_text(has, select_of(start, has));
  place.tmpdir = tmpdir_for(start, settings);
  place.private_jobdir = private_jobdir_for(start);
  if (!place.private_jobdir.empty())
    place.private_jobdir_root = settings.config.jobdir_root.empty() ? "~" : settings.config.jobdir_root;
  return place;
}

// The job's places are there already and stay when the task ends: the task has none of its own.
ports::run_order task_order_for(start_reader start, const model::allocation& has, const mom_settings& settings,
                                const task_words& task) {
  auto o = order_for(start, has, settings);
  o.key = task.key;
  o.is_task = true;
  o.interactive = false;
  o.attached = task.attached;
  o.program = task.argv;
  o.script.clear();
  o.script_text.reset();
  o.node_file.clear();
  o.tmpdir.clear();
  o.stdout_file = task_output_file(settings.pbs_home, task.key, false);
  o.stderr_file = task_output_file(settings.pbs_home, task.key, true);
  put_variable(o.environment, "PBS_NODENUM=" + std::to_string(task.node));
  put_variable(o.environment, "PBS_TASKNUM=" + std::to_string(task.task));
  for (const auto& entry : task.environment) put_variable(o.environment, entry);
  return o;
}

std::vector<ports::delivery> deliveries_for(start_reader start, const mom_settings& settings, int exit_status) {
  std::vector<ports::delivery> files;
  if (is_interactive(start)) return files;
  for (const char letter : {'o', 'e'}) {
    const auto out = output_of(start, settings, letter);
    if (out.joined || out.direct || out.to.path == "/dev/null") continue;
    if (out.remove && exit_status == 0) continue;
    files.push_back({out.spool, out.to.host, out.to.path, out.to.local, shared_output_of(start, settings, out)});
  }
  return files;
}

}  // namespace annals::mom
