// The tables of jobs: made beside accounting, of what each of its records is made of, so that a row and a line never differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "projections/accounting/accounting.hpp"
#include "projections/exports/resource_dimension.hpp"
#include "projections/exports/row.hpp"
#include "projections/exports/run_story.hpp"

namespace annals::exports {

// Attributes of jobs that are needed beside those of records.
bool shown_in_rows(attributes::attribute_id id);

class job_rows {
 public:
  explicit job_rows(const resource_dimension& resources) : resources_(resources) {}

  // Whether the job's stream was seen from its beginning, and has not ended.
  bool knows(std::uint64_t stream) const { return stories_.contains(stream); }
  void forget(std::uint64_t stream) { stories_.erase(stream); }
  // As accounting_watcher has them.
  void before(const projections::occasion& o, const row_taker& take);
  void recorded(char letter, const projections::occasion& o, const row_taker& take);
  void leaving(const projections::occasion& o, const row_taker& take);
  void after(const projections::occasion& o, const row_taker& take);

 private:
  run_story& story(const projections::occasion& o) { return stories_[o.at.stream]; }
  // job
  void put_job(const projections::occasion& o, std::string_view state, const row_taker& take);
  void put_array(const projections::occasion& o, const row_taker& take);
  void end_job(const projections::occasion& o, const row_taker& take);
  // run
  struct end_of_run {
    const char* outcome = "open";
    bool final = false;
  };
  void put_run(const projections::occasion& o, const end_of_run& end, const row_taker& take);
  void close_run(const projections::occasion& o, const char* outcome, const row_taker& take);
  void put_phase(const projections::occasion& o, bool ended, const row_taker& take);
  void put_suspension(const projections::occasion& o, std::int64_t ended_ns, const row_taker& take);
  void put_provisioning(const projections::occasion& o, const char* status, const row_taker& take);
  void put_host_usage(const projections::occasion& o, const row_taker& take);
  void put_hosts_report(const projections::occasion& o, std::string_view host, schema::Usage::Reader usage, std::int64_t measured_ns,
                        const row_taker& take);
  // resources
  struct resource_list {
    const char* list;
    std::uint32_t run, part = 0;
    bool final = false;
  };
  void put_resource(const projections::occasion& o, const resource_list& of, std::string_view resource, const std::string_view* text,
                    const row_taker& take);
  void put_asked(const projections::occasion& o, bool taken_back, bool final, const row_taker& take);
  void put_assigned(const projections::occasion& o, const resource_list& of, const row_taker& take);

  const resource_dimension& resources_;
  std::unordered_map<std::uint64_t, run_story> stories_;  // of jobs that have not ended, by stream
};

}  // namespace annals::exports
