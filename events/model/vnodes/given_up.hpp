// The vnodes that suspended jobs have given up and go on with. Their processes are still there, though holdings list the jobs no more.
// Part of the ledger.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "events/model/context.hpp"
#include "events/schema/event.capnp.h"

namespace annals::model {

class given_up_vnodes {
 public:
  void apply(const event_place& at, schema::JobEvent::Reader event);
  // A job that is suspended on the vnode, by its serial; nothing: there is none.
  std::optional<std::uint64_t> job_on(std::string_view vnode) const;
  bool operator==(const given_up_vnodes&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.of_job_);
  }

 private:
  void released(std::uint64_t job, schema::VnodesReleased::Reader e);

  using names = std::multiset<std::string, std::less<>>;  // one for each part of a chunk
  std::map<std::uint64_t, names> of_job_;                 // by serial
};

}  // namespace annals::model
