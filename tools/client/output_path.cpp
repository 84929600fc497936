#include "tools/client/output_path.hpp"

#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/client/directives.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

namespace {

bool is_directory(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

bool is_this_host(const std::string& host, const pbs_conf& conf) {
  return host == "localhost" || host == conf.pbs_leaf_name || short_server_name(host) == this_host();
}

// A private cluster's hosts have names that no resolver knows; annals.conf says which file lists them.
bool is_in_hosts_file(const std::string& host, const pbs_conf& conf) {
  std::FILE* file = std::fopen(read_annals_conf(conf.pbs_home).get("hosts_file").c_str(), "re");
  if (file == nullptr) return false;
  char line[1024];
  bool found = false;
  while (!found && std::fgets(line, sizeof line, file) != nullptr) {
    const auto words = split_words(std::string_view(line, std::strcspn(line, "#\n")));
    found = words.size() > 1 && std::find(words.begin() + 1, words.end(), host) != words.end();
  }
  std::fclose(file);
  return found;
}

bool host_is_known(const std::string& host) {
  const pbs_conf conf = read_pbs_conf();
  if (is_this_host(host, conf) || is_in_hosts_file(host, conf)) return true;
  addrinfo* found = nullptr;
  const int rc = getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (found != nullptr) freeaddrinfo(found);
  return rc == 0;
}

}  // namespace

std::string working_directory() {
  struct stat here, there;
  const char* pwd = std::getenv("PWD");
  if (pwd != nullptr && pwd[0] == '/' && stat(pwd, &there) == 0 && stat(".", &here) == 0 &&
      there.st_ino == here.st_ino && there.st_dev == here.st_dev) {
    return pwd;
  }
  char path[PATH_MAX];
  return getcwd(path, sizeof path) != nullptr ? path : "/";
}

path_facts real_path_facts() {
  const pbs_conf conf = read_pbs_conf();
  std::string host = conf.pbs_output_host_name;
  if (host.empty()) host = conf.pbs_leaf_name;
  if (host.empty()) host = this_host();
  return {host, working_directory(), is_directory, host_is_known};
}

std::optional<std::string> full_output_path(std::string_view text, const path_facts& facts) {
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && colon < text.find('/')) {
    const std::string host(text.substr(0, colon));
    const std::string_view path = text.substr(colon + 1);
    if (path.empty()) return std::nullopt;
    if (!host.empty() && !facts.host_is_known(host)) return std::nullopt;
    return (host.empty() ? facts.host : host) + ":" + std::string(path);
  }
  if (text.empty()) return std::nullopt;
  std::string path(text);
  if (path.front() != '/') path = (facts.working_directory == "/" ? "" : facts.working_directory) + "/" + path;
  if (path.back() != '/' && facts.is_directory(path)) path += '/';
  return facts.host + ":" + path;
}

}  // namespace annals::client
