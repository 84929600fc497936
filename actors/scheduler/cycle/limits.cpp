#include "actors/scheduler/cycle/limits.hpp"

#include <algorithm>

#include "events/schema/message.hpp"
#include "events/values/number.hpp"

namespace annals::cycle {

using schema::text;
using values::limit_kind;
using values::limit_kinds;

// -- what is set ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view anybody = "PBS_GENERIC", everybody = "PBS_ALL";

// Old-style limits say of everybody what a new-style entry says of PBS_GENERIC, or of PBS_ALL.
struct old_one {
  std::string_view name;
  char kind;
  bool soft;
};
constexpr std::array old_ones = {old_one{"max_running", 'o', false}, old_one{"max_user_run", 'u', false},
                                 old_one{"max_group_run", 'g', false}, old_one{"max_user_run_soft", 'u', true},
                                 old_one{"max_group_run_soft", 'g', true}, old_one{"max_user_res", 'u', false},
                                 old_one{"max_group_res", 'g', false}, old_one{"max_user_res_soft", 'u', true},
                                 old_one{"max_group_res_soft", 'g', true}};

struct entries {
  values::limit_spec hard, soft;
};

void add(values::limit_spec& to, const values::limit_spec& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

run_limits run_limits::read(capnp::List<schema::Attribute>::Reader attributes, const resource_table& resources) {
  run_limits out;
  entries counts;
  std::vector<std::pair<resource_id, entries>> amounts;
  const auto of = [&](schema::Attribute::Reader a) -> entries* {
    if (a.getResource().size() == 0) return &counts;
    const auto r = resources.find(text(a.getResource()));
    if (r == no_resource || !resources[r].numeric) return nullptr;
    const auto known = std::find_if(amounts.begin(), amounts.end(), [&](const auto& entry) { return entry.first == r; });
    return known != amounts.end() ? &known->second : &amounts.emplace_back(r, entries()).second;
  };
  for (const auto a : attributes) {
    const std::string_view name = text(a.getName());
    const auto old = std::find_if(old_ones.begin(), old_ones.end(), [&](const old_one& o) { return o.name == name; });
    if (old != old_ones.end()) {
      out.old_style = true;
      if (auto* to = of(a))
        add(old->soft ? to->soft : to->hard, {{old->kind, std::string(old->kind == 'o' ? everybody : anybody), schema::str(a.getValue())}});
    } else if (name == "max_run" || name == "max_run_soft" || name == "max_run_res" || name == "max_run_res_soft") {
      const auto limits = values::parse_limits(text(a.getValue()));
      if (auto* to = limits ? of(a) : nullptr) add(name.ends_with("_soft") ? to->soft : to->hard, *limits);
    }
  }
  const auto number = [](std::string_view value) { return values::parse_integer(value); };
  out.hard = {counts.hard, number};
  out.soft = {counts.soft, number};
  for (const auto& [r, limits] : amounts) {
    const auto read = [&resources, r = r](std::string_view value) { return resources.read(r, value, rounding::down); };
    out.resources.push_back({r, {limits.hard, read}, {limits.soft, read}});
  }
  return out;
}

namespace {

bool the_same(const run_limits& a, const run_limits& b) {
  return a.hard == b.hard && a.soft == b.soft && a.old_style == b.old_style &&
         std::equal(a.resources.begin(), a.resources.end(), b.resources.begin(), b.resources.end(),
                    [](const auto& x, const auto& y) { return x.resource == y.resource && x.hard == y.hard && x.soft == y.soft; });
}

}  // namespace

bool run_limit_book::set(std::uint32_t queue, run_limits limits) {
  if (queue != server_place && queue >= queues_.size()) {
    if (limits.empty()) return false;
    queues_.resize(queue + 1);
  }
  place& p = queue == server_place ? server_ : queues_[queue];
  if (the_same(p.limits, limits)) return false;
  p = place();
  p.set = !limits.empty();
  p.limits = std::move(limits);
  p.has_soft = !p.limits.soft.empty() || std::ranges::any_of(p.limits.resources, [](const auto& r) { return !r.soft.empty(); });
  for (const auto kind : limit_kinds) {
    if (p.limits.hard.limits(kind)) p.of_jobs[p.kinds_of_jobs++] = kind;
    if (p.set) make_room(p, kind);
  }
  any_ = server_.set || std::any_of(queues_.begin(), queues_.end(), [](const place& q) { return q.set; });
  return p.set;
}

// -- who counts ----------------------------------------------------------------------------------------------------------

std::string_view run_limit_book::name_of(limit_kind kind, owner_number owner) const {
  const auto& names = owners_[static_cast<std::size_t>(kind)].names;
  return owner < names.size() ? std::string_view(names[owner].name) : std::string_view();
}

owner_number run_limit_book::number_of(limit_kind kind, std::string_view name) {
  auto& owners = owners_[static_cast<std::size_t>(kind)];
  if (const auto known = owners.numbers.find(name); known != owners.numbers.end()) {
    ++owners.names[known->second].jobs;
    return known->second;
  }
  auto number = static_cast<owner_number>(owners.names.size());
  if (owners.free.empty()) {
    owners.names.emplace_back();
  } else {
    number = owners.free.back();
    owners.free.pop_back();
  }
  owners.names[number] = {std::string(name), 1};
  owners.numbers.emplace(name, number);
  if (server_.set) find_bounds(server_, kind, number);
  for (auto& q : queues_)
    if (q.set) find_bounds(q, kind, number);
  return number;
}

job_owners run_limit_book::owners_of(std::string_view user, std::string_view group, std::string_view project) {
  job_owners out;
  const auto put = [&](limit_kind kind, std::string_view name) { out.of[static_cast<std::size_t>(kind)] = number_of(kind, name); };
  put(limit_kind::user, user);
  put(limit_kind::group, group);
  put(limit_kind::project, project);
  return out;
}

void run_limit_book::count_another(const job_owners& job) {
  for (const auto kind : {limit_kind::user, limit_kind::group, limit_kind::project})
    ++owners_[static_cast<std::size_t>(kind)].names[job[kind]].jobs;
}

void run_limit_book::forget(const job_owners& job) {
  for (const auto kind : {limit_kind::user, limit_kind::group, limit_kind::project}) {
    auto& owners = owners_[static_cast<std::size_t>(kind)];
    auto& owner = owners.names[job[kind]];
    if (--owner.jobs > 0) continue;
    owners.numbers.erase(owner.name);
    owner.name.clear();
    owners.free.push_back(job[kind]);
  }
}

void run_limit_book::make_room(place& p, limit_kind kind) {
  const auto count = std::max<std::size_t>(owners_[static_cast<std::size_t>(kind)].names.size(), 1);  // all together is one
  for (owner_number owner = 0; owner < count; ++owner) find_bounds(p, kind, owner);
}

void run_limit_book::find_bounds(place& p, limit_kind kind, owner_number owner) {
  const auto k = static_cast<std::size_t>(kind);
  const auto width = p.limits.resources.size();
  if (owner >= p.jobs[k].size()) p.jobs[k].resize(owner + 1);
  if (p.amounts[k].size() < (owner + 1) * width) p.amounts[k].resize((owner + 1) * width);
  const auto name = name_of(kind, owner);
  const auto put = [&](auto& at, const std::optional<values::limit_table::bound>& bound) {
    at.bound = bound ? bound->value : unlimited;
    at.named = bound && bound->named;
  };
  put(p.jobs[k][owner], p.limits.hard.of(kind, name));
  for (std::size_t i = 0; i < width; ++i) put(p.amounts[k][owner * width + i], p.limits.resources[i].hard.of(kind, name));
}

// -- what is said --------------------------------------------------------------------------------------------------------

std::uint64_t run_limit_book::key(const reached_limit& r, const job_owners& owners, std::uint32_t queue) const {
  // A generic limit has one text for all of its kind.
  const std::uint64_t whose = r.named ? owners[r.kind] + 1u : 0;
  const std::uint64_t what = r.resource_at == reached_limit::none ? 0 : r.resource_at + 1u;
  const std::uint64_t place = r.at_queue ? queue + 1u : 0;
  return whose << 32 ^ place << 14 ^ what << 2 ^ static_cast<std::uint64_t>(r.kind);
}

namespace {

std::string capital(std::string word) {
  word.front() = static_cast<char>(word.front() - 'a' + 'A');
  return word;
}

// pbs guide: comments and log texts.
void say_jobs(refusal& why, const reached_limit& r, const std::string& name, const std::string& queue) {
  const std::string place = r.at_queue ? "Queue " + queue : "Server", word = values::limit_word(r.kind);
  if (r.kind == limit_kind::all) {
    why.log = place + " job limit reached";
    why.text = place + " job limit has been reached.";
  } else if (r.named) {
    why.text = place + " job limit reached for " + word + " " + name;
  } else if (r.kind == limit_kind::user) {
    why.log = place + " per-user job limit reached";
    why.text = "User has reached " + (r.at_queue ? "queue " + queue : "server") + " running job limit.";
  } else {
    why.log = place + " per-" + word + (r.at_queue ? " job limit reached" : " limit reached");
    const std::string whose = !r.at_queue ? "server" : "queue " + queue + (r.kind == limit_kind::project ? "'s" : "");
    why.text = capital(word) + " has reached " + whose + " running limit.";
  }
}

void say_amount(refusal& why, const reached_limit& r, const std::string& name, const std::string& queue, const std::string& resource) {
  const std::string place = r.at_queue ? "queue " + queue : "complex", word = values::limit_word(r.kind);
  if (r.kind == limit_kind::all) why.text = "would exceed overall limit on resource " + resource + " in " + place;
  else if (r.named) why.text = "would exceed " + word + " " + name + "'s limit on resource " + resource + " in " + place;
  else why.text = (r.at_queue ? "Queue " + queue : "Server") + " per-" + word + " limit reached on resource " + resource;
}

// The attribute with its entry: "max_run [u:bob=2]", "max_run_res.mem [g:PBS_GENERIC=4gb]", "max_user_run 2".
std::string attribute_text(const run_limits& limits, const reached_limit& r, std::string_view name, const std::string& value,
                           const std::string& resource) {
  const std::string dot = resource.empty() ? "" : "." + resource;
  if (limits.old_style) {
    const std::string word = values::limit_word(r.kind);
    if (r.kind == limit_kind::all) return "max_running " + value;
    return "max_" + word + (resource.empty() ? "_run" : "_res") + dot + " " + value;
  }
  return (resource.empty() ? "max_run" : "max_run_res" + dot) + " " + values::limit_table::entry_text(r.kind, name, r.named, value);
}

}  // namespace

refusal run_limit_book::say(const reached_limit& r, const place& p, std::string_view owner_name, owner_number owner,
                            std::string_view queue_name, amount asked, const resource_table& resources) {
  const std::string name(owner_name), queue(queue_name);
  refusal why;
  why.data.kind = schema::Why::Kind::LIMIT;
  why.data.owner = r.at_queue ? "queue " + queue : "server";
  if (r.resource_at == reached_limit::none) {
    const auto& c = p.at(r.kind, owner);
    say_jobs(why, r, name, queue);
    why.data.limit = attribute_text(p.limits, r, name, std::to_string(c.bound), "");
    why.data.count = std::to_string(c.jobs);
    return why;
  }
  const auto id = p.limits.resources[r.resource_at].resource;
  const auto& u = p.used_at(r.kind, owner, r.resource_at);
  const auto most = static_cast<wide>(INT64_MAX);
  say_amount(why, r, name, queue, resources[id].name);
  why.data.resource = resources[id].name;
  why.data.limit = attribute_text(p.limits, r, name, resources.print(id, u.bound), resources[id].name);
  why.data.count = resources.print(id, static_cast<amount>(std::min(u.sum, most)));
  why.data.asked = resources.print(id, asked);
  return why;
}

}  // namespace annals::cycle
