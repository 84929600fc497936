// Which custom resources jobs ask for or have used, until they are forgotten: such a resource is neither deleted nor changed (pbs guide:
// custom resources). Part of the ledger, since a job may come to ask for it at the same moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"

namespace annals::model {

// Whether a member of a Resource_List, or schedselect, asks for the resource: by its name, in a chunk, or as the group of a place.
bool asks_for(std::string_view member, std::string_view value, std::string_view resource);

class resource_users {
 public:
  // The resource that the event would delete or give another type or other flags; empty: there is none.
  std::string_view unmade(schema::ServerEvent::Reader event) const;
  bool any_job_asks_for(std::string_view resource) const;
  void apply(schema::ServerEvent::Reader event);
  void apply(const event_place& at, schema::JobEvent::Reader event);
  bool operator==(const resource_users&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.custom_, self.uses_);
  }

 private:
  struct definition {
    std::string type, flags;
    bool operator==(const definition&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.type, self.flags);
    }
  };
  struct use {
    std::string member, resource;  // "select", "fa"
    bool operator==(const use&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.member, self.resource);
    }
  };
  void take(std::uint64_t job, capnp::List<schema::Attribute>::Reader attributes);
  void take_used(std::uint64_t job, capnp::List<schema::Attribute>::Reader used);

  std::map<std::string, definition, std::less<>> custom_;
  std::unordered_map<std::uint64_t, std::vector<use>> uses_;  // by the job's serial; those that ask for custom resources, or have used some
};

}  // namespace annals::model
