// The settings that rules consult: server, queues, resources, as they are at one moment. Immutable once made; the actors
// share it by pointer and the server's actor replaces it after each change of one of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"

namespace annals::model {

struct queue_settings {
  std::uint64_t order = 0;  // of creation; a queue's place in listings
  attributes::attribute_set attributes;
};

struct settings {
  std::string server_name;  // the part of job ids after the dot
  std::string host_name;
  std::string home;  // PBS_HOME at the server; empty where nobody asks for paths
  attributes::attribute_set server;
  attributes::resource_catalogue resources;
  std::map<std::string, queue_settings, std::less<>> queues;

  const queue_settings* queue(std::string_view name) const {
    const auto at = queues.find(name);
    return at == queues.end() ? nullptr : &at->second;
  }
  bool server_flag(attributes::attribute_id id, bool fallback = false) const {
    const auto v = server.get(id);
    return v ? *v == "True" : fallback;
  }
};
using settings_ptr = std::shared_ptr<const settings>;

}  // namespace annals::model
