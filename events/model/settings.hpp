// The settings that rules consult: server, queues, resources, schedulers' partitions, as they are at one moment. Immutable once made; the
// actors share it by pointer and the server's actor replaces it after each change of one of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"

namespace annals::model {

struct queue_settings {
  std::uint64_t order = 0;  // of creation; a queue's place in listings
  attributes::attribute_set attributes;
  std::uint64_t reservation = 0;  // serial of the one whose queue it is
};

// The scheduler that has what is in no partition (MS-38, MS-72, MS-81).
inline constexpr std::string_view default_scheduler = "default";
// How reservations and their queues show that they are in no partition (MS-104).
inline constexpr std::string_view no_partition_shown = "pbs-default";

struct settings {
  std::string server_name;  // the part of job ids after the dot
  std::string host_name;
  std::string home;  // PBS_HOME at the server; empty where nobody asks for paths
  attributes::attribute_set server;
  attributes::resource_catalogue resources;
  std::map<std::string, queue_settings, std::less<>> queues;
  std::map<std::string, std::string, std::less<>> scheduler_of_partition;  // by partition; those that a scheduler has
  std::set<std::string, std::less<>> schedulers_off;                       // of these

  const queue_settings* queue(std::string_view name) const {
    const auto at = queues.find(name);
    return at == queues.end() ? nullptr : &at->second;
  }
  // The partition of a queue; empty: it is in none.
  std::string_view partition_of_queue(std::string_view name) const;
  // Whose jobs a queue's are to place: that of the scheduler object which has the queue's partition (MS-35). Empty: nobody has it.
  std::string_view scheduler_of_queue(std::string_view name) const;
  // Whether a scheduler places anything at all: one without a partition does not (MS-36).
  bool places_jobs(std::string_view scheduler) const;
  // Whether its scheduling is False: it begins no cycle, and so answers nothing.
  bool is_off(std::string_view scheduler) const;
  bool server_flag(attributes::attribute_id id, bool fallback = false) const {
    const auto v = server.get(id);
    return v ? *v == "True" : fallback;
  }
};
using settings_ptr = std::shared_ptr<const settings>;

}  // namespace annals::model
