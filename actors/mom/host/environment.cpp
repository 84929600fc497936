#include "actors/mom/host/environment.hpp"

#include <algorithm>

#include "events/model/vnodes/allocation_change.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/select.hpp"
#include "events/values/string_list.hpp"

namespace annals::mom {
namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

void put(std::vector<std::string>& environment, std::string entry) {
  const auto name = name_of(entry);
  const auto same =
      std::find_if(environment.begin(), environment.end(), [&](const auto& e) { return name_of(e) == name; });
  if (same == environment.end())
    environment.push_back(std::move(entry));
  else
    *same = std::move(entry);
}

// The job finds the programs in this directory; those of its other directories come first.
void add_to_path(std::vector<std::string>& environment, const std::string& directory) {
  const auto path = std::find_if(environment.begin(), environment.end(), [](const auto& e) { return name_of(e) == "PATH"; });
  if (path == environment.end())
    environment.push_back("PATH=" + directory);
  else if ((':' + path->substr(5) + ':').find(':' + directory + ':') == std::string::npos)
    *path += ':' + directory;
}

// Splits at commas that are not escaped. Not values::split_list: blanks at the ends of a value belong to it.
std::vector<std::string> variables(std::string_view list) {
  std::vector<std::string> out;
  std::string one;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    const bool escape = c == '\\' && i + 1 < list.size() && (list[i + 1] == ',' || list[i + 1] == '\\');
    if (escape)
      one += list[++i];
    else if (c == ',') {
      out.push_back(std::move(one));
      one.clear();
    } else
      one += c;
  }
  out.push_back(std::move(one));
  std::erase_if(out, [](const auto& v) { return v.empty() || v.front() == '=' || v.find('=') == std::string::npos; });
  return out;
}

std::uint64_t number_of(const values::select_chunk& chunk, std::string_view resource, std::uint64_t otherwise) {
  const std::string* const text = chunk.find(resource);
  if (!text) return otherwise;
  std::uint64_t n = 0;
  for (const char c : *text) {
    if (c < '0' || c > '9' || n > UINT32_MAX) return otherwise;
    n = n * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return text->empty() ? otherwise : n;
}

// Threads of the first chunk: ompthreads, else ncpus, else 1.
std::uint64_t threads(std::string_view schedselect) {
  const auto select = values::parse_select(schedselect);
  if (!select || select->chunks.empty()) return 1;
  const auto& first = select->chunks.front();
  return number_of(first, "ompthreads", number_of(first, "ncpus", 1));
}

// More lines than any cluster has cpus: a chunk with mpiprocs=4000000000 must not fill the disk.
constexpr std::uint64_t node_file_lines_max = 1u << 20;

}  // namespace

std::vector<std::string> build_environment(const environment_inputs& in) {
  std::vector<std::string> env;
  for (const auto& entry : in.base) put(env, entry);
  // Names are unique in a Variable_List, so only the few of `base` need a search.
  for (auto& entry : variables(in.variable_list)) put(env, std::move(entry));
  const std::string n = std::to_string(threads(in.schedselect));
  put(env, "NCPUS=" + n);
  put(env, "OMP_NUM_THREADS=" + n);
  put(env, in.interactive ? "ENVIRONMENT=INTERACTIVE" : "ENVIRONMENT=BATCH");
  put(env, in.interactive ? "PBS_ENVIRONMENT=PBS_INTERACTIVE" : "PBS_ENVIRONMENT=PBS_BATCH");
  put(env, "PBS_JOBID=" + in.job_id);
  put(env, "PBS_JOBNAME=" + in.job_name);
  put(env, "PBS_QUEUE=" + in.queue);
  if (!in.account.empty()) put(env, "PBS_ACCOUNT=" + in.account);
  put(env, "PBS_NODEFILE=" + in.node_file);
  put(env, "PBS_NODENUM=0");
  put(env, "PBS_TASKNUM=1");
  put(env, "PBS_MOMPORT=" + std::to_string(in.mom_manager_port));
  put(env, "PBS_JOBCOOKIE=" + in.cookie);
  if (!in.array_id.empty()) put(env, "PBS_ARRAY_ID=" + in.array_id);
  if (!in.array_index.empty()) put(env, "PBS_ARRAY_INDEX=" + in.array_index);
  if (!in.tmpdir.empty()) put(env, "TMPDIR=" + in.tmpdir);
  put(env, "PBS_EXEC=" + in.pbs_exec);
  add_to_path(env, in.pbs_exec + "/bin");
  return env;
}

void put_variable(std::vector<std::string>& environment, std::string entry) { put(environment, std::move(entry)); }

void add_account(std::vector<std::string>& environment, const account& user, const std::string& shell,
                 const std::string& jobdir) {
  put(environment, "HOME=" + user.home);
  put(environment, "USER=" + user.name);
  put(environment, "LOGNAME=" + user.name);
  put(environment, "SHELL=" + shell);
  put(environment, "PBS_JOBDIR=" + jobdir);
}

std::string node_file_text(const model::allocation& has, std::string_view select_text) {
  const auto hosts = values::parse_exec_host(has.exec_host());
  const auto select = values::parse_select(select_text);
  if (!hosts || !select) return {};
  std::vector<std::uint64_t> lines;  // of each chunk of an item
  for (const auto& item : select->chunks) lines.push_back(number_of(item, "mpiprocs", number_of(item, "ncpus", 0) > 0 ? 1 : 0));
  lines.push_back(0);
  std::string text;
  std::uint64_t lines_left = node_file_lines_max;
  const auto items = model::items_by_chunk(has, *select);
  for (std::size_t at = 0; at < hosts->size(); ++at)
    for (std::uint64_t i = 0; i < lines[items[at]] && lines_left > 0; ++i, --lines_left) text.append((*hosts)[at].host) += '\n';
  return text;
}

std::vector<std::string> parse_pbs_environment(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = values::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto equals = line.find('=');
    if (line.empty() || line.front() == '#' || equals == 0 || equals == std::string_view::npos) continue;
    out.emplace_back(line);
  }
  return out;
}

}  // namespace annals::mom
