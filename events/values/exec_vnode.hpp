// Where a job runs, by vnode: "(p1:ncpus=2:mem=1kb)+(p2[0]:ncpus=1+p2[1]:ncpus=1)", one parenthesis per chunk.
// Source: pbs guide, "exec_vnode, exec_host, node file".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/resource_list.hpp"

namespace annals::values {

struct vnode_part {
  std::string vnode;
  std::vector<named_value> resources;  // in the order printed; none for a vnode that exclhost added
  const std::string* find(std::string_view name) const;
  bool operator==(const vnode_part&) const = default;
};

struct exec_chunk {
  std::vector<vnode_part> parts;  // never empty; several when the chunk is split over vnodes of one host
  bool parenthesised = true;      // qrun -H writes chunks without
  bool operator==(const exec_chunk&) const = default;
};

struct exec_vnode_spec {
  std::vector<exec_chunk> chunks;
  std::vector<std::string> vnodes() const;  // each once, in order of first use
  bool operator==(const exec_vnode_spec&) const = default;
};

std::optional<exec_vnode_spec> parse_exec_vnode(std::string_view text);
std::string print(const exec_vnode_spec& spec);
std::string print(const exec_chunk& chunk);

}  // namespace annals::values
