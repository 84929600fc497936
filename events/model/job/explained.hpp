// A job's comment says how its run has ended, and why: from its exit status, its host and the kernel. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/model/job/job.hpp"

namespace annals::model {

// " and failed: Cgroup mem limit exceeded (64kb)"; what is said of its output stands behind a semicolon.
std::string words_of_end(const job_state& job, std::int32_t code);
// Returns the part of these words that says why the kernel ended it: "Cgroup mem limit exceeded (64kb)". Empty: it did not.
std::string_view why_killed(std::string_view words);

void note_killed(job_state& job, schema::TaskSettled::Reader told);
void note_undelivered(job_state& job, std::string_view text);
// The same of files that were to come before it.
void note_missing_files(job_state& job, std::string_view text);
// Returns "files could not be copied: Unable to copy file ..." for a job whose files did not come.
std::string words_of_missing_files(const job_state& job);
// Returns "Its files could not be copied: Unable to copy file ..." for a job that waits for its files, and nothing for others.
std::string why_files_are_missing(const job_state& job);

// Returns the lines of the first file. A host tells several lines for each file.
std::vector<std::string> told_of_first_file(std::string_view text);

}  // namespace annals::model
