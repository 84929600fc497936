#include "events/model/job/explained.hpp"

#include <algorithm>
#include <csignal>

#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/values/duration.hpp"

namespace annals::model {

namespace ids = attributes::job;

namespace {

constexpr std::string_view words_finished = " and finished", words_failed = " and failed";

// pbs guide: JOB_EXEC_KILL_NCPUS_BURST and what follows. Empty for other codes.
std::string_view exceeded_limit(std::int32_t code) {
  switch (code) {
    case -24: return "ncpus (burst)";
    case -25: return "ncpus (sum)";
    case -26: return "vmem";
    case -27: return "mem";
    case -28: return "cput";
    case -29: return "walltime";
    default: return {};
  }
}

// The program itself, or its shell's last command.
bool ended_by(std::int32_t code, int signal) { return code == 256 + signal || code == 128 + signal; }

// The kernel keeps cput for each process, and ends one without a word.
std::string words_of_cpu_limit(const job_state& job, std::int32_t code) {
  if (!ended_by(code, SIGXCPU) && !ended_by(code, SIGKILL)) return {};
  const auto asked = job.attribute(ids::Resource_List, "cput");
  const auto limit = values::parse_duration(asked), used = values::parse_duration(job.attribute(ids::resources_used, "cput"));
  return limit && used && *used >= *limit ? ": its cput has reached its limit " + std::string(asked) : std::string();
}

void keep_short(std::string& words) {
  if (words.size() > limits::explained_bytes_max) words.replace(limits::explained_bytes_max, std::string::npos, "...");
}

}  // namespace

std::string_view why_killed(std::string_view words) {
  for (const std::string_view end : {words_failed, words_finished})
    if (words.starts_with(end) && words.substr(end.size()).starts_with(": ")) {
      const auto why = words.substr(end.size() + 2);
      return why.substr(0, why.find("; "));
    }
  return {};
}

std::string words_of_end(const job_state& job, std::int32_t code) {
  if (job.delete_requested) return " and terminated by " + job.deleted_by + job.explained;
  if (const auto limit = exceeded_limit(code); !limit.empty()) return " and exceeded resource " + std::string(limit) + job.explained;
  if (code == 0) return std::string(words_finished) + job.explained;
  return std::string(words_failed) + (job.explained.starts_with(':') ? "" : words_of_cpu_limit(job, code)) + job.explained;
}

// The first that its hosts tell: others may have died of it.
void note_killed(job_state& job, schema::TaskSettled::Reader told) {
  if (!job.explained.empty()) return;
  job.explained = ": " + schema::str(told.getText());
  keep_short(job.explained);
}

std::vector<std::string> told_of_first_file(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t files = 0; !text.empty() && files < 2;) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    files += line.starts_with("Unable to copy file ");
    if (files < 2 && !line.empty() && !line.starts_with(">>>")) lines.emplace_back(line);
  }
  return lines;
}

namespace {
std::string words_of_first_file(std::string_view text) {
  std::string words;
  for (const auto& line : told_of_first_file(text)) (words += "; ") += line;
  return words;
}
}  // namespace

void note_undelivered(job_state& job, std::string_view text) {
  const auto words = words_of_first_file(text);
  job.explained += words.empty() ? "; output could not be delivered" : words;
  keep_short(job.explained);
}

void note_missing_files(job_state& job, std::string_view text) {
  job.explained = words_of_first_file(text);
  keep_short(job.explained);
}

std::string words_of_missing_files(const job_state& job) {
  return "files could not be copied" + (job.explained.starts_with("; ") ? ": " + job.explained.substr(2) : std::string());
}

std::string why_files_are_missing(const job_state& job) {
  if (job.phase != job_phase::waiting || job.stage_in != job_stage_in::failed) return {};
  return "Its " + words_of_missing_files(job) + ". It is tried again then.";
}

}  // namespace annals::model
