#include "tools/client/print/efficiency.hpp"

#include <cmath>

#include "events/attributes/ids.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "tools/client/print/json.hpp"

namespace annals::client {

namespace ids = attributes::job;

namespace {

constexpr attributes::attribute_id made_of[] = {ids::Job_Name, ids::queue, ids::array, ids::obittime, ids::history_timestamp,
                                                ids::job_state, ids::resources_used, ids::Resource_List};

std::optional<std::uint64_t> not_negative(std::optional<std::int64_t> n) {
  return n && *n >= 0 ? std::optional(static_cast<std::uint64_t>(*n)) : std::nullopt;
}

std::optional<std::uint64_t> seconds(std::string_view text) { return not_negative(values::parse_duration(text)); }
std::optional<std::uint64_t> count(std::string_view text) { return not_negative(values::parse_integer(text)); }
std::optional<std::uint64_t> kb(std::string_view text) {
  const auto size = values::parse_size(text);
  return size ? std::optional(size->to_kb()) : std::nullopt;
}

// The time when a job that runs no more has ended. The history knows it, if nobody measured the end.
std::int64_t ended_s(const object_view& job) {
  for (const auto id : {ids::obittime, ids::history_timestamp})
    if (const auto at = values::parse_integer(value_of(job, id))) return *at;
  return 0;
}

// -- data --------------------------------------------------------------------------------------------------------------------

void put_number(std::string& out, json_document& document, std::string_view name, std::optional<std::uint64_t> number) {
  if (!number) return;
  document.key(out, 3, name);
  out += std::to_string(*number);
}

void put_percent(std::string& out, json_document& document, std::string_view name, std::optional<double> part) {
  if (part) put_number(out, document, name, static_cast<std::uint64_t>(std::llround(100 * *part)));
}

void put_json(std::string& out, json_document& document, const job_efficiency& j) {
  document.open_object(out, j.job);
  for (const auto& [name, text] : {std::pair("Job_Name", &j.name), std::pair("queue", &j.queue)}) {
    document.key(out, 3, name);
    put_json_string(out, *text);
  }
  if (j.ended_s != 0) put_number(out, document, "ended", static_cast<std::uint64_t>(j.ended_s));
  put_number(out, document, "cput", j.cput_s);
  put_number(out, document, "ncpus", j.ncpus);
  put_number(out, document, "walltime", j.walltime_s);
  put_number(out, document, "mem_kb", j.mem_kb);
  put_number(out, document, "mem_asked_kb", j.mem_asked_kb);
  put_number(out, document, "walltime_asked", j.walltime_asked_s);
  put_percent(out, document, "cpu_percent", j.cpu());
  put_percent(out, document, "mem_percent", j.memory());
  put_percent(out, document, "walltime_percent", j.walltime());
  document.close_object(out);
}

}  // namespace

std::span<const attributes::attribute_id> attributes_of_efficiency() { return made_of; }

std::optional<job_efficiency> efficiency_of(const object_view& job) {
  const auto walltime = seconds(value_of(job, ids::resources_used, "walltime"));
  if (!walltime || value_of(job, ids::array) == "True") return std::nullopt;
  job_efficiency e;
  e.job = job.name;
  e.name = value_of(job, ids::Job_Name);
  e.queue = value_of(job, ids::queue);
  e.ended_s = ended_s(job);
  e.walltime_s = *walltime;
  e.cput_s = seconds(value_of(job, ids::resources_used, "cput")).value_or(0);
  e.mem_kb = kb(value_of(job, ids::resources_used, "mem")).value_or(0);
  e.ncpus = count(value_of(job, ids::resources_used, "ncpus")).value_or(0);
  if (e.ncpus == 0) e.ncpus = count(value_of(job, ids::Resource_List, "ncpus")).value_or(0);
  e.mem_asked_kb = kb(value_of(job, ids::Resource_List, "mem"));
  e.walltime_asked_s = seconds(value_of(job, ids::Resource_List, "walltime"));
  return e;
}

void put_efficiency_json(std::string& out, const std::vector<job_efficiency>& all, std::int64_t now, std::string_view version,
                         std::string_view server) {
  json_document document("Efficiency");
  document.begin(out, now, version, server);
  for (const auto& job : all) put_json(out, document, job);
  document.end(out);
}

}  // namespace annals::client
