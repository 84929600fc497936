#include "events/model/vnodes/chunk_words.hpp"

#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/schema/message.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

using attributes::value_type;

namespace {

// A MoM does not know what type a resource of the site has: the values show it.
value_type type_seen_in(std::string_view a, std::string_view b) {
  if (values::parse_real(a) && values::parse_real(b)) return value_type::real;
  if (values::parse_size(a) && values::parse_size(b)) return value_type::size;
  if (values::parse_boolean(a) && values::parse_boolean(b)) return value_type::boolean;
  return value_type::string_array;
}

std::string_view value_in(std::string_view resources, std::string_view wanted) {
  std::string_view name, value;
  while (values::next_resource(resources, name, value))
    if (name == wanted) return value;
  return {};
}

}  // namespace

void write(const vnode_words& words, schema::StartRun::Builder to) {
  std::map<std::map<std::string, std::string, std::less<>>, std::vector<std::string>> alike;
  for (const auto& [vnode, has] : words) alike[has].push_back(vnode);
  auto list = to.initWords(static_cast<unsigned>(alike.size()));
  unsigned i = 0;
  for (const auto& [has, vnodes] : alike) {
    auto group = list[i++];
    auto values = group.initWords(static_cast<unsigned>(has.size()));
    unsigned w = 0;
    for (const auto& [resource, value] : has) {
      values[w].setResource(resource);
      values[w++].setValue(value);
    }
    auto names = group.initVnodes(static_cast<unsigned>(vnodes.size()));
    for (unsigned v = 0; v < vnodes.size(); ++v) names.set(v, vnodes[v]);
  }
}

vnode_words words_in(schema::StartRun::Reader order) {
  vnode_words words;
  for (const auto group : order.getWords()) {
    std::map<std::string, std::string, std::less<>> has;
    for (const auto w : group.getWords()) has.emplace(schema::str(w.getResource()), schema::str(w.getValue()));
    for (const auto vnode : group.getVnodes()) words.emplace(schema::str(vnode), has);
  }
  return words;
}

bool is_said_anew(std::string_view resource) { return resource == "mpiprocs" || resource == "ompthreads"; }

chunk_words::chunk_words(const allocation& has, const run_words& known, const attributes::resource_catalogue& resources)
    : known_(known), resources_(resources), slots_(values::parse_exec_host(has.exec_host()).value_or(values::exec_host_spec{})) {
  values::exec_vnode_reader reader(has.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    if (chunks_.size() == p.chunk) chunks_.emplace_back();
    chunks_[p.chunk].push_back({p.vnode, p.resources});
  }
}

bool chunk_words::has(std::size_t chunk, std::string_view resource, std::string_view value) const {
  if (chunk < known_.asked.chunks.size())
    if (const auto* asked = known_.asked.chunks[chunk].find(resource); asked && does(resource, *asked, value)) return true;
  if (resource == "host" && chunk < slots_.size() && values::equal_any_case(slots_[chunk].host, value)) return true;
  return chunk < chunks_.size() && std::ranges::all_of(chunks_[chunk], [&](const part& p) { return part_has(p, resource, value); });
}

bool chunk_words::part_has(const part& p, std::string_view resource, std::string_view value) const {
  if (resource == "vnode" && p.vnode == value) return true;
  if (const auto there = value_in(p.resources, resource); !there.empty() && does(resource, there, value)) return true;
  const auto vnode = known_.of_vnodes.find(p.vnode);
  if (vnode == known_.of_vnodes.end()) return false;
  const auto there = vnode->second.find(resource);
  if (there != vnode->second.end()) return does(resource, there->second, value);
  const auto* r = resources_.find(resource);
  return r && r->type == value_type::boolean && values::parse_boolean(value) == false;  // unset is False
}

bool chunk_words::does(std::string_view resource, std::string_view there, std::string_view asked) const {
  const auto* r = resources_.find(resource);
  switch (const auto type = r ? r->type : type_seen_in(there, asked)) {
    case value_type::boolean: return values::parse_boolean(there) == values::parse_boolean(asked);
    case value_type::string_array: {
      const auto all = values::split_list(there);
      return there == asked || std::ranges::find(all, asked) != all.end();
    }
    case value_type::integer:
    case value_type::real:
    case value_type::size:
    case value_type::duration: {
      const auto has = attributes::canonical(type, there), needs = attributes::canonical(type, asked);
      const auto order = has && needs ? attributes::compare_values(type, *has, *needs) : std::nullopt;
      return order && *order >= 0;
    }
    default: return there == asked || (resource == "host" && values::equal_any_case(there, asked));
  }
}

}  // namespace annals::model
