#include "tools/audit/listing.hpp"

#include "tools/audit/event_json.hpp"

namespace annals::audit {
namespace {

constexpr std::size_t name_width = 12;

}  // namespace

bool add_kinds(event_filter& to, std::string_view names) {
  while (true) {
    const auto comma = names.find(',');
    const auto name = names.substr(0, comma);
    if (const auto kind = kind_named(name)) to.kinds.insert(*kind);
    else if (const auto stream = stream_kind_named(name)) to.stream_kinds.insert(*stream);
    else return false;
    if (comma == std::string_view::npos) return true;
    names.remove_prefix(comma + 1);
  }
}

bool is_job(std::string_view full_id, const values::job_id& asked) {
  const auto id = values::parse_job_id(full_id);
  return id && id->number == asked.number && id->form == asked.form && id->indices == asked.indices &&
         (asked.server.empty() || id->server == asked.server || asked.server.starts_with(id->server + "."));
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string right(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string damage_line(std::uint64_t sequence, const std::string& what, bool json) {
  if (json) return "{\"sequence\":" + std::to_string(sequence) + ",\"damaged\":" + json_text(what) + "}\n";
  return "#" + std::to_string(sequence) + "  DAMAGED  " + harmless(what) + "\n";
}

std::string line_head(const log::record& record, int sequence_width) {
  const auto sequence = "#" + std::to_string(record.sequence());
  return time_text(record.get().getWallNs()) + "  " + padded(sequence, static_cast<std::size_t>(sequence_width)) + "  ";
}

listing::listing(event_filter wanted, stream_names& names, std::uint64_t widest, bool json)
    : filter_(std::move(wanted)), names_(names), sequence_width_(static_cast<int>(std::to_string(widest).size()) + 1), json_(json) {}

bool listing::reasons_tell_of_job(const log::record& record) {
  if (!schema::is(record.event(), schema::SchedulerEvent::CYCLE_REASONS) || asked_serial_ == 0) return false;
  for (auto entry : record.event().getScheduler().getCycleReasons().getJobs())
    if (entry.getJob() == asked_serial_) return true;
  return false;
}

bool listing::wanted(const log::record& record, const stream_subject& subject) {
  const auto r = record.get();
  if (filter_.job) {
    const auto event = record.event();
    const bool own = record.kind() == schema::StreamKind::JOB && is_job(subject.name, *filter_.job);
    if (own) asked_serial_ = r.getStream();
    const bool run =
        schema::is(event, schema::RunEvent::RECEIVED) && is_job(schema::text(event.getRun().getReceived().getJob()), *filter_.job);
    const auto last_dot = subject.name.rfind('.');
    const bool later_in_run = record.kind() == schema::StreamKind::RUN && last_dot != std::string::npos &&
                              is_job(std::string_view(subject.name).substr(0, last_dot), *filter_.job);
    if (!own && !run && !later_in_run && !reasons_tell_of_job(record)) return false;
  }
  if (!filter_.user.empty() && schema::text(r.getWho().getUser()) != filter_.user &&
      std::string_view(subject.owner).substr(0, subject.owner.find('@')) != filter_.user)
    return false;
  if (filter_.kinds.empty() && filter_.stream_kinds.empty()) return true;
  return filter_.kinds.contains(kind_name(record.event())) || filter_.stream_kinds.contains(record.kind());
}

std::string listing::line(const log::record& record) {
  const auto& subject = names_.of(record);
  if (!wanted(record, subject)) return {};
  if (json_) return json_line(record, subject.name) + "\n";
  auto text = line_head(record, sequence_width_) + padded(harmless(subject.name), name_width) + "  " +
              padded(kind_name(record.event()), kind_width) + "  " +
              padded("by " + harmless(who_text(record.get().getWho())), who_width) + "  " + words(record.event());
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string listing::damaged_line(std::uint64_t sequence, const std::string& what) const {
  if (json_) return damage_line(sequence, what, true);
  return padded("", 23) + "  " + padded("#" + std::to_string(sequence), static_cast<std::size_t>(sequence_width_)) + "  DAMAGED  " +
         harmless(what) + "\n";
}

}  // namespace annals::audit
