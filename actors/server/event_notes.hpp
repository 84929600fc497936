// The server's log lines that follow from events: one place, so that a line is written when the fact is on disk and never
// otherwise. Source: pbs guide, "logs".
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "actors/runtime/daemon_log.hpp"
#include "events/log/record.hpp"

namespace annals::actors {

class event_notes {
 public:
  explicit event_notes(daemon_log& to) : to_(to) {}
  void learn(const log::record& record);      // at replay: ids only, no lines
  void note(const std::vector<log::record_ptr>& records);     // their lines, in one write

 private:
  void note_one(const log::record& record);
  void note_job(const std::string& id, const std::string& by, schema::Event::Reader event);
  void note_object(const char* cls, const std::string& name, const std::string& by, schema::Event::Reader event);
  void note_changes(const char* cls, const std::string& name, const std::string& by,
                    capnp::List<schema::Attribute>::Reader changes);

  daemon_log& to_;
  std::unordered_map<std::uint64_t, std::string> names_;     // of jobs, queues, hosts and schedulers, by serial
};

}  // namespace annals::actors
