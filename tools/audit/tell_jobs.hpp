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

// Reads the whole log once, as long as go_on says so, folds each of the jobs, and prints what `text_of` makes of a fold.
template <class Fold>
jobs_told tell_jobs(const ports::event_store& store, const values::job_id& job, bool as_json,
                    const std::function<bool(const std::string&)>& print, const std::function<bool()>& go_on,
                    const std::function<std::string(const Fold&)>& text_of) {
  std::map<std::uint64_t, Fold> found;  // by stream: the order in which they were submitted
  jobs_told told;
  told.sound = scan(store, 1, store.last_sequence(),
                    {[&](const log::record_ptr& r) {
                       const auto event = r->event();
                       const auto stream = r->get().getStream();
                       if (schema::is(event, schema::JobEvent::QUEUED) && is_job(schema::text(event.getJob().getQueued().getId()), job))
                         found[stream];
                       if (const auto at = found.find(stream); at != found.end()) at->second.fold(*r);
                       return go_on();
                     },
                     [&](std::uint64_t sequence, const std::string& what) { print(damage_line(sequence, what, as_json)); }});
  told.jobs = found.size();
  for (const auto& [stream, fold] : found)
    if (!print(text_of(fold))) break;
  return told;
}

}  // namespace annals::audit
