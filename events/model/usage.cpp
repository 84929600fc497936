#include "events/model/usage.hpp"

#include <algorithm>
#include <set>

#include "events/attributes/check.hpp"
#include "events/model/limits.hpp"
#include "events/schema/message.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::model {

using attributes::value_type;

namespace {

constexpr auto id = attributes::job::resources_used;

std::string duration_text(std::uint64_t seconds) { return values::print_duration(static_cast<std::int64_t>(seconds)); }
std::string kb_text(std::uint64_t kb) { return std::to_string(kb) + "kb"; }

std::uint64_t not_negative(std::optional<std::int64_t> n) { return static_cast<std::uint64_t>(std::max<std::int64_t>(n.value_or(0), 0)); }

// Of these the primary's value is the run's; it has measured them for all hosts.
bool is_of_primary(std::string_view resource) { return resource == "walltime" || resource == "ncpus"; }

// Nothing: no amount.
std::optional<value_type> adds_up_as(std::string_view resource, const attributes::resource_catalogue& resources) {
  const auto* r = is_of_primary(resource) ? nullptr : resources.find(resource);
  return r && r->is_numeric() ? std::optional(r->type) : std::nullopt;
}

// What is no amount, and amounts that are too long to be one.
bool is_word(const attributes::entry& e, const attributes::resource_catalogue& resources) {
  constexpr std::size_t number_chars_max = 32;
  const auto* r = resources.find(e.resource);
  return !r || !r->is_numeric() || e.value.size() > number_chars_max;
}
std::size_t words_bytes(const usage_set& usage, const attributes::resource_catalogue& resources) {
  std::size_t bytes = 0;
  for (const auto& e : usage)
    if (is_word(e, resources)) bytes += e.resource.size() + e.value.size();
  return bytes;
}

void raise(usage_set& to, const usage_set& other, std::string_view resource, value_type type) {
  const auto value = other.get(resource), before = to.get(resource);
  if (value && (!before || attributes::compare_values(type, *before, *value).value_or(-1) < 0)) to.set(resource, std::string(*value));
}

}  // namespace

// -- the set -----------------------------------------------------------------------------------------------------------------

void usage_set::set(std::string_view resource, std::string_view value) { values_.set(id, resource, value); }
std::optional<std::string_view> usage_set::get(std::string_view resource) const { return values_.get(id, resource); }

std::uint64_t usage_set::seconds(std::string_view resource) const {
  return not_negative(values::parse_duration(get(resource).value_or("")));
}
std::uint64_t usage_set::kb(std::string_view resource) const {
  const auto size = values::parse_size(get(resource).value_or(""));
  return size ? size->to_kb() : 0;
}
std::uint64_t usage_set::count(std::string_view resource) const { return not_negative(values::parse_integer(get(resource).value_or(""))); }

usage_set measured_usage(const ports::run_usage& from) {
  usage_set to;
  to.set("cpupercent", std::to_string(from.cpu_percent));
  to.set("cput", duration_text(from.cpu_seconds));
  to.set("mem", kb_text(from.mem_kb));
  to.set("ncpus", std::to_string(from.ncpus));
  to.set("vmem", kb_text(from.vmem_kb));
  to.set("walltime", duration_text(from.wall_seconds));
  return to;
}

bool was_measured(const usage_set& usage) { return usage.count("ncpus") > 0 || usage.seconds("walltime") > 0 || usage.seconds("cput") > 0; }

// -- what hooks set ----------------------------------------------------------------------------------------------------------

kept_changes changes_to_keep(const usage_set& set_so_far, std::vector<usage_change> wanted,
                             const attributes::resource_catalogue& resources) {
  kept_changes out;
  auto after = set_so_far;
  for (auto& change : wanted) {
    const auto* r = resources.find(change.resource);
    const auto before = after;
    if (!change.value) {
      after.erase(change.resource);
    } else if (auto text = r ? attributes::canonical(*r, *change.value) : std::nullopt) {
      change.value = std::move(*text);
      after.set(change.resource, *change.value);
    } else {
      out.refused.push_back(change.resource);
      continue;
    }
    if (change.value && words_bytes(after, resources) > limits::hook_words_bytes_max) {
      after = before;
      out.refused.push_back(change.resource);
    } else {
      out.kept.push_back(std::move(change));
    }
  }
  return out;
}

