// The reference page for hook authors, made from the catalogue.
#include <sstream>
#include <string>

#include "hooks-runtime/catalog/events.hpp"
#include "test/support/reference_page.hpp"

using namespace annals::hooks;

namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

const char* where(event_side side) {
  switch (side) {
    case event_side::server:
      return "server";
    case event_side::server_periodic:
      return "server, by the clock";
    case event_side::mom:
      return "MoM";
    case event_side::mom_periodic:
      return "MoM, by the clock";
  }
  return "";
}

const char* type_name(parameter_kind kind) {
  switch (kind) {
    case parameter_kind::job:
      return "job";
    case parameter_kind::vnode:
      return "vnode";
    case parameter_kind::reservation:
      return "resv";
    case parameter_kind::management:
      return "management";
    case parameter_kind::vnodes:
      return "dict of vnode by name";
    case parameter_kind::jobs:
      return "dict of job by id";
    case parameter_kind::reservations:
      return "dict of resv by id";
    case parameter_kind::queue:
      return "queue";
    case parameter_kind::text:
      return "str";
    case parameter_kind::number:
      return "int";
    case parameter_kind::texts:
      return "list of str";
    case parameter_kind::pairs:
      return "dict of str";
  }
  return "";
}

std::string with_commas(const char* names) {
  std::string out;
  for (const char* c = names; *c; ++c) out += *c == ' ' ? ", " : std::string(1, *c);
  return out;
}

std::string settable(const parameter& p) {
  std::string out;
  switch (p.set) {
    case may_set::nothing:
      return "nothing";
    case may_set::listed:
      out = with_commas(p.attributes);
      break;
    case may_set::what_users_may:
      out = "what its owner or a manager may set";
      if (*p.attributes) out += std::string(", and ") + p.attributes;
      break;
    case may_set::everything:
      out = "every attribute";
      break;
    case may_set::whole:
      out = "the parameter itself";
      break;
  }
  if (p.when == may_set_when::on_reject)
    out += *p.with_accept_too ? "; together with accept only " + with_commas(p.with_accept_too) : "; only together with reject";
  return out;
}

std::string fail_actions(std::uint8_t set) {
  std::string out;
  const auto add = [&](fail_action f, const char* name) {
    if (set & f) out += (out.empty() ? "" : ", ") + std::string(name);
  };
  add(offline_vnodes, "offline_vnodes");
  add(clear_vnodes_upon_recovery, "clear_vnodes_upon_recovery");
  add(scheduler_restart_cycle, "scheduler_restart_cycle");
  return out.empty() ? "none" : "none, " + out;
}

std::string page() {
  std::ostringstream out;
  out << "# Hook events\n\nMade from `hooks-runtime/catalog`; do not edit. To make it again:\n"
         "`build/test/unit/hooks-runtime/catalog/hooks_reference_page --write docs/hooks_reference.md`\n\n"
         "A script finds its input in `pbs.event()`. Everything may be read; what may be set stands below. Scripts of "
         "the\n"
         "*server* profile start no processes, have no network, do not see `PBS_HOME` and write to their scratch directory only; those of\n"
         "the *mom* profile may. The sandbox is described in [0019](design/0019-hook-workers.md).\n\n"
         "On a host `pbs.server()` asks the server and shows what any user sees. Without a link to the server it raises `RuntimeError`,\n"
         "all but `pbs.server().name`; exechost_startup waits up to 5 s for the link.\n\n"
         "On a host, a vnode of it has what the host found and exechost_startup hooks made, not what managers set, and no\n"
         "`state`, which only the server knows. In `execjob_*`, each of the job's vnodes has `resources_assigned`: what the\n"
         "job was given of it; of a vnode of another host nothing else is known.\n";
  for (const hook_event& e : hook_events()) {
    out << "\n## " << e.name << "\n\n| | |\n|---|---|\n| Runs | " << e.when << " |\n| Where | " << where(e.side)
        << " |\n| Constant | `pbs." << upper(e.name) << "`, `pbs.HOOK_EVENT_" << upper(e.name) << "`: 0x" << std::hex
        << e.bit << std::dec << " |\n| Sandbox | " << (e.sandbox == sandbox_profile::server ? "server" : "mom")
        << " |\n| Reject | " << e.reject_means << " |\n| `user` | "
        << (e.may_run_as_user ? "pbsadmin, pbsuser" : "pbsadmin") << " |\n| `fail_action` | "
        << fail_actions(e.fail_actions) << " |\n\n| Parameter | Type | May be set | What it is |\n|---|---|---|---|\n";
    for (const parameter& p : e.parameters)
      out << "| `" << p.name << "` | " << type_name(p.kind) << " | " << settable(p) << " | " << p.meaning << " |\n";
  }
  return out.str();
}

}  // namespace

int main(int argc, char** argv) { return annals::test::write_or_compare(page(), argc, argv); }
