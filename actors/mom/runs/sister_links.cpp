#include "actors/mom/runs/sister_links.hpp"

namespace annals::actors {

schema::RunRef::Reader run_of(schema::FromSister::Reader m) {
  switch (m.which()) {
    case schema::FromSister::JOINED: return m.getJoined();
    case schema::FromSister::REFUSED: return m.getRefused().getRef();
    case schema::FromSister::LEFT: return m.getLeft().getRef();
    case schema::FromSister::TASK_STATE: return m.getTaskState().getTask().getRef();
    case schema::FromSister::TASK_SIGNALLED: return m.getTaskSignalled().getTask().getRef();
    case schema::FromSister::USAGE: return m.getUsage().getRef();
    case schema::FromSister::ASK: return m.getAsk().getRef();
    case schema::FromSister::OUTPUT: return m.getOutput().getTask().getRef();
    case schema::FromSister::OUTPUT_TAKEN: return m.getOutputTaken().getTask().getRef();
    case schema::FromSister::DESCRIBED: return m.getDescribed().getRef();
    case schema::FromSister::PROLOGUE_OVER: return m.getPrologueOver().getRef();
    case schema::FromSister::UPDATED: return m.getUpdated().getRef();
    case schema::FromSister::PRESENT: return m.getPresent().getRef();
  }
  return {};  // a message of a later release: about no run that is known
}

void sister_links::want(const want_sister& w, const caf::actor& run) {
  auto& l = links_[w.host];
  l.wanted_by[w.key] = run;
  if (!l.dialer && dial_) l.dialer = dial_(w.host, w.address, w.port);
  if (l.peer) self_->send(run, sister_link{w.host, true, {}});
}

void sister_links::no_longer_wanted(const values::run_key& key) {
  for (auto at = links_.begin(); at != links_.end();) {
    auto& wanted_by = at->second.wanted_by;
    if (wanted_by.erase(key) > 0 && wanted_by.empty()) at = links_.erase(at);
    else ++at;
  }
}

void sister_links::send(const to_sister& t) {
  if (const auto at = links_.find(t.host); at != links_.end() && at->second.peer) at->second.peer->send(t.message);
}

void sister_links::opened(const sister_opened& o) {
  const auto at = links_.find(o.host);
  if (at == links_.end()) return;
  at->second.peer = o.peer;
  for (const auto& [key, run] : at->second.wanted_by) self_->send(run, sister_link{o.host, true, {}});
}

void sister_links::closed(const sister_closed& c) {
  const auto at = links_.find(c.host);
  if (at == links_.end() || at->second.peer != c.peer) return;
  at->second.peer = nullptr;
  for (const auto& [key, run] : at->second.wanted_by) self_->send(run, sister_link{c.host, false, c.why});
}

}  // namespace annals::actors