std::vector<usage_change> news_in(std::vector<usage_change> changes, usage_set set_so_far) {
  std::erase_if(changes, [&](const usage_change& change) {
    if (set_so_far.get(change.resource) == change.value) return true;
    if (change.value) set_so_far.set(change.resource, *change.value);
    else set_so_far.erase(change.resource);
    return false;
  });
  return changes;
}

void write_changes(const std::vector<usage_change>& from, capnp::List<schema::Attribute>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setResource(from[i].resource);
    if (from[i].value) to[i].setValue(*from[i].value);
    else to[i].setOp(schema::AttributeOp::UNSET);
  }
}

void apply_changes(usage_set& set_by_hooks, capnp::List<schema::Attribute>::Reader changes) {
  for (auto c : changes) {
    if (c.getOp() == schema::AttributeOp::UNSET) set_by_hooks.erase(schema::text(c.getResource()));
    else set_by_hooks.set(schema::text(c.getResource()), schema::text(c.getValue()));
  }
}

usage_set with_hooks(usage_set measured, const usage_set& set_by_hooks) {
  for (const auto& e : set_by_hooks) measured.set(e.resource, e.value);
  return measured;
}

bool cut_words(usage_set& usage, std::size_t bytes_max, const attributes::resource_catalogue& resources) {
  if (words_bytes(usage, resources) <= bytes_max) return false;
  const auto all = usage;
  std::size_t bytes = 0;
  for (const auto& e : all)
    if (is_word(e, resources) && (bytes += e.resource.size() + e.value.size()) > bytes_max) usage.erase(e.resource);
  return true;
}

// -- messages and events -----------------------------------------------------------------------------------------------------

usage_set read_usage(schema::Usage::Reader from) {
  usage_set to;
  for (auto a : from.getResources()) to.set(schema::text(a.getResource()), schema::text(a.getValue()));
  return to;
}

void write_usage(const usage_set& from, schema::Usage::Builder to) {
  unsigned n = 0;
  for ([[maybe_unused]] const auto& e : from) ++n;
  auto list = to.initResources(n);
  n = 0;
  for (const auto& e : from) {
    list[n].setResource(std::string(e.resource));
    list[n++].setValue(std::string(e.value));
  }
}

host_usage read_host_usage(schema::HostUsage::Reader from) {
  return {schema::str(from.getHost()), read_usage(from.getUsage()), from.getMeasuredNs()};
}

void write_host_usage(const host_usage& from, schema::HostUsage::Builder to) {
  to.setHost(from.host);
  write_usage(from.usage, to.initUsage());
  to.setMeasuredNs(from.measured_ns);
}

std::vector<host_usage> checked_hosts(capnp::List<schema::HostUsage>::Reader from, const attributes::resource_catalogue& resources) {
  std::vector<host_usage> hosts;
  for (auto h : from) {
    host_usage good{schema::str(h.getHost()), {}, h.getMeasuredNs()};
    for (auto a : h.getUsage().getResources()) {
      const auto* r = resources.find(schema::text(a.getResource()));
      const auto value = r ? attributes::canonical(*r, schema::text(a.getValue())) : std::nullopt;
      if (value) good.usage.set(r->name, *value);
    }
    hosts.push_back(std::move(good));
  }
  return hosts;
}

// -- sums --------------------------------------------------------------------------------------------------------------------

void add_usage(usage_set& sum, const usage_set& more, const attributes::resource_catalogue& resources) {
  for (const auto& e : more) {
    const auto type = adds_up_as(e.resource, resources);
    if (!type) continue;
    const auto before = sum.get(e.resource);
    if (before && e.value.find_first_of("123456789") == std::string_view::npos) continue;  // 0: the unit stays, too
    sum.set(e.resource, before ? attributes::add_values(*type, *before, e.value) : std::string(e.value));
  }
}

