#include "tools/client/print/job_table.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "tools/client/print/layout.hpp"

namespace annals::client {
namespace {

namespace id = attributes::job;

struct table_row {
  std::string_view name, owner, cpu_time, state, queue, used_walltime, asked_cpu_time, asked_walltime, subjobs;
  bool used = false;
};

table_row read(const object_view& job) {
  table_row r;
  for_each_attribute(job.packed, [&](const attributes::entry& e) {
    switch (e.id) {
      case id::Job_Name:
        r.name = e.value;
        break;
      case id::Job_Owner:
        r.owner = e.value.substr(0, e.value.find('@'));
        break;
      case id::job_state:
        r.state = e.value;
        break;
      case id::queue:
        r.queue = e.value;
        break;
      case id::array_state_count:
        r.subjobs = e.value;
        break;
      case id::resources_used:
        r.used = true;
        if (e.resource == "cput")
          r.cpu_time = e.value;
        else if (e.resource == "walltime")
          r.used_walltime = e.value;
        break;
      case id::Resource_List:
        if (e.resource == "cput")
          r.asked_cpu_time = e.value;
        else if (e.resource == "walltime")
          r.asked_walltime = e.value;
        break;
      default:
        break;
    }
  });
  return r;
}

// Of "Queued:3 Running:0 Exiting:0 Expired:1": how many of all have expired. -1: an array that has ended counts none any more.
std::int64_t percent_of_subjobs(std::string_view counts) {
  std::int64_t sum = 0, expired = 0;
  while (!counts.empty()) {
    const auto blank = counts.find(' ');
    const std::string_view part = counts.substr(0, blank);
    const auto colon = part.find(':');
    if (colon != std::string_view::npos) {
      const std::int64_t n = seconds_of(part.substr(colon + 1));  // one number: reads as seconds
      if (n > 0) sum += n;
      if (n > 0 && part.substr(0, colon) == "Expired") expired = n;
    }
    counts.remove_prefix(blank == std::string_view::npos ? counts.size() : blank + 1);
  }
  return sum > 0 ? expired * 100 / sum : -1;
}

std::int64_t percent_of(std::string_view used, std::string_view asked) {
  const std::int64_t u = seconds_of(used), a = seconds_of(asked);
  return u < 0 || a <= 0 ? -1 : u * 100 / a;
}

// -1: unknown. Of cpu time and wall time, the one that is nearer to its limit.
std::int64_t percent_done(const table_row& r) {
  if (r.state == "X") return 100;
  if (r.state != "Q" && !r.subjobs.empty()) return percent_of_subjobs(r.subjobs);
  return std::max(percent_of(r.cpu_time, r.asked_cpu_time), percent_of(r.used_walltime, r.asked_walltime));
}

// "12.borg" of "12.borg.example.com".
std::string_view short_id(std::string_view job_id) {
  const auto dot = job_id.find('.');
  return dot == std::string_view::npos ? job_id : job_id.substr(0, job_id.find('.', dot + 1));
}

}  // namespace

std::span<const attributes::attribute_id> job_table::wanted() {
  static constexpr attributes::attribute_id ids[] = {id::Job_Name, id::Job_Owner, id::resources_used,
                                                     id::job_state, id::queue, id::Resource_List,
                                                     id::array_state_count};
  return ids;
}

void job_table::heading(std::string& out) const {
  const std::string_view time = options_.percent ? " % done " : "Time Use";
  if (options_.wide) {
    out.append("Job id                         Name            User             ").append(time).append(" S Queue\n");
    out.append("-----------------------------  --------------- ---------------  -------- - ---------------\n");
  } else {
    out.append("Job id            Name             User              ").append(time).append(" S Queue\n");
    out.append("----------------  ---------------- ----------------  -------- - -----\n");
  }
}

void job_table::row(std::string& out, const object_view& job) const {
  const table_row r = read(job);
  const std::size_t id_width = options_.wide ? 30 : 17, text_width = options_.wide ? 15 : 16;
  put_left(out, short_id(job.name), id_width);
  out.push_back(' ');
  put_left(out, r.name, text_width);
  out.push_back(' ');
  put_left(out, r.owner, text_width);
  out.append("  ");
  if (options_.percent) {
    const std::int64_t done = percent_done(r);
    if (done >= 100) {  // the third digit takes the blank
      put_right(out, done, 8);
    } else {
      if (done >= 0)
        put_right(out, done, 7);
      else
        put_right(out, "--", 7);
      out.push_back(' ');
    }
  } else {
    put_right(out, r.used && !r.cpu_time.empty() ? r.cpu_time : "0", 8);
  }
  out.push_back(' ');
  put_left(out, r.state, 1);
  out.push_back(' ');
  put_left(out, r.queue, text_width);
  out.push_back('\n');
}

}  // namespace annals::client
