// tracejob: what the logs and accounting files of this host say about a job (pbs guide: tracejob).
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include "events/values/date_time.hpp"
#include "tools/client/command_main.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/print/trace.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/query/output.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'a', nullptr, "no accounting records"},
    {'c', "count", "of a message logged at least this often show only the last (15)"},
    {'f', "filter",
     "leave out events: error system admin job job_usage security sched debug debug2 resv debug3 debug4, or bits"},
    {'l', nullptr, "no scheduler logs"},
    {'m', nullptr, "no MoM logs"},
    {'n', "days", "logs of the last days, today included (1)"},
    {'p', "path", "PBS_HOME"},
    {'s', nullptr, "no server logs"},
    {'v', nullptr, "say which files can't be read"},
    {'w', "columns", "width of a line"},
    {'z', nullptr, "show a repeated message once"},
};
constexpr command tracejob = {"tracejob",
                              "usage: tracejob [-a] [-c count] [-f filter] [-l] [-m] [-n days] [-p path] [-s] [-v] [-w "
                              "cols] [-z] job_identifier...\n"
                              "       tracejob --version\n",
                              options};

constexpr int days_max = 36500;  // a hundred years: more is a slip of the finger

std::optional<int> count_of(const std::string& text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 0 || n > days_max) return std::nullopt;
  return n;
}

std::optional<std::string> check(const given& g) {
  const bool number = g.letter == 'c' || g.letter == 'n' || g.letter == 'w';
  if (number && !count_of(g.value)) return std::string();
  if (g.letter == 'f' && event_bits(g.value) == 0) return std::string();
  return std::nullopt;
}

int number_or(const command_line& line, char letter, int otherwise) {
  const std::string* text = line.find(letter);
  return text ? *count_of(*text) : otherwise;
}

struct log_folder {
  char skipped_by;
  const char* path;
  log_source source;
};
constexpr log_folder folders[] = {{'s', "server_logs", log_source::server},
                                  {'l', "sched_logs", log_source::scheduler},
                                  {'m', "mom_logs", log_source::mom},
                                  {'a', "server_priv/accounting", log_source::accounting}};

std::string read_file(const std::string& path, bool say_why_not) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    if (say_why_not) print_error("%s: %s\n", path.c_str(), std::strerror(errno));
    return {};
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

int work(int argc, char** argv) {
  const command_line line = parse_options_or_exit(tracejob, argc, argv, check);
  if (line.words.empty()) return usage(tracejob);
  trace_options o;
  o.repeated_max = static_cast<std::size_t>(number_or(line, 'c', 15));
  o.width = static_cast<std::size_t>(number_or(line, 'w', 0));
  o.no_duplicates = line.has('z');
  for (const given& g : line.options)
    if (g.letter == 'f') o.hidden_events |= event_bits(g.value);
  const int days = number_or(line, 'n', 1);
  const std::string home = line.has('p') ? *line.find('p') : read_pbs_conf().pbs_home;
  constexpr std::int64_t day_s = 24 * 60 * 60;
  const std::int64_t now = std::time(nullptr);

  int status = 0;
  output out;
  for (const std::string& word : line.words) {
    const auto name = parse_job_name(word, server_name());
    const std::string job = name ? name->id : word;
    std::vector<trace_entry> entries;
    for (int day = days; day-- > 0;) {
      for (const log_folder& f : folders) {
        if (line.has(f.skipped_by)) continue;
        const std::string path = home + "/" + f.path + "/" + values::print_day(now - day * day_s);
        collect_trace(entries, read_file(path, line.has('v')), job, f.source, o);
      }
    }
    if (entries.empty()) {
      out.flush();
      print_error("tracejob: Couldn't find Job Id %s in logs of past %d day%s\n", job.c_str(), days,
                  days == 1 ? "" : "s");
      status = 1;
    } else {
      put_trace(out.text(), job, std::move(entries), o);
    }
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("tracejob", [&] { return work(argc, argv); });
}
