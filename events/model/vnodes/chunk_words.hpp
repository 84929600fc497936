// Chunks of a run have resources that are not used up: host=q4, model=abc, bigmem=True. A chunk has those that it was asked with, and
// those that each of its vnodes has. Pure; used where a select says what is kept (docs/design/0033-allocations-and-holdings.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/resources.hpp"
#include "events/model/vnodes/allocation.hpp"
#include "events/model/vnodes/vnode_words.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/values/exec_host.hpp"
#include "events/values/select.hpp"

namespace annals::model {

// As an order tells them to a MoM.
void write(const vnode_words& words, schema::StartRun::Builder to);
vnode_words words_in(schema::StartRun::Reader order);

struct run_words {
  values::select_spec asked;  // a chunk for each of the run's, as select_by_chunk makes them; fewer: of the others nothing is known
  vnode_words of_vnodes;
};

// How many processes a chunk gets is said anew by every select: a chunk does not have it or lack it (RS-127).
bool is_said_anew(std::string_view resource);

class chunk_words {
 public:
  // All must outlive it.
  chunk_words(const allocation& has, const run_words& known, const attributes::resource_catalogue& resources);
  bool has(std::size_t chunk, std::string_view resource, std::string_view value) const;

 private:
  struct part {
    std::string_view vnode, resources;
  };
  bool part_has(const part& p, std::string_view resource, std::string_view value) const;
  bool does(std::string_view resource, std::string_view there, std::string_view asked) const;

  const run_words& known_;
  const attributes::resource_catalogue& resources_;
  values::exec_host_spec slots_;
  std::vector<std::vector<part>> chunks_;
};

}  // namespace annals::model
