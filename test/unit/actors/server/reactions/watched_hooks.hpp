// A reaction that is about hooks, with hooks to make and change.
#pragma once

#include <string>

#include "events/model/hook/hook.hpp"
#include "test/unit/actors/server/reactions/watched.hpp"

namespace annals::test {

template <auto Make>
struct watched_hooks : watched<Make> {
  std::uint64_t hook(const std::string& name, const std::string& events) {
    const auto stream = this->write(0, model::make_event([&](auto e) { e.initHook().initCreated().setName(name); }));
    set_hook(stream, "event", events);
    this->write(stream, model::make_event([](auto e) {
                  auto i = e.initHook().initImported();
                  i.setContentType(std::string(model::python_content));
                  i.initContent().setHash({reinterpret_cast<const kj::byte*>("h"), 1});
                }));
    return stream;
  }
  void set_hook(std::uint64_t hook, const std::string& name, const std::string& value) {
    this->write(hook, model::make_event([&](auto e) {
                  auto c = e.initHook().initChanged().initChanges(1)[0];
                  c.setName(name);
                  c.setValue(value);
                }));
  }
  void delete_hook(std::uint64_t hook) {
    this->write(hook, model::make_event([](auto e) { e.initHook().initDeleted().setName("any"); }));
  }
  // It has run, because of this record.
  void ran(std::uint64_t hook, const std::string& subject, std::uint64_t cause, std::int64_t seconds = 0) {
    std::vector<model::event> events;
    events.push_back(model::make_event([&](auto e) {
      auto r = e.initHook().initRan();
      r.setSubject(subject);
      r.initRun().setDurationUs(static_cast<std::uint64_t>(seconds) * 1'000'000);
    }));
    watched<Make>::base::write(hook, std::move(events), cause);
  }
};

}  // namespace annals::test
