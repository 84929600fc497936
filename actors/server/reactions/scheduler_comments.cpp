// The server's own word on a scheduler (MS-10): NEEDS_ATTENTION when it had to be started again three times within an hour,
// READY_TO_USE when it has run for a while after that. A comment of somebody else stays.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "actors/server/reactions/all.hpp"
#include "actors/server/reactions/scheduler_table.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/model/scheduler/places.hpp"

namespace annals::reactions {

namespace {

namespace ids = attributes::scheduler;
constexpr const char* concern = "NEEDS_ATTENTION";
constexpr const char* relief = "READY_TO_USE";
constexpr std::int64_t hour_ns = 3600 * second_ns;

class comments final : public stored_reaction<comments> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isScheduler()) return fold_scheduler(record, event.getScheduler());
    if (!schema::is(event, schema::ServerEvent::STARTED)) return false;
    for (auto& [stream, story] : stories_) story.came_ns = 0;
    return true;
  }

  void clock_went_back(std::int64_t to_ns) override {
    for (auto& [stream, story] : stories_) {
      story.came_ns = std::min(story.came_ns, to_ns);
      for (auto& end : story.ends) end = std::min(end, to_ns);
    }
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& [stream, scheduler] : table_.schedulers()) {
      const auto& story = stories_.at(stream);
      const auto comment = scheduler.attributes.get(ids::comment).value_or("");
      const bool may_speak = comment.empty() || story.spoke_last;
      if (may_speak && comment != concern && story.ends.size() >= limits::scheduler_ends_of_concern && story.end_is_news)
        orders.push_back(say(scheduler, story.since, concern, at.settings));
      if (story.spoke_last && comment == concern && story.came_ns != 0 && at.now_ns >= ready_ns(story))
        orders.push_back(say(scheduler, story.since, relief, at.settings));
    }
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    std::optional<std::int64_t> next;
    for (const auto& [stream, scheduler] : table_.schedulers()) {
      const auto& story = stories_.at(stream);
      if (!story.spoke_last || story.came_ns == 0 || scheduler.attributes.get(ids::comment).value_or("") != concern) continue;
      if (const auto ready = ready_ns(story); ready > at.now_ns) next = std::min(next.value_or(ready), ready);
    }
    return next;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.table_, self.stories_);
  }

 private:
  struct story {
    std::deque<std::int64_t> ends;  // within the last hour, when it was to run
    bool end_is_news = false;       // the last of them is later than the comment
    bool spoke_last = false;        // the comment is the server's
    std::int64_t came_ns = 0;       // 0: it is not connected
    std::uint64_t since = 0;        // the last record of its coming and going
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.ends, self.end_is_news, self.spoke_last, self.came_ns, self.since);
    }
  };

  bool fold_scheduler(const log::record& record, schema::SchedulerEvent::Reader event) {
    const auto stream = record.get().getStream();
    auto& story = stories_[stream];
    table_.fold(record);
    if (!table_.schedulers().contains(stream)) {
      stories_.erase(stream);
      return true;
    }
    if (event.isChanged()) return note_comment(story, record, event.getChanged().getChanges());
    if (event.isStarted()) story.came_ns = record.get().getWallNs();
    else if (event.isStopped() || event.isStartFailed()) note_end(story, record, event);
    else return false;
    story.since = record.sequence();
    return true;
  }

  static bool note_comment(story& story, const log::record& record, capnp::List<schema::Attribute>::Reader changes) {
    bool is_comment = false;
    for (const auto change : changes) is_comment |= change.getName() == "comment";
    if (!is_comment) return false;
    story.spoke_last = record.get().getWho().getRole() == schema::Role::SERVER;
    story.end_is_news = false;
    return true;
  }

  void note_end(story& story, const log::record& record, schema::SchedulerEvent::Reader event) {
    const bool was_here = std::exchange(story.came_ns, 0) != 0;
    const bool on_purpose = event.isStopped() && schema::text(event.getStopped().getText()) == model::told_to_end;
    const bool is_its_own = event.isStartFailed() || (was_here && !on_purpose);
    if (!is_its_own || !model::is_to_run(table_.schedulers().at(record.get().getStream()))) return;
    const auto now = record.get().getWallNs();
    story.ends.push_back(now);
    while (story.ends.front() <= now - hour_ns) story.ends.pop_front();
    if (story.ends.size() > limits::scheduler_ends_of_concern) story.ends.pop_front();
    story.end_is_news = true;
  }

  static std::int64_t ready_ns(const story& story) { return story.came_ns + limits::scheduler_steady_s * second_ns; }

  static order_ptr say(const model::scheduler_state& scheduler, std::uint64_t since, const char* what, const model::settings& settings) {
    auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto manage = r.initManage();
      manage.setKind(schema::ObjectKind::SCHEDULER);
      manage.setVerb(schema::ManageVerb::SET);
      manage.setName(scheduler.name);
      auto change = manage.initChanges(1)[0];
      change.setName("comment");
      change.setValue(what);
    });
    return make_order({.cause = since,
                       .target = std::string(what) + " of " + scheduler.name,
                       .what = manage_object{std::move(request), {"root", settings.host_name, schema::Role::SERVER}},
                       .given = order::repeat::until_accepted});
  }

  scheduler_table table_;
  std::map<std::uint64_t, story> stories_;  // by the scheduler's stream
};

}  // namespace

std::unique_ptr<reaction> scheduler_comments() { return std::make_unique<comments>(); }

}  // namespace annals::reactions
