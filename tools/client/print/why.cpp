#include "tools/client/print/why.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/schema/message.hpp"
#include "events/values/dependency.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/print/dates.hpp"
#include "tools/client/print/shown.hpp"

namespace annals::client {

namespace ids = attributes::job;
using kind = schema::Why::Kind;

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

std::string date(std::string_view seconds) { return std::string(date_text().of(seconds)); }
std::string date_of_ns(std::int64_t ns) { return std::string(date_text().of(ns / ns_per_s)); }

// "n1, n2"
std::string list(capnp::List<capnp::Text>::Reader names) {
  std::string out;
  for (const auto name : names) (out += out.empty() ? "" : ", ") += schema::text(name);
  return out;
}

std::string on(capnp::List<capnp::Text>::Reader vnodes) { return vnodes.size() > 0 ? " on " + list(vnodes) : std::string(); }

// Says what only vnodes have that can't be used: "host=n4".
std::string lack_of_usable(schema::Why::Reader why) {
  const auto named = why.getVnodes().size();
  const auto others = values::parse_integer(schema::text(why.getTotal())).value_or(0) - static_cast<std::int64_t>(named);
  const bool one = named == 1 && others <= 0;
  const std::string more = others > 0 ? " and " + std::to_string(others) + " more" : "";
  return "It asks for " + schema::str(why.getAsked()) + ", which only " + list(why.getVnodes()) + more +
         (one ? " has: it can't be used now." : " have: they can't be used now.");
}

std::string lack_of_vnodes(schema::Why::Reader why) {
  const auto asked = schema::str(why.getAsked());
  if (asked.find('=') != std::string::npos) return lack_of_usable(why);
  return "It needs " + asked + (asked == "1" ? " vnode; " : " vnodes; ") + schema::str(why.getFree()) + " of " +
         schema::str(why.getTotal()) + " are free" + (why.getVnodes().size() > 0 ? ", not " + list(why.getVnodes()) : "") + ".";
}

std::string lack(schema::Why::Reader why, const std::string& of) {
  const auto text = [](capnp::Text::Reader t) { return schema::str(t); };
  const auto resource = text(why.getResource()), asked = text(why.getAsked()), free = text(why.getFree()), total = text(why.getTotal());
  if (resource == "vnodes") return lack_of_vnodes(why);
  if (resource.empty()) return "There is no room for all of it now; it was looked for" + on(why.getVnodes()) + ".";
  if (free.empty() && total.empty()) return "It asks for " + resource + "=" + asked + ", which is not there" + on(why.getVnodes()) + ".";
  if (free.empty())
    return "It asks for " + resource + "=" + asked + "; " + (of.empty() ? "there is " : of + " has ") + total + on(why.getVnodes()) + ".";
  return "It asks for " + asked + " of " + resource + "; " + (of.empty() ? "" : "of what " + of + " has ") + free + " of " + total +
         " can be had" + on(why.getVnodes()) + ".";
}

std::string limit(schema::Why::Reader why) {
  std::string out = "The limit " + schema::str(why.getLimit());
  if (why.getOwner().size() > 0) out += " of " + schema::str(why.getOwner());
  out += " is reached";
  if (why.getCount().size() > 0) out += ": " + schema::str(why.getCount()) + " of it is in use";
  if (why.getAsked().size() > 0) out += ", and it asks for " + schema::str(why.getAsked());
  return out + ".";
}

// Limits of vnodes are data of a lack: the first vnode is the limit's, and what others have may be other limits.
std::string limit_of_vnode(schema::Why::Reader why) {
  const auto others = schema::texts(why.getVnodes());
  std::string more;
  for (std::size_t i = 1; i < others.size(); ++i) (more += more.empty() ? "" : ", ") += others[i];
  return limit(why) + (more.empty() ? "" : " Limits on who runs there keep it from " + more + ", too.");
}

// What the data says beyond the comment; empty: nothing.
std::string sentence(schema::Why::Reader why) {
  switch (why.getKind()) {
    case kind::RESOURCES: return why.getLimit().size() > 0 ? limit_of_vnode(why) : lack(why, "");
    case kind::POOL: return lack(why, schema::str(why.getOwner()));
    case kind::LIMIT: return limit(why);
    case kind::QUEUE: return "No job of " + schema::str(why.getOwner()) + " may run now.";
    case kind::PRIME_TIME: return "Prime time, or what comes after it, does not let it run now.";
    case kind::DEDICATED: return "Dedicated time does not let it run now.";
    case kind::ORDER: return "Jobs run strictly in their order, and one before it can't run yet.";
    case kind::BOOKED: return "The place that it needs is kept for what comes first.";
    case kind::FORMULA: return "What job_sort_formula makes of it is not above job_sort_formula_threshold.";
    case kind::SHARES: return "Who it counts for has no fairshare shares.";
    case kind::PREEMPTION: return "It may preempt other jobs, and can't: too few of them would make room.";
    case kind::OTHER: break;
  }
  return {};
}

constexpr std::array kind_names = {
    std::pair(kind::OTHER, "other"), std::pair(kind::RESOURCES, "resources"), std::pair(kind::POOL, "pool"),
    std::pair(kind::LIMIT, "limit"), std::pair(kind::QUEUE, "queue"), std::pair(kind::PRIME_TIME, "prime_time"),
    std::pair(kind::DEDICATED, "dedicated_time"), std::pair(kind::ORDER, "order"), std::pair(kind::BOOKED, "booked"),
    std::pair(kind::FORMULA, "formula"), std::pair(kind::SHARES, "shares"), std::pair(kind::PREEMPTION, "preemption")};

std::string_view kind_name(kind k) {
  for (const auto& [each, name] : kind_names)
    if (each == k) return name;
  return "other";  // of a newer server
}

std::string held_words(std::string_view holds) {
  constexpr std::array names = {std::pair('u', "a user hold"), std::pair('o', "an operator hold"), std::pair('s', "a system hold"),
                                std::pair('p', "a bad password")};
  std::string out;
  for (const auto& [letter, name] : names)
    if (holds.find(letter) != std::string_view::npos) (out += out.empty() ? "" : " and ") += name;
  return out.empty() ? "a hold" : out;
}

// The server says why, and no scheduler does.
bool is_in_routing_queue(schema::JobWhy::Reader why) { return schema::text(why.getData().getOwner()).starts_with("routing queue "); }

// "12.borg waits": what it does.
std::string what_it_does(const object_view& job, schema::JobWhy::Reader why) {
  const auto state = value_of(job, ids::job_state);
  const auto place = value_of(job, ids::exec_vnode);
  const std::string where = place.empty() ? "" : " on " + std::string(place);
  const auto start = value_of(job, ids::stime);
  const std::string since = start.empty() ? "" : " since " + date(start);
  switch (state.empty() ? ' ' : state[0]) {
    case 'Q': return (is_in_routing_queue(why) ? "waits in routing queue " : "waits in queue ") + std::string(value_of(job, ids::queue));
    case 'H': return "is held by " + held_words(value_of(job, ids::Hold_Types));
    case 'W': {
      const auto until = value_of(job, ids::Execution_Time);
      return until.empty() ? "waits for its time" : "waits for its time: " + date(until);
    }
    case 'R': return "runs" + since + where;
    case 'S': return "is suspended; it began " + date(start);
    case 'U': return "is suspended for the load of a host; it began " + date(start);
    case 'E': return "is ending, after it ran" + where;
    case 'B': return "is an array of which subjobs have begun";
    case 'F':
    case 'X':
    case 'M': {
      const auto code = value_of(job, ids::Exit_status);
      return "has ended" + (code.empty() ? std::string(" without having run") : " with exit status " + std::string(code));
    }
    default: return "is in state " + std::string(state);
  }
}

void line(std::string& out, const std::string& text) {
  if (!text.empty()) out.append("  ").append(std::string_view(shown(text))).push_back('\n');
}

std::string condition(values::dependency_type type) {
  using t = values::dependency_type;
  switch (type) {
    case t::after: return "started";
    case t::afterok: return "ended with exit status 0";
    case t::afternotok: return "ended with another exit status than 0";
    default: return "ended";
  }
}

std::string id_of(const values::dependency& d) { return d.job.substr(0, d.job.find('@')); }

// Returns the dependencies that hold the job.
std::vector<values::dependency> holding_dependencies(const object_view& job) {
  if (value_of(job, ids::job_state) != "H" || value_of(job, ids::Hold_Types).find('s') == std::string_view::npos) return {};
  return values::parse_dependencies(value_of(job, ids::depend)).value_or(std::vector<values::dependency>());
}

// Whoever waits for it is held for ever (docs/design/0054-dependencies.md).
bool ended_without_start(const known_jobs& others, const std::string& id) {
  const auto known = others.find(id);
  if (known == others.end()) return false;
  const object_view other{known->first, known->second};
  const auto state = value_of(other, ids::job_state);
  return (state == "F" || state == "X") && value_of(other, ids::stime).empty() &&
         (id.find("[]") == std::string::npos || value_of(other, ids::Exit_status).empty());
}

// What holds it, by name.
void put_dependencies(std::string& out, const object_view& job, const known_jobs& others) {
  for (const auto& d : holding_dependencies(job)) {
    const auto other = id_of(d);
    if (values::is_after(d.type) && ended_without_start(others, other))
      line(out, "It waits for " + other +
                    ", which was deleted before it ran: this can't be met any more. qalter -W depend= "
                    "names other jobs.");
    else if (values::is_after(d.type)) line(out, "It waits until " + other + " has " + condition(d.type) + ".");
    if (d.type == values::dependency_type::on)
      line(out, "It waits for " + std::to_string(d.count) + " more to say that they come before it.");
    if (d.type == values::dependency_type::runone) line(out, "Of it and " + other + " one is to run.");
  }
}

// The sentences of a comment that has one on each line.
std::vector<std::string> sentences(capnp::Text::Reader lines) {
  std::vector<std::string> all;
  for (auto left = schema::text(lines); !left.empty();) {
    const auto line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    all.emplace_back(line);
  }
  return all;
}

bool is_queued(const object_view& job) { return value_of(job, ids::job_state) == "Q"; }
bool waits_for_time(const object_view& job) { return value_of(job, ids::job_state) == "W"; }
bool is_over(const object_view& job) {
  const auto state = value_of(job, ids::job_state);
  return state == "F" || state == "X";
}
// Of an array that has begun, what others of it wait for.
bool is_told(const object_view& job, schema::JobWhy::Reader why) {
  return why.getComment().size() > 0 && !is_in_routing_queue(why) && (is_queued(job) || value_of(job, ids::job_state) == "B");
}
// Those that run and are ending, as "Queued:3 Running:2 Exiting:0 Expired:1" says.
std::int64_t subjobs_that_run(std::string_view counts) {
  std::int64_t sum = 0;
  for (const std::string_view word : {"Running:", "Exiting:"})
    if (const auto at = counts.find(word); at != std::string_view::npos) {
      const auto number = counts.substr(at + word.size());
      sum += values::parse_integer(number.substr(0, number.find(' '))).value_or(0);
    }
  return sum;
}

// "12[].borg" of 12[3].borg; empty: it is no subjob.
std::string array_of(std::string_view id) {
  const auto open = id.find('['), close = id.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close == open + 1) return {};
  return std::string(id.substr(0, open + 1)) + std::string(id.substr(close));
}

