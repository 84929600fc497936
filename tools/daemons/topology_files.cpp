#include "tools/daemons/topology_files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace annals::daemons {

std::string keep_sockets(const std::string& directory, const std::string& host, std::optional<unsigned> sockets) {
  const auto path = directory + "/" + host, fresh = path + ".new";
  const auto failed = [&] { return path + ": " + std::strerror(errno); };
  if (!sockets) return std::remove(path.c_str()) == 0 || errno == ENOENT ? "" : failed();
  const auto text = std::to_string(*sockets) + "\n";
  std::ifstream old(path);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return {};
  ::mkdir(directory.c_str(), 0700);
  std::ofstream out(fresh);
  out << text << std::flush;
  if (!out || ::chmod(fresh.c_str(), 0400) != 0 || std::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace annals::daemons
