#include "tools/daemons/mom_report.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>
#include <vector>

namespace annals::daemons {

namespace {
std::string memory_kb() {
  std::ifstream in("/proc/meminfo");
  std::string word, value;
  while (in >> word)
    if (word == "MemTotal:" && in >> value) return value + "kb";
  return "0kb";
}
}  // namespace

void describe_host(const std::string& name, schema::MomHello::Builder hello) {
  const auto cpus = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  const std::vector<std::array<std::string, 3>> found = {
      {"pcpus", "", cpus},
      {"resources_available", "arch", "linux"},
      {"resources_available", "host", name.substr(0, name.find('.'))},
      {"resources_available", "mem", memory_kb()},
      {"resources_available", "ncpus", cpus},
      {"resources_available", "vnode", name},
  };
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
