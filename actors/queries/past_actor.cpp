#include "actors/queries/past_actor.hpp"

#include <memory>

#include "actors/queries/hook_views.hpp"
#include "projections/status/fairshare_query.hpp"
#include "projections/status/query.hpp"

namespace annals::actors {

caf::behavior past_actor(caf::event_based_actor*, const log::log_reader* reader, ports::storage store, const ports::clock* clock) {
  const auto index = std::make_shared<log::snapshot_store>(store);
  return {
      [reader, index, clock](const query& q) {
        for_asker(q.to, [&] {
          const auto request = q.request.get();
          const auto send = [&](const schema::sealed<schema::Reply>& r) { q.to->send(r); };
          if (request.isFairshare())
            return projections::answer_fairshare_why(*reader, request.getId(), request.getFairshare(), q.by, clock->now_ns(), send);
          projections::answer_stat_at(*reader, index.get(), request.getId(), request.getStat(), q.by, send);
        });
      },
      [reader, index](const view_wanted& w) {
        const auto asked = w.request.get().getStat();
        hook_objects found;
        projections::answer_stat_at(*reader, index.get(), 0, asked, w.by,
                                    [&](const schema::sealed<schema::Reply>& r) { hooks::take_objects(asked.getKind(), r.get(), found); });
        w.done(std::move(found), asked.getAt().getSequence());
      },
  };
}

}  // namespace annals::actors
