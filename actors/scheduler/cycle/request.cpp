#include "actors/scheduler/cycle/request.hpp"

#include <algorithm>

#include "events/schema/message.hpp"
#include "events/values/select.hpp"

namespace annals::cycle {

using schema::text;

namespace {

std::optional<want> read_want(const resource_table& resources, std::string_view name, std::string_view value) {
  want w;
  w.resource = resources.find(name);
  if (w.resource == no_resource) return std::nullopt;
  if (resources[w.resource].is_text()) {
    w.text = value;
    return w;
  }
  const auto read = resources.read(w.resource, value, rounding::up);
  if (!read) return std::nullopt;
  w.value = *read;
  return w;
}

// Amounts come from users: a product that does not fit is as good as endless.
amount times(amount value, std::uint32_t count) {
  amount product;
  return __builtin_mul_overflow(value, static_cast<amount>(count), &product) ? INT64_MAX : product;
}
amount plus(amount a, amount b) {
  amount sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void add_to_sums(std::vector<want>& sums, const chunk& c, const resource_table& resources) {
  for (const want& w : c.wants) {
    const bool number = resources[w.resource].numeric;
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const want& s) {
      return s.resource == w.resource && (number || (s.text == w.text && s.value == w.value));
    });
    if (known == sums.end()) {
      sums.push_back(w);
      if (number) sums.back().value = times(w.value, c.count);
    } else if (number) {
      known->value = plus(known->value, times(w.value, c.count));
    }
  }
}

bool read_chunks(request& r, std::string_view schedselect, const resource_table& resources) {
  const auto select = values::parse_select(schedselect);
  if (!select) return false;
  for (const auto& item : select->chunks) {
    chunk c;
    c.count = item.count;
    for (const auto& named : item.resources) {
      auto w = read_want(resources, named.name, named.value);
      if (!w) return false;
      c.wants.push_back(std::move(*w));
    }
    r.chunk_count += c.count;
    add_to_sums(r.sums, c, resources);
    r.chunks.push_back(std::move(c));
  }
  return true;
}

}  // namespace

// What the request says where; the amounts of a chunk are no pool of server or queue.
bool request::is_of_pools(std::string_view name, const resource_table& resources) {
  if (name == "select" || name == "place" || name == "nodect" || name == "nodes") return false;
  const resource_id id = resources.find(name);
  return id != no_resource && resources[id].type != attributes::value_type::duration;
}

request request::parse(const written_request& from, const resource_table& resources) {
  request r;
  const auto place = values::parse_place(from.place);
  if (place) {
    if (place->arrange != values::arrangement::unset) r.arrange = place->arrange;
    r.share = place->share;
    r.group = place->group;
  }
  r.understood = (place || from.place.empty()) && read_chunks(r, from.schedselect, resources);
  for (const auto a : from.resources) {
    const auto name = text(a.getResource());
    if (!request::is_of_pools(name, resources)) continue;
    if (auto w = read_want(resources, name, text(a.getValue()))) r.job_wide.push_back(std::move(*w));
  }
  return r;
}

void request::append_key(std::string& key, const written_request& from, const resource_table& resources) {
  key += from.schedselect;
  key += '\n';
  key += from.place;
  for (const auto a : from.resources) {
    const auto name = text(a.getResource());
    if (!request::is_of_pools(name, resources)) continue;
    key += '\n';
    key += name;
    key += '=';
    key += text(a.getValue());
  }
}

}  // namespace annals::cycle