namespace {

using words_of_hosts = std::map<std::string, std::vector<host_word>, std::less<>>;

// Of each resource that holds words and that some host has: all hosts, in their order.
words_of_hosts words_by_resource(std::span<const host_usage> hosts, const attributes::resource_catalogue& resources) {
  words_of_hosts words;
  for (const auto& host : hosts)
    for (const auto& e : host.usage) {
      const auto* r = resources.find(e.resource);
      if (r && (r->type == value_type::string || r->type == value_type::string_array)) words[std::string(e.resource)];
    }
  for (auto& [resource, of_hosts] : words)
    for (const auto& host : hosts) of_hosts.push_back({host.host, host.usage.get(resource)});
  return words;
}

}  // namespace

usage_set job_total(std::span<const host_usage> hosts, const attributes::resource_catalogue& resources, words_form form) {
  if (hosts.empty()) return {};
  auto sum = hosts.front().usage;
  if (hosts.size() == 1) return sum;
  for (const auto& other : hosts.subspan(1)) add_usage(sum, other.usage, resources);
  std::size_t bytes = 0;
  for (const auto& [resource, words] : words_by_resource(hosts, resources)) {
    auto text = joined_words(words, resources.find(resource)->type, form);
    if (text && (bytes += text->size()) <= limits::run_words_bytes_max) sum.set(resource, *text);
    else sum.erase(resource);
  }
  return sum;
}

namespace {
ports::run_usage numbers_of(const usage_set& measured) {
  return {measured.seconds("cput"), measured.kb("mem"),
          measured.kb("vmem"), measured.seconds("walltime"),
          static_cast<std::uint32_t>(measured.count("ncpus")), static_cast<std::uint32_t>(measured.count("cpupercent"))};
}
}  // namespace

void raise_primary(std::vector<host_usage>& hosts, const usage_set& known, const attributes::resource_catalogue& resources) {
  if (hosts.empty()) return;
  auto& primary = hosts.front().usage;
  const auto told = numbers_of(job_total(hosts, resources)), least = numbers_of(known), before = numbers_of(primary);
  auto raised = before;
  const auto raise_by_missing = [&](auto ports::run_usage::*of) { raised.*of += std::max(least.*of, told.*of) - told.*of; };
  for (const auto of :
       {&ports::run_usage::cpu_seconds, &ports::run_usage::mem_kb, &ports::run_usage::vmem_kb, &ports::run_usage::wall_seconds})
    raise_by_missing(of);
  raise_by_missing(&ports::run_usage::ncpus);
  if (told.cpu_percent == 0) raised.cpu_percent = least.cpu_percent;  // of one that was measured less is no loss: it goes up and down
  const auto as_told = measured_usage(before);
  for (const auto& e : measured_usage(raised))
    if (as_told.get(e.resource) != e.value) primary.set(e.resource, e.value);
}

std::vector<word_not_shown> unmergeable_words(std::span<const host_usage> hosts, const attributes::resource_catalogue& resources) {
  std::vector<word_not_shown> out;
  for (const auto& [resource, words] : words_by_resource(hosts, resources))
    for (const auto& word : unmergeable(words, resources.find(resource)->type))
      out.push_back({resource, std::string(word.host),
                     "resources_used." + resource + " cannot be accumulated: value '" + std::string(*word.value) + "' from mom " +
                         std::string(word.host) + " not JSON-format: " + why_no_object(*word.value)});
  return out;
}

void add_ended_task(usage_set& sum, const usage_set& task) {
  sum.set("cput", duration_text(sum.seconds("cput") + task.seconds("cput")));
  raise(sum, task, "mem", value_type::size);
  raise(sum, task, "vmem", value_type::size);
  raise(sum, task, "cpupercent", value_type::integer);
}

usage_set tasks_usage(usage_set ended, const ports::run_usage& alive, const ports::run_usage& highest) {
  ended.set("cput", duration_text(ended.seconds("cput") + alive.cpu_seconds));
  ended.set("cpupercent", std::to_string(alive.cpu_percent));
  ended.set("mem", kb_text(std::max(highest.mem_kb, ended.kb("mem"))));
  ended.set("vmem", kb_text(std::max(highest.vmem_kb, ended.kb("vmem"))));
  return ended;
}

}  // namespace annals::model
