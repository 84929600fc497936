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

// The parts of an exec_vnode as they stand in its text, for those who read many vnodes and need no copies. It looks at the
// structure only: names and values are taken as they are.
class exec_vnode_reader {
 public:
  struct part {
    std::string_view text;       // "n1:ncpus=2:mem=1gb"
    std::string_view vnode;      // "n1"
    std::string_view resources;  // "ncpus=2:mem=1gb"
    std::size_t chunk = 0;       // its number in the text, from 0
  };
  explicit exec_vnode_reader(std::string_view text) : text_(text) {}
  // False at the end, and at the first place that has not the form of an exec_vnode.
  bool next(part& out);
  bool well_formed() const { return !failed_; }  // so far; an empty text is none

 private:
  bool fail();
  std::string_view text_;
  std::size_t at_ = 0, chunk_ = 0;
  bool inside_ = false, failed_ = false;  // of parentheses
};
// Takes the next "ncpus=2" off the front; false when there is none.
bool next_resource(std::string_view& resources, std::string_view& name, std::string_view& value);
std::string print(const exec_vnode_spec& spec);
std::string print(const exec_chunk& chunk);

}  // namespace annals::values
