#include "actors/mom/tasks/tm_requests.hpp"

#include <csignal>

#include "events/model/run/task_limits.hpp"
#include "events/schema/message.hpp"

namespace annals::actors {

namespace {

tm_wrong wrong(std::uint32_t code, std::string text) { return {code, std::move(text)}; }

// NAME=value, and no NUL in it: it becomes a line of an order.
bool is_variable(const std::string& entry) {
  const auto equals = entry.find('=');
  return equals != 0 && equals != std::string::npos && entry.find('\0') == std::string::npos;
}

tm_request spawn_of(schema::TmSpawn::Reader s) {
  tm_spawn out{s.getNode(), schema::texts(s.getArgv()), schema::texts(s.getEnvironment()), s.getOutput()};
  if (out.argv.empty() || out.argv.front().empty()) return wrong(tm_error::system, "no program is named");
  for (const auto& word : out.argv)
    if (word.find('\0') != std::string::npos) return wrong(tm_error::system, "an argument has a NUL");
  for (const auto& entry : out.environment)
    if (!is_variable(entry)) return wrong(tm_error::bad_environment, "not NAME=value: " + entry.substr(0, 100));
  return out;
}

tm_request publish_of(schema::TmPublish::Reader p) {
  tm_publish out{p.getTask(), schema::str(p.getName()),
                 std::string(reinterpret_cast<const char*>(p.getValue().begin()), p.getValue().size())};
  if (out.name.size() > limits::published_name_bytes_max)
    return wrong(tm_error::system, "a published name is longer than " + std::to_string(limits::published_name_bytes_max));
  if (out.value.size() > limits::published_value_bytes_max)
    return wrong(tm_error::system, "a published value is longer than " + std::to_string(limits::published_value_bytes_max));
  return out;
}

}  // namespace

tm_request read_tm_request(schema::TmRequest::Reader r) {
  switch (r.which()) {
    case schema::TmRequest::OPEN: return tm_open{schema::str(r.getOpen().getJob()), schema::str(r.getOpen().getCookie())};
    case schema::TmRequest::SPAWN: return spawn_of(r.getSpawn());
    case schema::TmRequest::SIGNAL:
      if (const auto s = r.getSignal(); s.getSignal() >= 0 && s.getSignal() <= SIGRTMAX) return tm_signal{s.getTask(), s.getSignal()};
      return wrong(tm_error::system, "no such signal");
    case schema::TmRequest::TASKS: return tm_tasks{};
    case schema::TmRequest::WATCH: return tm_watch{r.getWatch()};
    case schema::TmRequest::RESOURCES: return tm_resources{r.getResources()};
    case schema::TmRequest::PUBLISH: return publish_of(r.getPublish());
    case schema::TmRequest::SUBSCRIBE: return tm_subscribe{r.getSubscribe().getTask(), schema::str(r.getSubscribe().getName())};
    case schema::TmRequest::OUTPUT_TAKEN:
      return tm_output_taken{r.getOutputTaken().getTask(), r.getOutputTaken().getErrors(), r.getOutputTaken().getUpTo()};
    case schema::TmRequest::ATTACH:
      return tm_attach{schema::str(r.getAttach().getJob()), schema::str(r.getAttach().getCookie()), r.getAttach().getPid()};
  }
  return wrong(tm_error::unknown_command, "an unknown request");
}

}  // namespace annals::actors