// Schedulers send no reason for it.
void put_limit_of_subjobs(std::string& out, const object_view& job, const known_jobs& others) {
  const auto array = is_queued(job) ? others.find(array_of(job.name)) : others.end();
  const object_view of = array == others.end() ? job : object_view{array->first, array->second};
  const auto most = values::parse_integer(value_of(of, ids::max_run_subjobs));
  if (!most || value_of(of, ids::job_state) != "B" || subjobs_that_run(value_of(of, ids::array_state_count)) < *most) return;
  const std::string whose = array == others.end() ? "its subjobs" : "the subjobs of " + array->first;
  line(out, "At most " + std::to_string(*most) + " of " + whose + " run at once (max_run_subjobs), and so many do.");
}

// A job keeps what was estimated for it when it runs and when it has ended.
bool is_to_start(const object_view& job) { return std::string_view("QHW").find(value_of(job, ids::job_state)) != std::string_view::npos; }
bool is_to_go_on(const object_view& job) { return value_of(job, ids::job_state) == "S" && value_of(job, ids::topjob) == "True"; }

using placing = schema::JobWhy::Placing;

// Why nobody places it; empty: somebody does.
std::string lack_of_scheduler(const object_view& job, schema::JobWhy::Reader why) {
  const auto partition = schema::str(why.getPartition());
  const auto scheduler = "Scheduler " + schema::str(why.getPlacer()) + (partition.empty() ? "" : " of partition " + partition);
  switch (why.getPlacing()) {
    case placing::NOBODY:
      return "No scheduler has partition " + partition + ", in which queue " + std::string(value_of(job, ids::queue)) + " is.";
    case placing::OFF: return scheduler + " is turned off.";
    case placing::DOWN: return scheduler + " is down.";
    case placing::PLACED: break;
  }
  return {};
}

