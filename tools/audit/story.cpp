#include "tools/audit/story.hpp"

#include <optional>
#include <set>
#include <utility>

#include "tools/audit/event_json.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/scan.hpp"

namespace annals::audit {
namespace {

constexpr std::size_t indent = 4;

class telling {
 public:
  telling(const values::job_id& job, std::uint64_t last, bool json, const std::function<bool(const std::string&)>& print)
      : job_(job), width_(static_cast<int>(std::to_string(last).size()) + 1), json_(json), print_(print) {
    if (job.form == values::id_form::subjob) asked_array_ = {job.number, values::id_form::array, {}, job.server, {}};
  }

  bool take(const log::record_ptr& record) {
    const auto r = record->get();
    const auto event = record->event();
    if (schema::is(event, schema::JobEvent::QUEUED) && !take_queued(record)) return false;
    if (schema::is(event, schema::RunEvent::RECEIVED) && is_job(schema::text(event.getRun().getReceived().getJob()), job_))
      begin(r, event.getRun().getReceived().getJob());
    if (schema::is(event, schema::SchedulerEvent::CYCLE_REASONS)) return tell_reasons(*record);
    return !streams_.contains(r.getStream()) || tell(*record, name_, words(event), details(event));
  }

  // The end of the log.
  bool end() { return print_samples(); }

  void damaged(std::uint64_t sequence, const std::string& what) {
    print_samples();
    print_(damage_line(sequence, what, json_));
  }

  std::uint64_t told() const { return told_; }

 private:
  void begin(schema::Record::Reader r, capnp::Text::Reader id) {
    streams_.insert(r.getStream());
    name_ = schema::str(id);
  }

  bool take_queued(const log::record_ptr& record) {
    const auto id = record->event().getJob().getQueued().getId();
    if (asked_array_ && is_job(schema::text(id), *asked_array_)) array_ = record;
    if (!is_job(schema::text(id), job_)) return true;
    begin(record->get(), id);
    return tell_array();
  }

  // The server makes subjobs. The submission of the array says who wanted them; it is told once, however often the subjob is made.
  bool tell_array() {
    const auto array = std::exchange(array_, nullptr);
    if (!array) return true;
    const auto id = schema::str(array->event().getJob().getQueued().getId());
    return tell(*array, id, "its array " + harmless(id) + " " + words(array->event()), {});
  }

  bool tell_reasons(const log::record& record) {
    const auto reasons = record.event().getScheduler().getCycleReasons();
    for (auto entry : reasons.getJobs())
      if (streams_.contains(entry.getJob()) && entry.getText() < reasons.getTexts().size())
        return tell(record, name_, harmless(schema::text(reasons.getTexts()[entry.getText()])), {});
    return true;
  }

  // `about`: the job that the record is of.
  bool tell(const log::record& record, const std::string& about, const std::string& what, const std::string& more) {
    if (!json_ && told_ == 0 && !print_("job " + harmless(name_) + "\n")) return false;
    ++told_;
    if (json_) return print_(json_line(record, about) + "\n");
    const bool sample = is_sample(record.event());
    if (!sample && !print_samples()) return false;
    auto text = line_head(record, width_) + padded(kind_name(record.event()), kind_width) + "  " +
                padded("by " + harmless(who_text(record.get().getWho())), who_width) + "  " + what;
    if (const auto cause = record.get().getCause()) text += "  (because of #" + std::to_string(cause) + ")";
    text.erase(text.find_last_not_of(' ') + 1);
    if (!sample) return print_(text + "\n" + more);
    ++samples_;
    last_sample_ = std::move(text);
    last_sample_details_ = more;
    return true;
  }

  // A sample says what a run has used so far. The last one of several that follow each other says all.
  static bool is_sample(schema::Event::Reader event) {
    return schema::is(event, schema::JobEvent::USAGE_REPORTED) || schema::is(event, schema::RunEvent::SISTERS_USED);
  }
  bool print_samples() {
    const auto count = std::exchange(samples_, 0);
    if (count == 0) return true;
    return print_(last_sample_ + (count > 1 ? "  (the last of " + std::to_string(count) + ")" : "") + "\n" + last_sample_details_);
  }

  // What the words leave out: all attributes of a submission, one on a line; of other events the remaining fields.
  static std::string details(schema::Event::Reader event) {
    const std::string margin(indent, ' ');
    if (schema::is(event, schema::JobEvent::QUEUED)) {
      const auto q = event.getJob().getQueued();
      std::string text =
          margin + "euser=" + harmless(schema::text(q.getEuser())) + ", egroup=" + harmless(schema::text(q.getEgroup())) + "\n";
      for (auto a : q.getAttributes()) text += margin + harmless(attribute_text(a)) + "\n";
      if (q.getScript().getSize() > 0)
        text += margin + "script of " + std::to_string(q.getScript().getSize()) + " bytes, SHA-256 " +
                hex(schema::bytes_of(q.getScript().getHash())) + "\n";
      return text;
    }
    const bool order_inside = schema::is(event, schema::RunEvent::RECEIVED);  // a whole message: only its place is of interest
    const auto rest = harmless(fields(event));
    return order_inside || rest.empty() || rest == words(event) ? std::string() : margin + rest + "\n";
  }

  const values::job_id& job_;
  const int width_;
  const bool json_;
  const std::function<bool(const std::string&)>& print_;
  std::optional<values::job_id> asked_array_;  // of the subjob that is asked for
  log::record_ptr array_;                      // its submission, until it is told
  std::set<std::uint64_t> streams_;            // the job's, or those of its runs
  std::string name_;
  std::uint64_t told_ = 0, samples_ = 0;
  std::string last_sample_, last_sample_details_;
};

}  // namespace

story_end tell_story(const ports::event_store& store, const values::job_id& job, bool json,
                     const std::function<bool(const std::string&)>& print) {
  telling teller(job, store.last_sequence(), json, print);
  story_end end;
  end.sound = scan(store, 1, store.last_sequence(),
                   {[&](const log::record_ptr& r) { return teller.take(r); },
                    [&](std::uint64_t sequence, const std::string& what) { teller.damaged(sequence, what); }});
  teller.end();
  end.told = teller.told();
  return end;
}

}  // namespace annals::audit
