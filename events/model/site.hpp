// The settings that rules consult: server, queues, resources, as they are at one moment. Immutable once made; the actors
// share it by pointer and the server's actor replaces it after each change of one of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "events/attributes/bag.hpp"
#include "events/attributes/resources.hpp"

namespace annals::model {

struct site_queue {
  std::uint64_t order = 0;             // of creation; a queue's place in listings
  attributes::bag attributes;
};

struct site {
  std::string server_name;             // the part of job ids after the dot
  std::string host_name;
  std::string home;                    // PBS_HOME at the server; empty where nobody asks for paths
  attributes::bag server;
  attributes::resource_catalogue resources;
  std::map<std::string, site_queue, std::less<>> queues;

  const site_queue* queue(std::string_view name) const {
    const auto at = queues.find(name);
    return at == queues.end() ? nullptr : &at->second;
  }
  bool server_flag(attributes::attribute_id id, bool fallback = false) const {
    const auto v = server.get(id);
    return v ? *v == "True" : fallback;
  }
};
using site_ptr = std::shared_ptr<const site>;

}  // namespace annals::model