std::string_view placing_name(placing what) {
  return what == placing::NOBODY ? "no scheduler" : what == placing::OFF ? "scheduler is off"
                                                : what == placing::DOWN  ? "scheduler is down"
                                                                         : "";
}

// "n4 is offline: broken fan", "n5 is filled by 3.borg", for each that the reason names.
std::vector<std::string> states_of_named(schema::Why::Reader why, const unusable_vnodes& unusable) {
  std::vector<std::string> all;
  for (const auto name : why.getVnodes())
    if (const auto known = unusable.find(schema::text(name)); known != unusable.end()) all.push_back(known->first + " is " + known->second);
  return all;
}

void put_reason(std::string& out, const object_view& job, schema::JobWhy::Reader why, const unusable_vnodes& unusable) {
  const auto lacks = lack_of_scheduler(job, why);
  line(out, lacks);
  if (const auto comment = value_of(job, ids::comment); why.getComment().size() == 0 && !comment.empty())
    return line(out, std::string(comment));  // of its last start, which has failed
  if (why.getComment().size() == 0) {
    if (!lacks.empty()) return;
    const auto since = value_of(job, ids::qtime);
    return line(out, "No scheduler has said why" + (since.empty() ? std::string() : "; it came " + date(since)) + ".");
  }
  line(out, schema::str(why.getComment()));
  line(out, sentence(why.getData()));
  for (const auto& state : states_of_named(why.getData(), unusable)) line(out, state + ".");
  if (why.getBehind().size() > 0) line(out, "It waits behind " + schema::str(why.getBehind()) + ".");
  std::string said = "It has waited for this since " + date_of_ns(why.getSinceNs()) + "; ";
  said += why.getScheduler().size() > 0 ? "scheduler " + schema::str(why.getScheduler()) : "its scheduler";
  said += " said so last " + date_of_ns(why.getSaidNs());
  if (why.getCycle() > 0) said += " in cycle " + std::to_string(why.getCycle());
  line(out, said + ".");
}

