// Stat at a moment of the past: the log is folded up to the asked sequence or time, by the code that folds it live.
#include "events/values/pbs_error.hpp"
#include "projections/status/query.hpp"

namespace annals::projections {

namespace {

bool beyond(const log::record& record, schema::At::Reader at) {
  return at.isSequence() ? record.sequence() > at.getSequence() : record.get().getWallNs() > at.getWallNs();
}

}  // namespace

void answer_stat_at(const log::log_reader& reader, const status& now, std::uint64_t request_id, schema::Stat::Reader asked,
                    const model::requester& by, const send_reply& send) {
  (void)now;
  status then;
  const auto read = reader.read(1, [&](const log::record_ptr& record) {
    if (beyond(*record, asked.getAt())) return false;
    then.fold(*record);
    return true;
  });
  if (read) return answer_stat(then, request_id, asked, by, send);
  send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request_id);
    auto why = r.initRejected();
    why.setCode(values::pbs_error::system_error);
    why.setText("System error: " + read.text);
  }));
}

}  // namespace annals::projections
