#include "tools/daemons/definition_command.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "actors/mom/host/definition_files.hpp"
#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/mom_setup.hpp"

namespace annals::daemons {
namespace {

constexpr client::option options[] = {
    {'d', "home", "use this directory instead of PBS_HOME"},
    {'n', "name", "name of this host's natural vnode"},
    {'s', "verb", "list, show, insert, replace or remove"},
};
constexpr client::command command = {
    "pbs_mom",
    "Usage: pbs_mom [-C chkdirectory][-d dir][-c configfile][-r|-p][-R port][-M port][-L log][-a alarm][-n nice]\n"
    "or\n"
    "pbs_mom -s insert scriptname inputfile\n"
    "pbs_mom -s [ remove | show ] scriptname\n"
    "pbs_mom -s list\n"
    "pbs_mom --version\n",
    options,
};

struct verb {
  std::string_view name;
  std::size_t words;  // after it
};
constexpr verb verbs[] = {{"list", 0}, {"show", 1}, {"remove", 1}, {"insert", 2}, {"replace", 2}};

int usage(const std::vector<std::string>& problems) {
  for (const auto& p : problems) client::print_error("%s\n", p.c_str());
  std::fputs(command.usage, stderr);
  return 1;
}

// The files belong to root, or to him for whom this MoM runs.
void check_person(const std::string& priv) {
  struct stat is {};
  if (geteuid() == 0 || (stat(priv.c_str(), &is) == 0 && is.st_uid == geteuid())) return;
  throw std::runtime_error("Must be run as root");
}

// A file is stored as it is, as PBS does it; what the MoM will not make of it is told now, and not only by its log.
void warn(const mom::definition_files& files, const std::string& name, const mom_setup& s) {
  const auto read = mom::read_all(files, s.host, {});
  const auto say = [](const std::string& text) { client::print_error("pbs_mom: warning: %s\n", text.c_str()); };
  for (const auto& why : read.failures()) say(why);
  for (const auto& w : read.without_effect)
    if (w.path == files.path(name)) say(text_of(w));
  for (const auto& d : mom::doubtful(mom::parse_vnode_definitions(files.read(name)).vnodes))
    say(files.path(name) + ", vnode " + d.vnode + ": " + d.attribute + " has no effect: " + d.why);
}

void obey(std::string_view wanted, const std::vector<std::string>& words, const mom_setup& s) {
  const mom::definition_files files(s.priv);
  if (wanted == "list") {
    for (const auto& name : files.names()) client::print_text("%s\n", name.c_str());
    return;
  }
  if (!mom::is_definition_name(words[0])) throw std::runtime_error("bad name of a vnode definition file: " + words[0]);
  if (wanted == "show") {
    const auto text = files.read(words[0]);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  if (wanted == "remove") files.remove(words[0]);
  if (wanted == "insert") files.insert(words[0], mom::read_definition_text(words[1]));
  if (wanted == "replace") files.replace(words[0], mom::read_definition_text(words[1]));
  if (wanted == "insert" || wanted == "replace") warn(files, words[0], s);
}

}  // namespace

std::optional<int> definition_command(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (std::ranges::none_of(arguments, [](const auto& a) { return a.starts_with("-s"); })) return std::nullopt;
  const auto line = client::parse_options(command, arguments);
  const auto wanted = line.find('s') ? std::string_view(*line.find('s')) : std::string_view();
  const auto* found = std::ranges::find(verbs, wanted, &verb::name);
  if (!line.problems.empty() || found == std::end(verbs) || line.words.size() != found->words) return usage(line.problems);
  try {
    const auto s = read_mom_setup(line);
    check_person(s.priv);
    check_home(s.conf, s.home, "mom_priv", "pbs_habitat mom");
    obey(wanted, line.words, s);
    return 0;
  } catch (const std::exception& e) {
    client::print_error("pbs_mom: %s\n", e.what());
    return 1;
  }
}

}  // namespace annals::daemons
