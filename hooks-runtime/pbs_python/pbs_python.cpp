// pbs_python: Python with the pbs module, outside any daemon and without a sandbox, with the rights of whoever calls
// it.
//   pbs_python [options] [-c command | -m module | script | -] [args]      Python, as python3 is
//   pbs_python --hook -i request [-o reply] [-s site] [-c configuration] script   runs a hook on a recorded event
#include <getopt.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "hooks-runtime/pbs_module/script.hpp"
#include "hooks-runtime/pbs_python/release.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"
#include "hooks-runtime/protocol/log_levels.hpp"
#include "hooks-runtime/protocol/message_file.hpp"
#include "tools/client/version.hpp"

using namespace annals;
using namespace annals::hooks;

namespace {

constexpr int usage_error = 2;
constexpr const char* usage =
    "usage: pbs_python [options of python3] [-c command | -m module | script | -] [args]\n"
    "       pbs_python --hook -i request [-o reply] [-s site] [-c configuration] script\n"
    "       pbs_python --help | --version\n";

struct options {
  std::string input, output, site, configuration, script;
};

// Reads the options behind --hook.
std::optional<options> parse(int argc, char** argv) {
  options out;
  for (int c = 0; (c = ::getopt(argc, argv, "+i:o:s:c:")) != -1;) switch (c) {
      case 'i':
        out.input = optarg;
        break;
      case 'o':
        out.output = optarg;
        break;
      case 's':
        out.site = optarg;
        break;
      case 'c':
        out.configuration = optarg;
        break;
      default:
        return std::nullopt;
    }
  if (optind + 1 != argc || out.input.empty()) return std::nullopt;
  out.script = argv[optind];
  return out;
}

// -- answers without a server -----------------------------------------------------------------------------------------

using objects = capnp::List<protocol::Object>::Reader;

bool is_in_queue(protocol::Object::Reader job, std::string_view queue) {
  for (const auto a : job.getAttributes())
    if (schema::text(a.getName()) == "queue" && schema::text(a.getValue()) == queue) return true;
  return false;
}

void answer_names(const std::vector<std::string>& names, protocol::Answer::Builder answer) {
  auto list = answer.initNames(static_cast<unsigned>(names.size()));
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, names[i]);
}

// The job that is asked about: the event's own, as the script sees it, before one that the site has.
void answer_release(protocol::ReleaseNodes::Reader asked, objects known, run_state& run, protocol::Answer::Builder to) {
  const auto log = [&](std::uint32_t level, const std::string& line) { run.log(level, schema::str(asked.getJob()), line); };
  const auto answer_of = [&](protocol::Object::Reader o) {
    const bool is_it = o.getKind() == protocol::ObjectKind::JOB && o.getName() == asked.getJob();
    if (is_it) hooks::answer_release(asked, o, run.request(), log, to);
    return is_it;
  };
  for (const auto p : run.request().getParameters())
    if (p.isObject() && answer_of(p.getObject())) return;
  for (const auto o : known)
    if (answer_of(o)) return;
  to.setNone();
}

void answer(protocol::Question::Reader question, objects known, run_state& run, protocol::Answer::Builder to) {
  std::vector<std::string> names;
  switch (question.which()) {
    case protocol::Question::OBJECT:
      for (const auto o : known)
        if (o.getKind() == question.getObject().getKind() &&
            (question.getObject().getName().size() == 0 || o.getName() == question.getObject().getName()))
          return to.setObject(o);
      break;
    case protocol::Question::NAMES:
      for (const auto o : known)
        if (o.getKind() == question.getNames()) names.push_back(schema::str(o.getName()));
      return answer_names(names, to);
    case protocol::Question::JOBS_OF:
      for (const auto o : known)
        if (o.getKind() == protocol::ObjectKind::JOB && is_in_queue(o, schema::text(question.getJobsOf())))
          names.push_back(schema::str(o.getName()));
      return answer_names(names, to);
    case protocol::Question::RELEASE_NODES:
      return answer_release(question.getReleaseNodes(), known, run, to);
  }
  to.setNone();
}

// -- the two ways to run ----------------------------------------------------------------------------------------------

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  const std::string full = name;
  return full.substr(0, full.find('.'));
}

int run_hook(const options& o) {
  const auto request = read_message<protocol::Request>(o.input);
  const auto site =
      o.site.empty() ? schema::make<protocol::SiteData>([](auto) {}) : read_message<protocol::SiteData>(o.site);
  if (!find_event(request.get().getEvent())) throw file_trouble{o.input + ": its \"event\" is none of a hook's"};
  const std::string source = file_contents(o.script);
  hook_home home;
  home.hook_name = schema::str(request.get().getHookName());
  home.local_node = host_name();
  home.configuration_file = o.configuration;
  run_state run(home, request.get(), [&](const schema::sealed<protocol::Question>& question) {
    return schema::make<protocol::Answer>(
        [&](protocol::Answer::Builder a) { answer(question.get(), site.get().getObjects(), run, a); });
  });
  set_environment("PBS_HOOK_CONFIG_FILE", o.configuration);
  script hook;
  if (const std::string trouble = hook.compile(source, o.script); !trouble.empty()) {
    std::cerr << trouble;
    return EXIT_FAILURE;
  }
  hook.run(run);
  const auto reply = schema::make<protocol::Reply>([&](protocol::Reply::Builder b) { run.write(b); });
  const std::string text = json_of<protocol::Reply>(reply.get()) + "\n";
  if (o.output.empty())
    std::cout << text << std::flush;
  else if (!(std::ofstream(o.output, std::ios::binary) << text << std::flush))
    throw file_trouble{o.output + " - cannot be written"};
  return reply.get().getVerdict() == protocol::Verdict::ERROR ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--help") {
    std::cout << usage;
    return EXIT_SUCCESS;
  }
  if (first == "--version") {
    std::cout << client::version_line() << "\n";
    return EXIT_SUCCESS;
  }
  if (first != "--hook") return run_interpreter(argc, argv, host_name());
  const auto o = parse(argc - 1, argv + 1);
  if (!o) {
    std::cerr << usage;
    return usage_error;
  }
  if (!start_python(true)) {
    std::cerr << "pbs_python: Python does not start\n";
    return EXIT_FAILURE;
  }
  try {
    return run_hook(*o);
  } catch (const file_trouble& t) {
    std::cerr << "pbs_python: " << t.why << "\n";
    return EXIT_FAILURE;
  }
}
