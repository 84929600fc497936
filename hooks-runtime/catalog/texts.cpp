#include "hooks-runtime/catalog/texts.hpp"

namespace annals::hooks {
namespace {
std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }
}  // namespace

std::string told_exception(std::string_view hook) {
  return "request rejected as filter hook " + quoted(hook) + " encountered an exception. Please inform Admin";
}

std::string told_alarm(std::string_view hook) {
  return "request rejected as filter hook " + quoted(hook) + " got an alarm call. Please inform Admin";
}

std::string logged_reject(const hook_event& event, std::string_view hook) {
  return std::string(event.name) + " request rejected by " + quoted(hook);
}

std::string logged_exception(const hook_event& event, std::string_view hook) {
  return std::string(event.name) + " hook " + quoted(hook) + " encountered an exception, request rejected";
}

std::string logged_alarm(const hook_event& event, std::string_view hook) {
  return "alarm call while running " + std::string(event.name) + " hook " + quoted(hook) + ", request rejected";
}

std::string logged_change(std::string_view hook, std::string_view attribute, std::string_view resource, std::string_view value) {
  auto line = quoted(hook) + " hook set job's " + std::string(attribute);
  if (!resource.empty()) line.append(".").append(resource);
  return line.append(" = ").append(value);
}

std::string held_comment(std::string_view hook, std::string_view date) {
  return "Job held by " + quoted(hook) + " hook on " + std::string(date);
}

std::string offlined_comment(std::string_view hook) {
  return "offlined by hook " + quoted(hook) + " due to hook error";
}

const char* const launch_may_only_set =
    "Can only set progname, argv, env event parameters as well as job, resource, vnode under execjob_launch hook.";

}  // namespace annals::hooks
