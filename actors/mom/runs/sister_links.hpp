// The links that a MoM has opened to others, for the runs whose primary it is: one per host, while any run wants it.
#pragma once

#include <caf/event_based_actor.hpp>

#include <map>
#include <memory>
#include <string>

#include "actors/mom/mom_messages.hpp"
#include "actors/mom/runs/sister_dialer.hpp"
#include "events/schema/sister.capnp.h"

namespace annals::actors {

// The run that a message of a sister is about.
schema::RunRef::Reader run_of(schema::FromSister::Reader message);

class sister_links {
 public:
  sister_links(caf::event_based_actor* self, dial_sister dial) : self_(self), dial_(std::move(dial)) {}
  // The run hears sister_link each time the link opens or closes, and now if it is open.
  void want(const want_sister& w, const caf::actor& run);
  void no_longer_wanted(const values::run_key& key);
  void send(const to_sister& t);
  void opened(const sister_opened& o);
  void closed(const sister_closed& c);

 private:
  struct link {
    std::unique_ptr<sister_dialer> dialer;
    wire::connection_ptr peer;  // null: not there
    std::map<values::run_key, caf::actor> wanted_by;
  };
  caf::event_based_actor* self_;
  dial_sister dial_;
  std::map<std::string, link> links_;  // by host
};

}  // namespace annals::actors