// So many of those who hold a vnode are named.
constexpr std::size_t holders_named_max = 4;

// "filled by 3.borg, 4.borg", of a list like "3.borg/0, 3.borg/1, 4.borg/2"; each once. Empty: the list is.
std::string held_by(const char* how, std::string_view holders) {
  std::vector<std::string> names;
  for (auto& holder : values::split_trimmed(holders)) {
    holder.resize(std::min(holder.size(), holder.find('/')));
    if (!holder.empty() && std::find(names.begin(), names.end(), holder) == names.end()) names.push_back(std::move(holder));
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), holders_named_max); ++i) (out += i == 0 ? how : ", ") += names[i];
  if (names.size() > holders_named_max) out += " and " + std::to_string(names.size() - holders_named_max) + " more";
  return out;
}

}  // namespace

std::string words_of_state(const object_view& vnode) {
  std::string words, holders;
  for (const auto& word : values::split_trimmed(value_of(vnode, attributes::node::state))) {
    if (word == "free") continue;
    if (word == "job-busy") holders = held_by("filled by ", value_of(vnode, attributes::node::jobs));
    else if (word == "job-exclusive") holders = held_by("taken whole by ", value_of(vnode, attributes::node::jobs));
    else if (word == "resv-exclusive") holders = holders.empty() ? held_by("reserved: ", value_of(vnode, attributes::node::resv)) : holders;
    else (words += words.empty() ? "" : ", ") += word;
  }
  if (words.empty()) return holders;
  const auto comment = value_of(vnode, attributes::node::comment);
  return comment.empty() ? words : words + ": " + std::string(comment);
}

std::vector<std::string> jobs_to_know(const object_view& job) {
  std::vector<std::string> all;
  for (const auto& d : holding_dependencies(job))
    if (values::is_after(d.type)) all.push_back(id_of(d));
  if (auto array = is_queued(job) ? array_of(job.name) : std::string(); !array.empty()) all.push_back(std::move(array));
  return all;
}

