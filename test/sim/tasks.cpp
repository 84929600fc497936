#include "test/sim/tasks.hpp"

#include <algorithm>
#include <csignal>

#include "actors/mom/mom_actor.hpp"
#include "actors/mom/tasks/attached.hpp"

namespace annals::sim {

std::vector<std::string> lines_of_task(const values::task_key& key, bool errors) {
  std::vector<std::string> lines;
  for (int n = 0; n < 4; ++n) lines.push_back(print(key) + (errors ? " err " : " out ") + std::to_string(n));
  return lines;
}

void keep_lines(host_machine& machine, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    machine.lines.emplace(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

caf::behavior task_user(caf::event_based_actor* self, caf::actor mom, host_machine* machine) {
  auto next = std::make_shared<std::uint64_t>(0);
  auto job = std::make_shared<std::map<std::uint64_t, caf::actor>>();  // by question
  return {
      [=](const std::string& id, const std::string& cookie) { self->send(mom, actors::find_job{{self, ++*next}, id, cookie}); },
      [=](const actors::job_found& found) {
        if (!found.actor) return;
        std::uint32_t node = 0;
        for (const auto& host : found.nodes) {
          (*job)[++*next] = found.actor;
          self->send(found.actor, actors::ask_spawn{{self, *next}, host, node, {"task"}, {"A=b"}, node % 2 == 0});
          ++node;
        }
        if (found.nodes.empty()) return;
        const auto session = static_cast<std::int64_t>(++*next);
        (*job)[*next] = found.actor;
        self->send(found.actor,
                   actors::ask_spawn{{self, *next}, found.nodes.front(), 0, {}, {actors::print_attached({session, session, 1})}, false});
      },
      [=](const actors::task_output& o) {
        keep_lines(*machine, o.bytes);
        self->send(job->at(o.question), actors::task_output_taken{o.task, o.errors, o.offset + o.bytes.size()});
      },
      [=](const actors::task_answer& a) {
        const auto at = job->find(a.question);
        if (at == job->end() || a.what != actors::task_answer::kind::spawned) return;
        const auto actor = at->second;
        self->send(actor, actors::ask_end{{self, ++*next}, a.task});
        self->send(actor, actors::ask_tasks{{self, ++*next}});
        if (a.task % 3 == 0) self->send(actor, actors::ask_signal{{self, ++*next}, a.task, SIGTERM});
      },
  };
}

}  // namespace annals::sim
