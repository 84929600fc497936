// tracejob: what the logs say about one job, in the order of time (pbs guide: tracejob). Pure: from the text of log
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

enum class log_source : std::uint8_t { server,
                                       scheduler,
                                       mom,
                                       accounting };  // S L M A

struct trace_entry {
  std::string order;  // "20261120 23:11:37.000000": sorts as time does
  std::string time;   // as in the log
  log_source source = log_source::server;
  std::string text;
};

struct trace_options {
  std::uint32_t hidden_events = 0;  // -f: event bits that are left out
  std::size_t repeated_max = 15;    // -c: of a text logged at least this often only the last is shown; 0: no limit
  bool no_duplicates = false;       // -z: a text is shown once per source
  std::size_t width = 0;            // -w: columns of a line; 0: as long as it is
};

// Appends what one log file says about the job: lines "MM/DD/YYYY HH:MM:SS[.u];EEEE;daemon;class;object;text", and of
// accounting "MM/DD/YYYY HH:MM:SS;T;object;text". Other lines are skipped.
void collect_trace(std::vector<trace_entry>& into, std::string_view log, std::string_view job, log_source source,
                   const trace_options& options);

// Sorts the entries and appends "Job: <id>" and a line for each.
void put_trace(std::string& out, std::string_view job, std::vector<trace_entry> entries, const trace_options& options);

// Event bits of a filter word ("error", "sched", "0x100"); 0: none such (pbs guide: logs).
std::uint32_t event_bits(std::string_view word);

}  // namespace annals::client
