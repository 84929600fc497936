// `pbs_audit log`: one line per event, filtered.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/job_id.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/stream_names.hpp"

namespace annals::audit {

// Which events are wanted; what is not set lets everything pass.
struct event_filter {
  std::optional<values::job_id> job;  // its stream, and the scheduler's reasons for it
  std::string user;                   // what this user asked for, and what happened to the user's jobs
  std::set<std::string> kinds;
  std::set<schema::StreamKind> stream_kinds;
};

// The widths of the columns of an event: its kind, and by whom.
constexpr std::size_t kind_width = 22, who_width = 22;

// Adds "JobAssigned", "job" or a list of them with commas. False: one of them is no kind.
bool add_kinds(event_filter& to, std::string_view names);

// Whether a full id is the job that was asked for, perhaps without its server part.
bool is_job(std::string_view full_id, const values::job_id& asked);

class listing {
 public:
  // `widest`: the highest sequence expected, so that columns stand below each other.
  listing(event_filter wanted, stream_names& names, std::uint64_t widest, bool json);
  // The line of this event, with its end; empty when it is not wanted.
  std::string line(const log::record& record);
  // The same for a record that can't be read; always wanted.
  std::string damaged_line(std::uint64_t sequence, const std::string& what) const;

 private:
  bool wanted(const log::record& record, const stream_subject& subject);
  bool reasons_tell_of_job(const log::record& record);

  event_filter filter_;
  stream_names& names_;
  std::uint64_t asked_serial_ = 0;  // of the job of the filter, once it is known
  int sequence_width_;
  bool json_;
};

// "2026-11-21 08:00:01.123  #42  " and what follows, padded.
std::string line_head(const log::record& record, int sequence_width);
std::string padded(std::string text, std::size_t width);
std::string right(std::string text, std::size_t width);  // padded before it
// The line for a record that can't be read, of those who print no list of records.
std::string damage_line(std::uint64_t sequence, const std::string& what, bool json);

}  // namespace annals::audit
