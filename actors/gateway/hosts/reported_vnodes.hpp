// What a host says of its vnodes, before its rules hear of it: what is none of its own, or no value, is left out and told.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "actors/gateway/actor_registry.hpp"
#include "events/model/host/reported_value.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

class reported_vnodes {
 public:
  explicit reported_vnodes(actor_registry& board) : board_(board) {}

  // Asked first: what is refused whole claims no names. Empty: it may be taken.
  std::string why_not_taken(schema::MomHello::Reader hello, const std::string& host) const;
  schema::sealed<schema::FromMom> taken(schema::sealed<schema::FromMom> hello, const std::string& host);
  // It is about vnodes of this host of which its hello is not in the log yet.
  bool comes_too_early(schema::HookReport::Reader report, const std::string& host) const;

 private:
  // Why what this host says of a vnode is left out.
  std::optional<std::string> why_not(const std::string& vnode, const std::string& host);
  schema::sealed<schema::FromMom> with_own(schema::sealed<schema::FromMom> hello, const std::string& host);
  void note_left_out(const model::left_out& what, const std::string& host) const;

  actor_registry& board_;
  std::map<std::string, std::string> claimed_;  // vnodes that a hello named and the log does not know yet -> the host
};

}  // namespace annals::actors
