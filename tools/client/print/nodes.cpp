#include "tools/client/print/nodes.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "events/attributes/ids.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/layout.hpp"
#include "tools/client/print/shown.hpp"

namespace annals::client {
namespace {

namespace id = attributes::node;
constexpr std::string_view powers = " kmgtp";  // bytes, kb, mb ...

struct split_size {
  std::int64_t number;
  std::size_t power;
  bool ok;
};
split_size read_size(std::string_view text) {
  split_size s{0, 0, false};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), s.number);
  if (error != std::errc() || s.number < 0) return s;
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool words = !suffix.empty() && suffix.back() == 'w';
  if (suffix.size() > 1) s.power = powers.find(suffix.front());
  s.ok = suffix.size() <= 2 && s.power != std::string_view::npos && s.number < INT64_MAX / 8 &&
         (suffix.empty() || suffix.back() == 'b' || words);
  if (words) s.number *= 8;
  return s;
}

}  // namespace

namespace {

// The whole name, with its domain if it has one.
std::string_view full_host_of(const object_view& vnode) {
  const std::string_view mom = value_of(vnode, id::Mom);
  return mom.empty() ? vnode.name : mom.substr(0, mom.find(','));
}

}  // namespace

bool is_on_host(const object_view& vnode, std::string_view host) {
  const std::string_view full = full_host_of(vnode);
  return host == full || (!value_of(vnode, id::Mom).empty() && host == full.substr(0, full.find('.')));
}

std::vector<host_group> group_by_host(std::span<const object_view> vnodes) {
  std::vector<host_group> hosts;
  std::map<std::string_view, std::size_t> place;
  for (const object_view& v : vnodes) {
    const auto full = full_host_of(v);
    const auto [at, fresh] = place.try_emplace(full, hosts.size());
    if (fresh) hosts.push_back({std::string(value_of(v, id::Mom).empty() ? full : full.substr(0, full.find('.'))), {}});
    host_group& host = hosts[at->second];
    if (v.name == full || v.name == host.name) {
      host.name = v.name;  // as the server knows it
      host.vnodes.insert(host.vnodes.begin(), v);
    } else {
      host.vnodes.push_back(v);
    }
  }
  return hosts;
}

std::vector<std::string_view> job_ids_of(std::string_view jobs) {
  std::vector<std::string_view> ids;
  while (!jobs.empty()) {
    const auto comma = jobs.find(',');
    std::string_view job = jobs.substr(0, std::min(comma, jobs.find('/')));
    while (!job.empty() && job.front() == ' ') job.remove_prefix(1);
    if (!job.empty() && std::find(ids.begin(), ids.end(), job) == ids.end()) ids.push_back(job);
    jobs.remove_prefix(comma == std::string_view::npos ? jobs.size() : comma + 1);
  }
  return ids;
}

std::int64_t kilobytes_of(std::string_view size) {
  split_size s = read_size(size);
  if (!s.ok) return -1;
  if (s.power == 0) return (s.number + 1023) / 1024;
  while (s.power > 1 && s.number < INT64_MAX / 1024) s.number *= 1024, --s.power;
  return s.number;
}

std::string rounded_size(std::string_view size) {
  split_size s = read_size(size);
  if (!s.ok) return std::string(size);
  while (s.number >= 1024 && s.power + 1 < powers.size()) s.number = (s.number + 512) / 1024, ++s.power;
  return std::to_string(s.number) + powers[s.power] + 'b';
}

void node_printer::block(std::string& out, std::string_view name, const node_lines& lines) {
  out.append(name).push_back('\n');
  for (const node_line& l : lines) {
    out.append("     ").append(l.name).append(" = ");
    const shown value(l.is_date ? dates_.of(l.value) : std::string_view(l.value), line_ends::continue_line);
    out.append(std::string_view(value)).push_back('\n');
  }
  out.push_back('\n');
}

void node_printer::dsv(std::string& out, std::string_view name, const node_lines& lines,
                       std::string_view delimiter) const {
  out.append("Name=").append(name);
  for (const node_line& l : lines) {
    out.append(delimiter).append(l.name).push_back('=');
    const shown printable(l.value);
    const std::string_view value = printable;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const bool blank_in_jobs = l.is_jobs && value[i] == ' ';
      if (!delimiter.empty() && value.compare(i, delimiter.size(), delimiter) == 0) out.push_back('\\');
      if (!blank_in_jobs) out.push_back(value[i]);
    }
  }
  out.push_back('\n');
}

void node_printer::json(std::string& out, json_document& document, std::string_view name, const node_lines& lines) {
  const auto has_bytes = [](std::string_view size) {
    return size.find_first_of("123456789") != std::string_view::npos;
  };
  document.open_object(out, name);
  std::string_view inside;  // the resource list whose braces are open
  for (const node_line& l : lines) {
    const std::string_view text = l.name, list = text.substr(0, text.find('.'));
    const bool resource = list.size() < text.size();
    if (!inside.empty() && list != inside) document.close(out, 3), inside = {};
    if (resource && inside.empty()) document.open(out, 3, list), inside = list;
    if (list == "resources_assigned" && !has_bytes(l.value)) continue;
    document.key(out, resource ? 4 : 3, resource ? text.substr(list.size() + 1) : text);
    if (l.is_jobs)
      put_json_list(out, job_ids_of(l.value));
    else
      put_json_value(out, l.value);
  }
  if (!inside.empty()) document.close(out, 3);
  document.close_object(out);
}

void put_unavailable(std::string& out, const host_group& host) {
  const std::string_view state = value_of(host.vnodes.front(), id::state);
  for (const object_view& v : host.vnodes)
    if (value_of(v, id::state) != state) return;
  if (state.find("offline") == std::string_view::npos && state.find("down") == std::string_view::npos) return;
  out.append(host.name).append(host.name.size() < 20 ? 20 - host.name.size() : 0, ' ');
  out.append(" ").append(state).append(" ").append(std::string_view(shown(value_of(host.vnodes.front(), id::comment)))).push_back('\n');
}

}  // namespace annals::client
