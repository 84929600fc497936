// What an administrator types before the first job: requests in their order, one at a time, each repeated until it is done.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"

namespace annals::sim {

using set_values = std::vector<std::pair<std::string, std::string>>;  // empty value: unset

schema::sealed<schema::Request> managing(schema::ManageVerb verb, schema::ObjectKind kind, const std::string& name,
                                         const set_values& to = {}, std::uint64_t id = 0);

class set_up {
 public:
  bool done() const { return next_ == requests_.size(); }
  // The next request to be sent; nothing while one is on its way.
  const schema::sealed<schema::Request>* next_to_send(std::uint64_t id);
  bool on_reply(schema::Reply::Reader r);  // true: it was ours
  void link_broken() { asked_ = 0; }       // asked again

 protected:
  std::vector<schema::sealed<schema::Request>> requests_;
  std::size_t next_ = 0;
  std::uint64_t asked_ = 0;

 private:
  schema::sealed<schema::Request> sent_;
};

// A queue whose jobs preempt those of others, and how (preempt_order).
class express_set_up : public set_up {
 public:
  explicit express_set_up(const std::string& preempt_order);  // empty: nobody preempts
};

}  // namespace annals::sim
