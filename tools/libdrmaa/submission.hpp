// What becomes of a job template: the attributes of a PBS job. The native specification is read as qsub reads its options, and the
// template's own attributes stand over it.
//
// The job is a program, so that PBS tells an exit from a signal: a shell, /bin/sh, which goes to the working directory, takes its input
// from where the template says, and becomes the command. When it can't, it ends itself by a signal that nothing else sends, so that the job
// counts as aborted: DRMAA tells it from a job that failed by itself, and PBS has exit statuses only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/client/job_options.hpp"
#include "tools/libdrmaa/job_template.hpp"

namespace annals::drmaa {

constexpr int could_not_begin_signal = 64;  // SIGRTMAX

// The indices of bulk jobs, in PBS's form.
struct bulk_range {
  int first, last, step;  // first <= last, step > 0
};

struct prepared_job {
  std::string queue;  // empty: the default queue
  std::vector<client::job_attribute> attributes;
};

// One job; with an index it is one of bulk jobs, but a job by itself. Throws error.
prepared_job prepare(const job_template& t, std::optional<int> index = std::nullopt);
// A job array.
prepared_job prepare(const job_template& t, const bulk_range& range);

}  // namespace annals::drmaa
