#include "tools/daemons/mom_report.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "events/model/host/sockets.hpp"

namespace annals::daemons {

namespace {
std::string memory_kb() {
  std::ifstream in("/proc/meminfo");
  std::string word, value;
  while (in >> word)
    if (word == "MemTotal:" && in >> value) return value + "kb";
  return "0kb";
}

// By the numbers that the kernel gives to the packages of the processors; nothing: it gives none.
std::string sockets() {
  std::set<long> packages;
  std::error_code nothing_there;
  for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", nothing_there)) {
    std::ifstream in(cpu.path() / "topology" / "physical_package_id");
    if (long package = 0; in >> package && package >= 0) packages.insert(package);
  }
  return packages.empty() ? "" : std::to_string(packages.size());
}
}  // namespace

void describe_host(const std::string& name, schema::MomHello::Builder hello) {
  const auto cpus = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::array<std::string, 3>> found = {
      {"pcpus", "", cpus},
      {"resources_available", "arch", "linux"},
      {"resources_available", "host", name.substr(0, name.find('.'))},
      {"resources_available", "mem", memory_kb()},
      {"resources_available", "ncpus", cpus},
      {"resources_available", "vnode", name},
  };
  if (const auto count = sockets(); !count.empty()) found.push_back({model::sockets_report, "", count});
  auto vnode = hello.initVnodes(1)[0];
  vnode.setName(name);
  auto list = vnode.initAttributes(static_cast<unsigned>(found.size()));
  for (unsigned i = 0; i < found.size(); ++i) {
    list[i].setName(found[i][0]);
    list[i].setResource(found[i][1]);
    list[i].setValue(found[i][2]);
  }
}

}  // namespace annals::daemons
