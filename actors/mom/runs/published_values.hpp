// Values that tasks of a run leave for each other, by the task and a name (tm_publish, tm_subscribe). They live as long as the primary's
// MoM. docs/design/0022-task-manager.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "actors/mom/tasks/task_messages.hpp"

namespace annals::actors {

class published_values {
 public:
  using answer_to = std::function<void(const task_origin& to, task_answer what)>;
  explicit published_values(answer_to answer) : answer_(std::move(answer)) {}

  /// Everybody who waits for the value is answered, then who publishes it: done; or failed, when the run would have more values or more
  /// bytes of them than task_limits.hpp allows.
  void publish(const task_origin& origin, std::uint32_t task, const std::string& name, std::string value);
  /// Null: it was not published.
  const std::string* find(std::uint32_t task, const std::string& name) const;
  /// The origin is answered when the value is there. Only for one that find() does not have.
  void subscribe(const task_origin& origin, std::uint32_t task, const std::string& name);
  /// A lost task publishes nothing any more: who waits for something of it is answered so.
  void fail(std::uint32_t task, const task_answer& why);
  /// Who asked is gone, or every asker of a host: nobody waits for an answer.
  void forget(const task_origin& origin);
  void forget_askers_of(const std::string& host);

 private:
  using published_name = std::pair<std::uint32_t, std::string>;

  answer_to answer_;
  std::map<published_name, std::string> published_;
  std::multimap<published_name, task_origin> subscribed_;
};

}  // namespace annals::actors
