// What hooks on this host ask of the server while they run (pbs.server().vnode(name) ...). A question is asked once and belongs to the
// connection on which it was asked; a hook that has no answer at its alarm is ended as any other. Part of the MoM's actor. Governed by
// docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::actors {

class hook_questions {
 public:
  // tell: sends to the server.
  explicit hook_questions(std::function<void(const schema::sealed<schema::FromMom>&)> tell) : tell_(std::move(tell)) {}

  void server_is_here();  // questions that waited are asked
  void server_is_gone();  // nobody answers what was asked
  // may_wait: until the server is here, or until wait_no_longer.
  void ask(const hooks::sealed_question& question, hooks::hook_run::answer_to to, bool may_wait = false);
  void wait_no_longer();
  void on_answer(schema::HookAnswer::Reader answer);

 private:
  struct waiting {
    hooks::protocol::ObjectKind kind;
    hooks::hook_run::answer_to to;
  };
  std::function<void(const schema::sealed<schema::FromMom>&)> tell_;
  std::map<std::uint64_t, waiting> waiting_;
  struct early_question {
    hooks::sealed_question question;
    hooks::hook_run::answer_to to;
  };
  std::vector<early_question> early_;  // the server is not here yet
  std::uint64_t last_ = 0;
  bool is_here_ = false;
};

}  // namespace annals::actors
