// The ids of jobs by their streams, until they are forgotten.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "events/schema/event.capnp.h"
#include "events/schema/message.hpp"
#include "events/values/dense_map.hpp"
#include "events/values/job_id.hpp"

namespace annals::model {

class job_names {
 public:
  void fold(std::uint64_t stream, schema::JobEvent::Reader event) {
    if (event.isQueued()) {
      const auto id = schema::text(event.getQueued().getId());
      numbers_.put(stream, event.getQueued().getNumber());
      server_ = id.substr(id.find('.') + 1);
      if (event.getQueued().getIndices().size() > 0) arrays_.insert(stream);
    } else if (event.isForgotten()) {
      numbers_.erase(stream);
      arrays_.erase(stream);
    }
  }
  // "12.borg"; nothing: there is no such job.
  std::optional<std::string> id(std::uint64_t stream) const {
    const auto number = numbers_.find(stream);
    if (!number) return std::nullopt;
    return arrays_.contains(stream) ? values::array_id(*number, server_) : values::id_of_number(*number, server_);
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.numbers_, self.server_, self.arrays_);
  }

 private:
  values::dense_numbers numbers_;
  std::string server_;              // the part of ids after the dot: one log has one server's
  std::set<std::uint64_t> arrays_;  // streams
};

}  // namespace annals::model
