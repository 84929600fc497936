// Every host is owed the hooks of MoMs as they are now. Whether a host has them it says to the server and not to the log: it is told
// again after each new connection (actors/server/host_actor.hpp). Governed by docs/design/0023-hooks.md.
#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/hook_table.hpp"

namespace annals::reactions {

namespace {

class hooks_of_moms final : public stored_reaction<hooks_of_moms> {
 public:
  bool fold(const log::record& record) override { return hooks_.fold(record); }

  std::vector<order_ptr> owed(const moment&) override {
    if (hooks_.since() == 0) return {};
    return {make_order({.cause = hooks_.since(), .target = "all hosts", .what = send_hooks{}, .given = order::repeat::until_accepted})};
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.hooks_);
  }

 private:
  mom_hooks_fold hooks_;
};

}  // namespace

std::unique_ptr<reaction> hooks_on_hosts() { return std::make_unique<hooks_of_moms>(); }

}  // namespace annals::reactions
