// A directory that follows a log of its own.
#pragma once

#include <boost/test/unit_test.hpp>

#include "actors/gateway/directory.hpp"
#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"

namespace annals::test {

struct fixed_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
};

struct followed {
  fixed_clock clock;
  log::memory_event_store store;
  log::event_log log{store, clock};
  actors::directory where;

  std::uint64_t write(std::uint64_t stream, schema::StreamKind kind, model::event event, std::uint64_t cause = 0) {
    log::append a;
    a.stream = stream;
    a.kind = kind;
    a.expected_version = log.last_version(stream);
    a.events.push_back(std::move(event));
    a.cause = cause;
    const auto staged = log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
    for (const auto& r : records) where.fold(*r);
    return std::get<log::staged>(staged).stream;
  }
  std::uint64_t hook(const std::string& name, const std::string& events) {
    const auto stream = write(0, schema::StreamKind::HOOK, model::make_event([&](auto e) { e.initHookCreated().setName(name); }));
    set(stream, "event", events);
    write(stream, schema::StreamKind::HOOK, model::make_event([](auto e) {
            auto i = e.initHookImported();
            i.setContentType(std::string(model::python_content));
            i.initContent().setHash({reinterpret_cast<const kj::byte*>("h"), 1});
          }));
    return stream;
  }
  void set(std::uint64_t hook, const std::string& name, const std::string& value) {
    write(hook, schema::StreamKind::HOOK, model::make_event([&](auto e) {
            auto c = e.initHookChanged().initChanges(1)[0];
            c.setName(name);
            c.setValue(value);
          }));
  }
  std::uint64_t job(std::uint64_t number) {
    return write(0, schema::StreamKind::JOB, model::make_event([&](auto e) {
                   e.initJobQueued().setNumber(number);
                   e.getJobQueued().setId(std::to_string(number) + ".");
                 }));
  }
  void ran(std::uint64_t hook, const std::string& subject, std::uint64_t cause) {
    write(hook, schema::StreamKind::HOOK, model::make_event([&](auto e) { e.initHookRan().setSubject(subject); }), cause);
  }
  std::string owed() const {
    std::string text;
    for (const auto& [look, event] : where.owed_looks())
      text += look.subject + " at " + event->name + " by " + where.hook_states().at(look.hook).name + "; ";
    return text;
  }
};

}  // namespace annals::test
