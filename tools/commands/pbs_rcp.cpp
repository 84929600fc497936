// pbs_rcp: copies files on this host and between hosts, with the copy programs of pbs.conf (pbs guide: pbs_rcp). For scripts of sites that
// call it; the MoM copies files of jobs itself.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tools/client/command_main.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'p', nullptr, "keep times and modes"},
    {'r', nullptr, "directories with all that is in them"},
    {'E', nullptr, "not served"},
};
constexpr command pbs_rcp = {"pbs_rcp",
                             "usage: pbs_rcp [-E] [-p] f1 f2; or: pbs_rcp [-pr] f1 ... fn directory\n"
                             "       pbs_rcp --version\n",
                             options, true};

// "host:file", "user@host:file"; a colon behind a slash is part of a name.
bool is_remote(const std::string& file) {
  const auto colon = file.find(':');
  return colon != std::string::npos && colon != 0 && colon < file.find('/');
}

void add_words(std::vector<std::string>& to, const std::string& text) {
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string::npos;) {
    const auto end = std::min(text.find_first_of(" \t", at), text.size());
    to.push_back(text.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string> copy_command(const command_line& line, const pbs_conf& conf) {
  const bool remote = std::any_of(line.words.begin(), line.words.end(), is_remote);
  std::vector<std::string> words;
  if (remote) {
    words = {conf.pbs_scp.empty() ? "scp" : conf.pbs_scp, "-Bq"};
    add_words(words, conf.pbs_scp_args);
  } else {
    words = {conf.pbs_cp.empty() ? "/bin/cp" : conf.pbs_cp};
  }
  if (line.has('p')) words.push_back("-p");
  if (line.has('r')) words.push_back("-r");
  words.push_back("--");
  words.insert(words.end(), line.words.begin(), line.words.end());
  return words;
}

int run(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)parse_options_or_exit(pbs_rcp, argc, argv);
  const command_line line = parse_options(pbs_rcp, arguments);
  for (const auto& p : line.problems) print_error("%s\n", p.c_str());
  if (line.has('E')) std::fputs("pbs_rcp: -E: not served\n", stderr);
  if (!line.problems.empty() || line.has('E') || line.words.size() < 2) {
    usage(pbs_rcp);
    return 1;
  }
  auto words = copy_command(line, read_pbs_conf());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  print_error("pbs_rcp: %s: %s\n", pointers.front(), std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return run_command("pbs_rcp", [&] { return run(argc, argv); });
}
