#include <charconv>
#include <cstdio>
#include <limits>

#include "events/attributes/ids.hpp"
#include "tools/client/print/dates.hpp"
#include "tools/client/print/job_table.hpp"
#include "tools/client/print/layout.hpp"
#include "tools/client/print/shown.hpp"

namespace annals::client {
namespace {

namespace id = attributes::job;
constexpr std::string_view missing = " -- ";

struct list_row {
  std::string_view owner, queue, name, session, chunks, cpus, memory, walltime, state, elapsed, hosts, comment, start;
};

void read_asked(list_row& r, const attributes::entry& e) {
  if (e.resource == "nodect")
    r.chunks = e.value;
  else if (e.resource == "ncpus")
    r.cpus = e.value;
  else if (e.resource == "mem")
    r.memory = e.value;
  else if (e.resource == "walltime")
    r.walltime = e.value;
}

list_row read(const object_view& job) {
  list_row r;
  for_each_attribute(job.packed, [&](const attributes::entry& e) {
    switch (e.id) {
      case id::Job_Owner:
        r.owner = e.value.substr(0, e.value.find('@'));
        break;
      case id::queue:
        r.queue = e.value;
        break;
      case id::Job_Name:
        r.name = e.value;
        break;
      case id::session_id:
        r.session = e.value;
        break;
      case id::job_state:
        r.state = e.value;
        break;
      case id::exec_host:
        r.hosts = e.value;
        break;
      case id::comment:
        r.comment = e.value;
        break;
      case id::Resource_List:
        read_asked(r, e);
        break;
      case id::resources_used:
        if (e.resource == "walltime") r.elapsed = e.value;
        break;
      case id::estimated:
        if (e.resource == "start_time") r.start = e.value;
        break;
      default:
        break;
    }
  });
  return r;
}

std::string_view or_missing(std::string_view value) { return value.empty() ? missing : value; }

// Hosts are broken behind a '+' so that no line is longer than the screen.
void put_hosts_below(std::string& out, std::string_view hosts, std::size_t width) {
  constexpr std::size_t indent = 3;
  do {
    std::size_t take = hosts.size();
    if (take > width - indent) {
      const auto plus = hosts.rfind('+', width - indent - 1);
      take = plus == std::string_view::npos ? hosts.find('+') : plus;
      take = take == std::string_view::npos ? hosts.size() : take + 1;
    }
    out.append(indent, ' ').append(hosts.substr(0, take)).push_back('\n');
    hosts.remove_prefix(take);
  } while (!hosts.empty());
}

}  // namespace

std::string_view memory_text(std::string_view size, size_unit unit, std::array<char, 32>& buffer) {
  constexpr std::size_t width = 6;
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  if (error != std::errc() || (unit == size_unit::as_given && size.size() <= width)) return size;
  std::string_view suffix(rest, static_cast<std::size_t>(size.data() + size.size() - rest));
  const bool words = !suffix.empty() && suffix.back() == 'w';
  static constexpr std::string_view powers = " kmgtp";
  std::size_t power = suffix.size() > 1 ? powers.find(suffix.front()) : 0;
  if (power == std::string_view::npos || number > UINT64_MAX >> 13) return size;
  const std::size_t target = unit == size_unit::gigabytes ? 3 : unit == size_unit::megawords ? 2
                                                                                             : power;
  if (unit == size_unit::gigabytes && words) number *= 8;
  if (unit == size_unit::megawords && !words) number = (number + 7) / 8;
  const auto up = [&] {
    number = (number + 1023) / 1024;
    ++power;
  };
  while (power < target) up();
  while (power > target && number < UINT64_MAX >> 10) number *= 1024, --power;
  while (unit == size_unit::as_given && number > 9999 && power + 1 < powers.size()) up();
  const char last = unit == size_unit::megawords || (unit == size_unit::as_given && words) ? 'w' : 'b';
  char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size() - 2, number).ptr;
  if (power > 0) *end++ = powers[power];
  *end++ = last;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

std::span<const attributes::attribute_id> job_list::wanted() {
  static constexpr attributes::attribute_id ids[] = {id::Job_Name, id::Job_Owner, id::resources_used, id::job_state,
                                                     id::queue, id::exec_host, id::Resource_List, id::session_id,
                                                     id::comment, id::estimated};
  return ids;
}

void job_list::heading(std::string& out, std::string_view server) const {
  out.append("\n").append(server).append(": \n");
  if (options_.wide) {
    const std::string_view blanks =
        "                                                                                                   ";
    if (options_.estimates) out.append(blanks).append("               Est\n");
    out.append(blanks).append(options_.estimates ? "Req'd  Req'd   Start\n" : "Req'd  Req'd   Elap\n");
    out.append(
        "Job ID                         Username        Queue           Jobname         SessID   NDS  TSK   Memory "
        "Time  S Time\n");
    out.append(
        "------------------------------ --------------- --------------- --------------- -------- ---- ----- ------ "
        "----- - -----\n");
  } else {
    const std::string_view blanks = "                                                            ";
    if (options_.estimates) out.append(blanks).append("               Est\n");
    out.append(blanks).append(options_.estimates ? "Req'd  Req'd   Start\n" : "Req'd  Req'd   Elap\n");
    out.append("Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time\n");
    out.append("--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----\n");
  }
}

void job_list::row(std::string& out, const object_view& job) const {
  const list_row r = read(job);
  const bool w = options_.wide;
  const auto left = [&](std::string_view text, std::size_t narrow, std::size_t wide) {
    put_left(out, text, w ? wide : narrow);
    out.push_back(' ');
  };
  const auto right = [&](std::string_view text, std::size_t narrow, std::size_t wide) {
    put_right(out, text, w ? wide : narrow);
    out.push_back(' ');
  };
  left(job.name, 15, 30);
  left(r.owner, 8, 15);
  left(r.queue, 8, 15);
  left(r.name, 10, 15);
  right(or_missing(r.session), 6, 8);
  right(or_missing(r.chunks), 3, 4);
  right(or_missing(r.cpus), 3, 5);
  std::array<char, 32> size;
  right(r.memory.empty() ? missing : memory_text(r.memory, options_.unit, size), 6, 6);
  right(or_missing(without_seconds(r.walltime)), 5, 5);
  left(r.state, 1, 1);
  if (options_.estimates) {
    std::array<char, 8> start;
    const std::string_view text = options_.by_start ? estimate_text(r.start, now_, start) : std::string_view();
    put_right(out, text.empty() ? "--" : text, 5);
  } else {
    put_right(out, or_missing(without_seconds(r.elapsed)), 5);
  }
  put_below(out, r.hosts, r.comment);
}

std::int64_t job_list::start_of(const object_view& job) {
  const list_row r = read(job);
  if (r.state.find_first_of("RBESX") != std::string_view::npos) return 0;
  std::int64_t start = 0;
  const auto [end, error] = std::from_chars(r.start.data(), r.start.data() + r.start.size(), start);
  return error == std::errc() ? start : std::numeric_limits<std::int64_t>::max();
}

void job_list::put_below(std::string& out, std::string_view hosts, std::string_view said) const {
  const shown printable(said);
  const std::string_view comment = printable;
  const std::size_t width = options_.wide ? 119 : 79;
  if (options_.hosts && options_.same_line) out.append(" ").append(or_missing(hosts));
  if (options_.comments && options_.same_line && !options_.hosts) out.append(" ").append(or_missing(comment));
  out.push_back('\n');
  if (options_.hosts && !options_.same_line) put_hosts_below(out, or_missing(hosts), width);
  if (options_.comments && !(options_.same_line && !options_.hosts)) {
    // What has no room beside its indent loses its end, and three more columns to the dots that say so.
    const std::size_t room = options_.wide ? 113 : 73;
    const bool cut = comment.size() > room;
    out.append("   ").append(or_missing(comment).substr(0, cut ? room - 3 : room));
    if (cut) out.append("...");
    out.push_back('\n');
  }
}

}  // namespace annals::client
