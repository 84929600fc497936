#include "actors/mom/mom_log.hpp"

#include <map>
#include <utility>

#include "actors/mom/host/job_cookie.hpp"
#include "events/log/record.hpp"
#include "events/model/usage.hpp"
#include "events/schema/readable.hpp"

namespace annals::actors {

namespace {

// What stands in the order of the run or the part, its first event; without one it stays empty.
void read_logged_order(const log::log_reader& reader, known_run& run) {
  const auto take = [&](schema::StartRun::Reader order) {
    run.cookie = mom::cookie_of(order);
    run.user = schema::str(order.getEuser());
  };
  const auto read = [&](const log::record_ptr& r) {
    const auto event = r->event();
    const auto bytes = schema::bytes_of(schema::is(event, schema::PartEvent::JOINED) ? event.getPart().getJoined().getOrder()
                                                                                     : event.getRun().getReceived().getOrder());
    if (bytes.empty()) return false;
    auto message = schema::sealed_message::from_bytes(bytes);
    if (!message) throw log::log_damaged("an order in the log can't be read");
    if (schema::is(event, schema::PartEvent::JOINED)) take(message->root<schema::ToSister>().getJoin().getOrder());
    else take(message->root<schema::ToMom>().getStartRun());
    return false;
  };
  if (const auto status = reader.read_stream(run.stream, 1, read); !status) throw log::log_damaged(status.text);
}

}  // namespace

mom_log_contents read_mom_log(const log::log_reader& reader) {
  mom_log_contents contents;
  std::map<std::uint64_t, known_run> runs;
  std::map<std::uint64_t, known_part> parts;
  std::map<std::uint64_t, left_run> ends;  // of parts: what is remembered when they have left
  std::map<std::uint64_t, model::usage_set> set_by_hooks;
  const auto status = reader.read(1, [&](const log::record_ptr& r) {
    const auto stream = r->get().getStream();
    const auto event = r->event();
    if (schema::is(event, schema::RunEvent::RECEIVED)) {
      const auto e = event.getRun().getReceived();
      runs[stream] = {{schema::str(e.getJob()), e.getRun()}, stream, e.getJobSerial()};
    } else if (schema::is(event, schema::RunEvent::LEFT)) {
      contents.left.push_back({runs[stream].job_serial, runs[stream].key.run, {}, {}, 0, {}});
      runs.erase(stream);
    } else if (schema::is(event, schema::PartEvent::JOINED)) {
      const auto e = event.getPart().getJoined();
      parts[stream] = {{{schema::str(e.getJob()), e.getRun()}, stream, e.getJobSerial()}, schema::str(e.getPrimary())};
      ends[stream] = {e.getJobSerial(), e.getRun(), schema::str(e.getPrimary()), {}, 0, {}};
    } else if (schema::is(event, schema::PartEvent::TASK_ENDED)) {
      model::add_ended_task(ends[stream].usage, model::read_usage(event.getPart().getTaskEnded().getUsage()));
    } else if (schema::is(event, schema::PartEvent::HOOK_USED)) {
      model::apply_changes(set_by_hooks[stream], event.getPart().getHookUsed().getChanges());
    } else if (schema::is(event, schema::PartEvent::JOIN_REFUSED)) {
      ends[stream].refusal_code = event.getPart().getJoinRefused().getCode();
      ends[stream].refusal = schema::str(event.getPart().getJoinRefused().getText());
    } else if (schema::is(event, schema::PartEvent::LEFT)) {
      auto& end = ends[stream];
      end.usage = model::with_hooks(std::move(end.usage), set_by_hooks[stream]);
      contents.left_parts.push_back(std::move(end));
      parts.erase(stream);
      ends.erase(stream);
      set_by_hooks.erase(stream);
    }
    return true;
  });
  if (!status) throw log::log_damaged(status.text);
  for (auto& [stream, run] : runs) {
    read_logged_order(reader, run);
    contents.known.push_back(std::move(run));
  }
  for (auto& [stream, part] : parts) {
    read_logged_order(reader, part.what);
    contents.known_parts.push_back(std::move(part));
  }
  return contents;
}

}  // namespace annals::actors
