// Reports on the jobs of one id: ids repeat when numbers begin anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "events/ports/event_store.hpp"
#include "events/schema/event.hpp"
#include "events/values/job_id.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/scan.hpp"

namespace annals::audit {

struct jobs_told {
  std::size_t jobs = 0;  // of this id
  bool sound = true;     // false: something of the log could not be read; print was told where
};

// Who hears of what is not of these jobs, or can't be read.
struct beside_jobs {
  std::function<bool()> go_on;                                     // false: enough
  std::function<void(std::uint64_t, const std::string&)> damaged;  // a sequence, and what is wrong there
  std::function<void(const log::record&)> other = {};              // each record of another stream
};

// The jobs of an id, by stream: in the order in which they were submitted.
template <class Fold>
struct found_jobs {
  std::map<std::uint64_t, Fold> by_stream;
  bool sound = true;
};

// Reads the whole log once, up to a sequence and as long as go_on says so, and folds each of the jobs.
template <class Fold>
found_jobs<Fold> find_jobs(const ports::event_store& store, const values::job_id& job, std::uint64_t to, const beside_jobs& beside) {
  found_jobs<Fold> found;
  found.sound = scan(store, 1, to,
                     {[&](const log::record_ptr& r) {
                        const auto event = r->event();
                        const auto stream = r->get().getStream();
                        if (schema::is(event, schema::JobEvent::QUEUED) && is_job(schema::text(event.getJob().getQueued().getId()), job))
                          found.by_stream[stream];
                        if (const auto at = found.by_stream.find(stream); at != found.by_stream.end()) at->second.fold(*r);
                        else if (beside.other) beside.other(*r);
                        return beside.go_on();
                      },
                      beside.damaged});
  return found;
}

// Folds each of the jobs, and prints what `text_of` makes of a fold.
template <class Fold>
jobs_told tell_jobs(const ports::event_store& store, const values::job_id& job, bool as_json,
                    const std::function<bool(const std::string&)>& print, const std::function<bool()>& go_on,
                    const std::function<std::string(const Fold&)>& text_of) {
  const auto found = find_jobs<Fold>(
      store, job, store.last_sequence(),
      {go_on, [&](std::uint64_t sequence, const std::string& what) { print(damage_line(sequence, what, as_json)); }});
  for (const auto& [stream, fold] : found.by_stream)
    if (!print(text_of(fold))) break;
  return {found.by_stream.size(), found.sound};
}

}  // namespace annals::audit
