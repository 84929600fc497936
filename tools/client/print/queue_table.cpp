#include "tools/client/print/queue_table.hpp"

#include <charconv>

#include "events/attributes/ids.hpp"
#include "tools/client/print/layout.hpp"

namespace annals::client {
namespace {

namespace queue = attributes::queue;
namespace server = attributes::server;

std::int64_t number_of(std::string_view text) {
  std::int64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

void put_counts(std::string& out, const state_counts& c) {
  for (const std::int64_t n : {c.queued, c.running, c.held, c.waiting, c.transit, c.exiting}) {
    put_right(out, n, 5);
    out.push_back(' ');
  }
}

void put_yes_no(std::string& out, std::string_view boolean) {
  put_right(out, boolean == "True" ? "yes" : "no", 3);
  out.push_back(' ');
}

}  // namespace

state_counts read_state_counts(std::string_view text) {
  state_counts c;
  const struct {
    std::string_view name;
    std::int64_t& number;
  } parts[] = {
      {"Transit", c.transit},
      {"Queued", c.queued},
      {"Held", c.held},
      {"Waiting", c.waiting},
      {"Running", c.running},
      {"Exiting", c.exiting},
      {"Begun", c.begun},
  };
  while (!text.empty()) {
    const auto blank = text.find(' ');
    const std::string_view part = text.substr(0, blank);
    const auto colon = part.find(':');
    if (colon != std::string_view::npos) {
      for (const auto& p : parts)
        if (p.name == part.substr(0, colon)) p.number = number_of(part.substr(colon + 1));
    }
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
  return c;
}

std::span<const attributes::attribute_id> queue_table::wanted() {
  static constexpr attributes::attribute_id ids[] = {queue::queue_type, queue::total_jobs, queue::state_count,
                                                     queue::max_running, queue::enabled, queue::started};
  return ids;
}

void queue_table::heading(std::string& out) {
  out.append("Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext Type\n");
  out.append("---------------- ----- ----- --- --- ----- ----- ----- ----- ----- ----- ----\n");
}

void queue_table::row(std::string& out, const object_view& q) {
  put_left(out, q.name, 16);
  out.push_back(' ');
  put_right(out, number_of(value_of(q, queue::max_running)), 5);
  out.push_back(' ');
  put_right(out, number_of(value_of(q, queue::total_jobs)), 5);
  out.push_back(' ');
  put_yes_no(out, value_of(q, queue::enabled));
  put_yes_no(out, value_of(q, queue::started));
  put_counts(out, read_state_counts(value_of(q, queue::state_count)));
  put_left(out, value_of(q, queue::queue_type), 4);
  out.push_back('\n');
}

std::span<const attributes::attribute_id> server_table::wanted() {
  static constexpr attributes::attribute_id ids[] = {server::server_state, server::max_running, server::total_jobs,
                                                     server::state_count, server::follower};
  return ids;
}

void server_table::heading(std::string& out) {
  out.append("Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status\n");
  out.append("---------------- ----- ----- ----- ----- ----- ----- ----- ----- -----------\n");
}

void server_table::row(std::string& out, const object_view& s) {
  put_left(out, s.name, 16);
  out.push_back(' ');
  put_right(out, number_of(value_of(s, server::max_running)), 5);
  out.push_back(' ');
  put_right(out, number_of(value_of(s, server::total_jobs)), 5);
  out.push_back(' ');
  put_counts(out, read_state_counts(value_of(s, server::state_count)));
  put_left(out, value_of(s, server::server_state), 10);
  out.push_back('\n');
  if (const auto follower = value_of(s, server::follower); !follower.empty()) out.append("  from follower ").append(follower).append("\n");
}

std::span<const attributes::attribute_id> queue_list::wanted() {
  static constexpr attributes::attribute_id ids[] = {queue::state_count, queue::max_running, queue::resources_max,
                                                     queue::enabled, queue::started};
  return ids;
}

void queue_list::heading(std::string& out, std::string_view server_name) {
  out.append("\nserver: ").append(server_name).append("\n\n");
  out.append("Queue            Memory CPU Time Walltime Node   Run   Que   Lm  State\n");
  out.append("---------------- ------ -------- -------- ---- ----- ----- ----  -----\n");
}

void queue_list::row(std::string& out, const object_view& q) {
  const auto limit = [&](std::string_view resource, std::string_view missing, std::size_t width) {
    const std::string_view value = value_of(q, queue::resources_max, resource);
    std::array<char, 32> size;
    put_right(out, value.empty() ? missing : resource == "mem" ? memory_text(value, unit_, size)
                                                               : value,
              width);
    out.push_back(' ');
  };
  put_left(out, q.name, 16);
  out.push_back(' ');
  limit("mem", "--  ", 6);
  limit("cput", "--   ", 8);
  limit("walltime", "--   ", 8);
  limit("nodect", "-- ", 4);
  const state_counts c = read_state_counts(value_of(q, queue::state_count));
  const std::int64_t waiting = c.queued + c.held + c.waiting + c.transit;
  running_ += c.running;
  queued_ += waiting;
  put_right(out, c.running, 5);
  out.push_back(' ');
  put_right(out, waiting, 5);
  out.push_back(' ');
  const std::string_view most = value_of(q, queue::max_running);
  put_right(out, most.empty() ? "--" : most, 4);
  out.append("   ").append(value_of(q, queue::enabled) == "True" ? "E" : "D");
  out.append(" ").append(value_of(q, queue::started) == "True" ? "R" : "S").append("\n");
}

void queue_list::sum(std::string& out) const {
  constexpr std::size_t indent = 47;  // columns before Run
  out.append(indent, ' ').append("----- -----\n");
  out.append(indent, ' ');
  put_right(out, running_, 5);
  out.push_back(' ');
  put_right(out, queued_, 5);
  out.push_back('\n');
}

}  // namespace annals::client
