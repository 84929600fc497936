#include "projections/exports/cycles.hpp"

#include <utility>

#include "events/schema/event.hpp"
#include "projections/exports/words.hpp"

namespace annals::exports {

using scheduler_event = schema::SchedulerEvent::Which;

const std::string& cycles::name(std::uint64_t stream) {
  auto [at, is_new] = names_.try_emplace(stream);
  if (is_new) at->second = find_name_(stream);
  return at->second;
}

row_builder cycles::row_of(std::uint64_t stream, const cycle& c, const log::record& by) {
  row_builder r(table_id::scheduling_cycles, by.get().getWallNs());
  r.count("cycle", c.began_sequence).text("scheduler", name(stream)).count("number", c.number).text("cause", c.cause);
  r.at("began_at", c.began_ns).at_unless_0("decided_for", c.decides_for_ns);
  return r;
}

namespace {

row finish(row_builder& r, const std::string& policy, std::uint64_t view, const log::record& by, bool final) {
  return r.text_unless_empty("policy", policy).count("view_sequence", view).count("sequence", by.sequence()).done(final);
}

}  // namespace

void cycles::begin(std::uint64_t stream, const log::record& by, const row_taker& take) {
  const auto e = by.event().getScheduler().getCycleBegan();
  auto& c = open_[stream];
  if (c.began_sequence != 0 && c.number == e.getNumber()) return;  // it goes on with what programs told
  if (c.began_sequence != 0) {
    auto r = row_of(stream, c, by);
    take(finish(r, c.policy, c.view, by, true));
  }
  c = {by.sequence(), e.getNumber(), e.getViewSequence(), by.get().getWallNs(), e.getWallNs(), schema::str(e.getTrigger()),
       hex_of(e.getPolicy().getHash())};
  auto r = row_of(stream, c, by);
  take(finish(r, c.policy, c.view, by, false));
}

void cycles::end(std::uint64_t stream, const log::record& by, const row_taker& take) {
  const auto e = by.event().getScheduler().getCycleEnded();
  const auto at = open_.find(stream);
  if (at == open_.end() || at->second.number != e.getNumber()) return;
  auto r = row_of(stream, at->second, by);
  r.at("ended_at", by.get().getWallNs()).integer("considered", e.getConsidered()).integer("started", e.getStarted());
  r.count("elapsed_us", e.getElapsedUs());
  take(finish(r, at->second.policy, at->second.view, by, true));
  open_.erase(at);
}

// An index that is none belongs to a record of a program with an error: it says nothing then.
void cycles::give_reasons(std::uint64_t stream, const log::record& by, const row_taker& take) {
  const auto e = by.event().getScheduler().getCycleReasons();
  std::int64_t entry = 0;
  for (const auto j : e.getJobs()) {
    row_builder r(table_id::scheduling_reasons, by.get().getWallNs());
    r.count("sequence", by.sequence()).integer("entry", ++entry).at("at", by.get().getWallNs()).text("scheduler", name(stream));
    r.count("cycle_number", e.getCycle()).count("job", j.getJob());
    if (j.getText() < e.getTexts().size()) r.text("reason", schema::text(e.getTexts()[j.getText()]));
    if (j.getText() < e.getWhys().size()) {
      const auto why = e.getWhys()[j.getText()];
      r.text("kind", word_of(why.getKind())).text_unless_empty("resource", schema::text(why.getResource()));
      r.text_unless_empty("asked", schema::text(why.getAsked())).text_unless_empty("free", schema::text(why.getFree()));
      r.text_unless_empty("total", schema::text(why.getTotal())).text_unless_empty("limit_name", schema::text(why.getLimit()));
      r.text_unless_empty("limit_owner", schema::text(why.getOwner())).text_unless_empty("limit_count", schema::text(why.getCount()));
    }
    if (j.getBehind() > 0 && j.getBehind() <= e.getBlockers().size()) r.text("blocker", schema::text(e.getBlockers()[j.getBehind() - 1]));
    take(r.done(true));
  }
}

void cycles::fold(const log::record& record, const row_taker& take) {
  const auto event = record.event().getScheduler();
  const auto stream = record.get().getStream();
  switch (event.which()) {
    case scheduler_event::CREATED: names_[stream] = schema::str(event.getCreated().getName()); break;
    case scheduler_event::CYCLE_BEGAN: begin(stream, record, take); break;
    case scheduler_event::CYCLE_REASONS: give_reasons(stream, record, take); break;
    case scheduler_event::CYCLE_ENDED: end(stream, record, take); break;
    default: break;
  }
}

std::vector<std::uint64_t> cycles::open() const {
  std::vector<std::uint64_t> records;
  for (const auto& [stream, c] : open_) records.push_back(c.began_sequence);
  return records;
}

}  // namespace annals::exports