void put_why_text(std::string& out, const object_view& job, schema::JobWhy::Reader why, const unusable_vnodes& unusable,
                  const known_jobs& others) {
  (out += job.name) += " " + what_it_does(job, why) + ".\n";
  const bool is_routed = is_in_routing_queue(why), is_explained = is_queued(job) || is_told(job, why);
  if (is_explained && !is_routed) put_reason(out, job, why, unusable);
  if (const auto comment = value_of(job, ids::comment); !is_explained && !comment.empty()) line(out, std::string(comment));
  if (is_routed)
    for (const auto& each : sentences(why.getComment())) line(out, each);
  else if (is_over(job) || waits_for_time(job)) line(out, schema::str(why.getComment()));
  put_limit_of_subjobs(out, job, others);
  put_dependencies(out, job, others);
  const auto start = value_of(job, ids::estimated, "start_time");
  if (start.empty() || (!is_to_start(job) && !is_to_go_on(job))) return;
  const auto where = value_of(job, ids::estimated, "exec_vnode");
  const std::string what = is_to_start(job) ? "Its start is expected " : "It is expected to go on ";
  line(out, what + date(start) + (where.empty() ? "" : " on " + std::string(where)) + ".");
}

void why_json::text(std::string& out, int depth, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  document_.key(out, depth, name);
  put_json_string(out, value);
}

void why_json::number(std::string& out, int depth, std::string_view name, std::uint64_t value) {
  if (value == 0) return;
  document_.key(out, depth, name);
  out += std::to_string(value);
}

void why_json::put_list(std::string& out, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  document_.key(out, 3, name);
  const char* before = "[";
  for (const auto& value : values) out += std::exchange(before, ", "), put_json_string(out, value);
  out += "]";
}

void why_json::put_data(std::string& out, schema::Why::Reader why, const unusable_vnodes& unusable) {
  text(out, 3, "kind", kind_name(why.getKind()));
  text(out, 3, "resource", schema::text(why.getResource()));
  text(out, 3, "asked", schema::text(why.getAsked()));
  text(out, 3, "free", schema::text(why.getFree()));
  text(out, 3, "total", schema::text(why.getTotal()));
  text(out, 3, "limit", schema::text(why.getLimit()));
  text(out, 3, "owner", schema::text(why.getOwner()));
  text(out, 3, "count", schema::text(why.getCount()));
  put_list(out, "vnodes", schema::texts(why.getVnodes()));
  put_list(out, "unusable", states_of_named(why, unusable));
}

void why_json::put(std::string& out, const object_view& job, schema::JobWhy::Reader why, const unusable_vnodes& unusable,
                   const known_jobs& others) {
  document_.open_object(out, job.name);
  text(out, 3, "says", what_it_does(job, why));
  text(out, 3, "job_state", value_of(job, ids::job_state));
  text(out, 3, "queue", value_of(job, ids::queue));
  text(out, 3, "depend", value_of(job, ids::depend));
  std::vector<std::string> never_met;
  for (const auto& d : holding_dependencies(job))
    if (values::is_after(d.type) && ended_without_start(others, id_of(d))) never_met.push_back(id_of(d));
  put_list(out, "deleted_before_they_ran", never_met);
  const bool told = is_told(job, why);
  if (is_in_routing_queue(why)) put_list(out, "routing", sentences(why.getComment()));
  if (is_queued(job)) {
    text(out, 3, "not_placed", placing_name(why.getPlacing()));
    text(out, 3, "partition", schema::text(why.getPartition()));
  }
  text(out, 3, "comment", told ? schema::text(why.getComment()) : value_of(job, ids::comment));
  if (is_over(job)) text(out, 3, "why_it_ended", schema::text(why.getComment()));
  if (waits_for_time(job) && !is_in_routing_queue(why)) text(out, 3, "why_it_waits", schema::text(why.getComment()));
  if (told) {
    put_data(out, why.getData(), unusable);
    text(out, 3, "behind", schema::text(why.getBehind()));
    number(out, 3, "since", static_cast<std::uint64_t>(why.getSinceNs() / ns_per_s));
    number(out, 3, "said", static_cast<std::uint64_t>(why.getSaidNs() / ns_per_s));
    number(out, 3, "cycle", why.getCycle());
    text(out, 3, "scheduler", schema::text(why.getScheduler()));
  }
  text(out, 3, "Hold_Types", value_of(job, ids::job_state) == "H" ? value_of(job, ids::Hold_Types) : std::string_view());
  text(out, 3, "exec_vnode", value_of(job, ids::exec_vnode));
  if (is_to_start(job) || is_to_go_on(job)) {
    text(out, 3, "estimated_start", value_of(job, ids::estimated, "start_time"));
    text(out, 3, "estimated_exec_vnode", value_of(job, ids::estimated, "exec_vnode"));
  }
  document_.close_object(out);
}

}  // namespace annals::client
