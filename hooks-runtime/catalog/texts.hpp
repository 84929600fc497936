// PBS's words for how a hook ended. Source: pbs guide, "hooks: results".
#pragma once

#include <string>
#include <string_view>

#include "hooks-runtime/catalog/events.hpp"

namespace annals::hooks {

// What the client is told, without its own name.
std::string told_exception(
    std::string_view hook);  // "request rejected as filter hook 'h1' encountered an exception. ..."
std::string told_alarm(std::string_view hook);

// What the log says (class Hook, object the hook). The first is DEBUG3 and followed by the hook's message, the others
// DEBUG2.
std::string logged_reject(const hook_event& event, std::string_view hook);
std::string logged_exception(const hook_event& event, std::string_view hook);
std::string logged_alarm(const hook_event& event, std::string_view hook);

// Of a job that a postqueuejob hook changed: the log's line, and its comment when it is held.
std::string logged_change(std::string_view hook, std::string_view attribute, std::string_view resource, std::string_view value);
std::string held_comment(std::string_view hook, std::string_view date);

// Comment of a vnode that fail_action took offline.
std::string offlined_comment(std::string_view hook);

// RS-73: an execjob_launch hook wrote what it may not; mom log, DEBUG2.
extern const char* const launch_may_only_set;

}  // namespace annals::hooks
