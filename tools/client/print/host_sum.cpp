// A host as one block: what its vnodes have in common, and sums (pbs guide: pbsnodes).
#include <algorithm>
#include <charconv>
#include <map>

#include "events/attributes/ids.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/nodes.hpp"

namespace annals::client {
namespace {

namespace id = attributes::node;
constexpr std::string_view various = "<various>";

struct resource_sum {
  std::string name, available, assigned;
  bool has_available = false, has_assigned = false;
};

bool is_builtin_size(std::string_view resource) {
  static constexpr std::string_view sizes[] = {"mem", "vmem", "hbmem", "accelerator_memory", "file", "pmem", "pvmem"};
  return std::find(std::begin(sizes), std::end(sizes), resource) != std::end(sizes);
}

bool is_integer(std::string_view text) { return is_json_number(text) && text.find('.') == std::string_view::npos; }

std::int64_t integer_of(std::string_view text) {
  std::int64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

// What a resource that only stands in the other list shows: nothing of it.
std::string_view zero_like(std::string_view name) { return is_builtin_size(name) ? "0kb" : "0"; }

void add(std::string& sum, bool& has, std::string_view resource, std::string_view value) {
  if (!has) {
    const std::int64_t kb = is_builtin_size(resource) ? kilobytes_of(value) : -1;
    sum = kb < 0 ? std::string(value) : std::to_string(kb) + "kb";
    has = true;
  } else if (is_builtin_size(resource) && kilobytes_of(value) >= 0) {
    sum = std::to_string(std::max<std::int64_t>(kilobytes_of(sum), 0) + kilobytes_of(value)) + "kb";
  } else if (is_integer(value) && is_integer(sum)) {
    sum = std::to_string(integer_of(sum) + integer_of(value));
  } else if (sum != value) {
    sum = various;
  }
}

void merge(node_line& line, const attributes::entry& e) {
  if (line.is_jobs)
    line.value.append(line.value.empty() ? "" : ", ").append(e.value);
  else if (line.value != e.value)
    line.value = line.is_date ? "0" : various;
}

void put_resources(node_lines& lines, const std::vector<resource_sum>& resources) {
  for (const resource_sum& r : resources) {
    lines.push_back({"resources_available." + r.name, std::string(r.has_available ? r.available : zero_like(r.name))});
  }
  for (const resource_sum& r : resources) {
    if (r.has_assigned) lines.push_back({"resources_assigned." + r.name, r.assigned});
  }
}

}  // namespace

node_lines lines_of(const object_view& vnode, const labels& names) {
  node_lines lines;
  for_each_attribute(vnode.packed, [&](const attributes::entry& e) {
    const label* l = names.find(e.id);
    if (!l) return;
    node_line line{{}, std::string(e.value), is_date(*l, e.resource), e.id == id::jobs};
    put_attribute_name(line.name, *l, e.resource);
    lines.push_back(std::move(line));
  });
  return lines;
}

node_lines lines_of(const host_group& host, const labels& names) {
  if (host.vnodes.size() == 1) return lines_of(host.vnodes.front(), names);
  std::map<attributes::attribute_id, node_line> plain;  // in order of display
  std::vector<resource_sum> resources;
  for (const object_view& v : host.vnodes) {
    for_each_attribute(v.packed, [&](const attributes::entry& e) {
      const label* l = names.find(e.id);
      if (!l || e.id == id::in_multivnode_host) return;
      if (e.id == id::resources_available || e.id == id::resources_assigned) {
        auto at = std::find_if(resources.begin(), resources.end(), [&](const auto& r) { return r.name == e.resource; });
        if (at == resources.end()) at = resources.insert(at, {std::string(e.resource), {}, {}, false, false});
        if (e.id == id::resources_available)
          add(at->available, at->has_available, e.resource, e.value);
        else
          add(at->assigned, at->has_assigned, e.resource, e.value);
        return;
      }
      const auto [at, fresh] = plain.try_emplace(e.id);
      if (fresh) {
        at->second = {{}, std::string(e.value), is_date(*l, e.resource), e.id == id::jobs};
        put_attribute_name(at->second.name, *l, e.resource);
      } else {
        merge(at->second, e);
      }
    });
  }
  node_lines lines;
  for (auto& [_, line] : plain) lines.push_back(std::move(line));
  put_resources(lines, resources);
  return lines;
}

}  // namespace annals::client
