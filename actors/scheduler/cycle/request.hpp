// What a job asks for, parsed once when the job is seen and shared by all jobs that ask for the same: jobs with one
// request are one equivalence class of a cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/resource_table.hpp"
#include "events/schema/common.capnp.h"
#include "events/values/place.hpp"

namespace annals::cycle {

// One wanted resource. Numbers and booleans have a value, texts a text.
struct want {
  resource_id resource = no_resource;
  amount value = 0;
  std::string text;
};

struct chunk {
  std::uint32_t count = 1;
  std::vector<want> wants;  // in the order of schedselect
};

// As the row of a job or a reservation has it.
struct written_request {
  std::string_view schedselect, place;
  capnp::List<schema::Attribute>::Reader resources;  // Resource_List.*
};

struct request {
  std::vector<chunk> chunks;
  std::uint64_t chunk_count = 0;
  std::vector<want> sums;      // what all chunks ask together, in order of first appearance; texts each once
  std::vector<want> job_wide;  // Resource_List, for the pools of server and queue
  values::arrangement arrange = values::arrangement::free;
  values::sharing share = values::sharing::unset;
  std::string group;        // resource name of group=, empty for none
  bool understood = false;  // false: schedselect or place is not what the grammar allows; never runs

  // What belongs to job_wide: all but durations and what says how the chunks lie.
  static bool is_of_pools(std::string_view resource, const resource_table& resources);
  static request parse(const written_request& from, const resource_table& resources);
  // Equal keys have equal requests. Durations are left out: no pool of them exists, and jobs often differ in walltime only.
  static void append_key(std::string& key, const written_request& from, const resource_table& resources);
};

}  // namespace annals::cycle
