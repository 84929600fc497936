#include "tools/client/print/shown.hpp"
#include "tools/client/print/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace annals::client {
namespace {

// Takes the text up to the next ';' off the front; false when there is none.
bool take_field(std::string_view& line, std::string_view& field) {
  const auto end = line.find(';');
  if (end == std::string_view::npos) return false;
  field = line.substr(0, end);
  line.remove_prefix(end + 1);
  return true;
}

// "11/20/2026 23:11:37[.123456]" with the year first; empty: no such date.
std::string order_of(std::string_view time) {
  constexpr std::size_t seconds_end = 19;
  if (time.size() < seconds_end || time[2] != '/' || time[5] != '/' || time[10] != ' ') return {};
  std::string order(time.substr(6, 4));
  order.append(time.substr(0, 2)).append(time.substr(3, 2)).append(time.substr(10));
  if (time.size() == seconds_end) order.append(".000000");
  return order;
}

std::uint32_t hexadecimal(std::string_view digits) {
  std::uint32_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return error == std::errc() && end == digits.data() + digits.size() ? bits : 0;
}

bool read_line(std::string_view line, std::string_view job, log_source source, const trace_options& options,
               trace_entry& entry) {
  std::string_view time, event, daemon, kind, object;
  if (!take_field(line, time) || !take_field(line, event)) return false;
  if (source != log_source::accounting) {
    if (!take_field(line, daemon) || !take_field(line, kind)) return false;
    if ((hexadecimal(event) & options.hidden_events) != 0) return false;
  }
  if (!take_field(line, object) || object != job) return false;
  entry = {order_of(time), std::string(time), source, std::string(line)};
  return !entry.order.empty();
}

// Logs tell the second; what happened in one second is put in the order in which a job's life goes. A line that is no
// such milestone stays behind the one before it in its own log.
struct milestone {
  log_source source;
  std::string_view begins;
  int step;
};
constexpr milestone milestones[] = {
    {log_source::server, "enqueuing into", 0},
    {log_source::server, "Job Queued", 0},
    {log_source::scheduler, "Considering job to run", 1},
    {log_source::server, "Job Run at request", 2},
    {log_source::scheduler, "Job run", 3},
    {log_source::mom, "Started, pid", 4},
    {log_source::mom, "task ", 5},
    {log_source::server, "Obit received", 6},
    {log_source::server, "Exit_status", 6},
    {log_source::mom, "copy file request", 7},
    {log_source::mom, "Staged ", 7},
    {log_source::server, "dequeuing", 8},
};

// A record that a job began has start=, one that it ended has end= too.
int step_of_record(std::string_view text) {
  if (text.find(" end=") != std::string_view::npos) return 8;
  return text.find(" start=") != std::string_view::npos ? 4 : 0;
}

// The step of each entry, never less than that of an earlier one of its log in the same second. In order of time, and
// of each log's own lines.
std::vector<int> steps_of(const std::vector<trace_entry>& entries) {
  std::map<std::pair<log_source, std::string_view>, int> reached;
  std::vector<int> steps;
  for (const trace_entry& e : entries) {
    int& step = reached.try_emplace({e.source, e.order}, 0).first->second;
    if (e.source == log_source::accounting) step = std::max(step, step_of_record(e.text));
    for (const milestone& m : milestones)
      if (m.source == e.source && std::string_view(e.text).starts_with(m.begins)) step = std::max(step, m.step);
    steps.push_back(step);
  }
  return steps;
}

// By time, then by step, then server before scheduler before MoM before accounting; else as they stood.
void sort_as_it_happened(std::vector<trace_entry>& entries) {
  const std::vector<int> steps = steps_of(entries);
  std::vector<std::size_t> place(entries.size());
  std::iota(place.begin(), place.end(), std::size_t{0});
  std::stable_sort(place.begin(), place.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(entries[a].order, steps[a], entries[a].source) <
           std::tie(entries[b].order, steps[b], entries[b].source);
  });
  std::vector<trace_entry> sorted;
  for (const std::size_t i : place) sorted.push_back(std::move(entries[i]));
  entries = std::move(sorted);
}

using text_key = std::pair<log_source, std::string_view>;

// Marks the entries that repeat what others say.
std::vector<bool> repeated(const std::vector<trace_entry>& entries, const trace_options& options) {
  std::map<text_key, std::size_t> left;
  for (const trace_entry& e : entries) ++left[{e.source, e.text}];
  const std::map<text_key, std::size_t> total = left;
  std::vector<bool> hidden(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const text_key key{entries[i].source, entries[i].text};
    const std::size_t all = total.at(key);
    const bool first = left[key] == all, last = left[key]-- == 1;
    const bool too_often = options.repeated_max > 0 && all >= options.repeated_max;
    hidden[i] = (too_often && !last) || (!too_often && options.no_duplicates && !first);
  }
  return hidden;
}

void put_entry(std::string& out, const trace_entry& e, std::size_t width) {
  static constexpr std::array<char, 4> letters{'S', 'L', 'M', 'A'};
  const std::size_t line = out.size();
  out.append(e.time).append("  ").push_back(letters[static_cast<std::size_t>(e.source)]);
  out.append("    ");
  const std::size_t indent = out.size() - line;
  const shown printable(e.text);
  std::string_view rest = printable;
  while (width > indent + 1 && rest.size() > width - indent) {
    const std::size_t room = width - indent;
    const auto blank = rest.rfind(' ', room);
    const std::size_t take = blank == std::string_view::npos || blank == 0 ? room : blank;
    out.append(rest.substr(0, take)).append("\n").append(indent, ' ');
    rest.remove_prefix(take);
    if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
  out.append(rest).push_back('\n');
}

}  // namespace

void collect_trace(std::vector<trace_entry>& into, std::string_view log, std::string_view job, log_source source,
                   const trace_options& options) {
  const std::string needle = ";" + std::string(job) + ";";
  for (std::size_t found = log.find(needle); found != std::string_view::npos; found = log.find(needle, found + 1)) {
    const auto before = log.rfind('\n', found);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = std::min(log.find('\n', found), log.size());
    trace_entry entry;
    if (read_line(log.substr(start, end - start), job, source, options, entry)) into.push_back(std::move(entry));
    found = end > found ? end - 1 : found;  // one entry per line
  }
}

void put_trace(std::string& out, std::string_view job, std::vector<trace_entry> entries, const trace_options& options) {
  sort_as_it_happened(entries);
  out.append("\nJob: ").append(job).append("\n\n");
  const std::vector<bool> hidden = repeated(entries, options);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!hidden[i]) put_entry(out, entries[i], options.width);
}

std::uint32_t event_bits(std::string_view word) {
  static constexpr struct {
    std::string_view word;
    std::uint32_t bits;
  } events[] = {
      {"error", 0x1},
      {"system", 0x2},
      {"admin", 0x4},
      {"job", 0x8},
      {"job_usage", 0x10},
      {"security", 0x20},
      {"sched", 0x40},
      {"debug", 0x80},
      {"debug2", 0x100},
      {"resv", 0x200},
      {"debug3", 0x400},
      {"debug4", 0x800},
  };
  for (const auto& e : events)
    if (e.word == word) return e.bits;
  if (word.substr(0, 2) == "0x") word.remove_prefix(2);
  return word.empty() ? 0 : hexadecimal(word);
}

}  // namespace annals::client
