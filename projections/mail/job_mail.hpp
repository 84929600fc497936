// Which mails an event of a job causes, and what has to be known of the job for that. The table is in job_mail.cpp.
// Source: pbs guide, "mail" (qsub -m and -M).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/model/context.hpp"
#include "events/schema/event.hpp"

namespace annals::projections {

struct mailed_job {
  std::string id, name, owner, points, users;
  std::uint64_t number = 0;
  bool is_array = false;
  bool goes_with_array = false;  // a subjob whose array is to be deleted
  std::string usage;             // of the run that is over, as its mail shows it
  std::string undelivered_from;  // the host that could not deliver the run's files; empty: they were delivered
  std::string missing_files_on;  // the host that could not stage the run's files in
  std::string told_of_files;     // what either host has said of that, in lines that begin with '\n'
  bool provisions = false;       // its run waits for its vnodes, no MoM has heard of it
  bool run_over = false;         // the program has ended, or could not be started; of an array: a subjob has begun
  bool not_started = false;      // the program of its run could not be started
  bool deleted = false;          // somebody asked for it
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.id, self.name, self.owner, self.points, self.users, self.number, self.is_array, self.goes_with_array, self.usage,
       self.undelivered_from, self.missing_files_on, self.told_of_files, self.provisions, self.run_over, self.not_started, self.deleted);
  }
};

struct job_mail {
  std::string to, text;
};
using job_mail_taker = std::function<void(job_mail)>;

// Tells how much of what it was given the job's run made use of, in whole lines; in none when it had no run. It is asked only for a mail
// that has them.
using efficiency_teller = std::function<std::string()>;

// The mails of an event, with the job as it was before. Without `efficiency` no mail has its lines.
void mails_of(const mailed_job& job, const model::event_place& at, schema::JobEvent::Reader event, const efficiency_teller& efficiency,
              const job_mail_taker& take);
void apply(mailed_job& job, schema::JobEvent::Reader event, const model::event_place& at);

}  // namespace annals::projections
