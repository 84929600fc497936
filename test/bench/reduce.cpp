// What it takes to find which vnodes a large run keeps: chunks of ten vnodes, a tenth of the vnodes failed, one chunk in ten to
// spare, and half of its vnodes enough for a chunk. Of one size; of three sizes; of a hundred; and each of a size of its own.
// Processor time of the thread. Usage: bench_reduce [CHUNKS VNODES_EACH]. Figures: docs/performance.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "events/model/vnodes/reduce.hpp"

using namespace annals;

namespace {

struct run_case {
  model::allocation has;
  values::select_spec keep;
  model::unusable failed;
};

// Sizes are cpus of a chunk's vnodes: every tenth chunk is a spare one.
run_case make(unsigned chunks, unsigned each, unsigned sizes) {
  std::mt19937 random(7);
  std::string exec_vnode, exec_host, keep;
  std::vector<std::string> hosts;
  model::unusable failed;
  for (unsigned c = 0; c < chunks; ++c) {
    const auto host = "node" + std::to_string(c);
    const auto cpus = std::to_string(c * sizes / chunks + 1);
    hosts.push_back(host);
    exec_vnode += c > 0 ? "+(" : "(";
    for (unsigned v = 0; v < each; ++v) {
      const auto vnode = host + "[" + std::to_string(v) + "]";
      exec_vnode += (v > 0 ? "+" : "") + vnode + ":ncpus=" + cpus + ":mem=1048576kb";
      if (c > 0 && random() % 10 == 0) failed.vnodes.push_back(vnode);
    }
    exec_vnode += ")";
    exec_host += (c > 0 ? "+" : "") + host + "/0*0";
  }
  for (unsigned s = 0; s < sizes; ++s) {
    const auto cpus = (s + 1) * (each / 2 + each % 2);
    const auto count = (chunks * (s + 1) / sizes - chunks * s / sizes) * 9 / 10;
    if (count + (sizes == chunks) == 0) continue;
    keep += (keep.empty() ? "" : "+") + std::to_string(std::max(count, 1u)) + ":ncpus=" + std::to_string(cpus) + ":mem=1gb";
    if (sizes == chunks && s + 1 >= chunks * 9 / 10) break;
  }
  return {{exec_vnode, exec_host, hosts, "scatter"}, *values::parse_select(keep), failed};
}

double milliseconds_now() {  // of processor time of this thread
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

void measure(const char* what, unsigned chunks, unsigned each, unsigned sizes) {
  const auto c = make(chunks, each, sizes);
  std::vector<double> all;
  std::size_t left = 0;
  for (int round = 0; round < (sizes == chunks ? 3 : 21); ++round) {
    const auto began = milliseconds_now();
    const auto r = model::reduce(c.has, c.keep, c.failed);
    all.push_back(milliseconds_now() - began);
    left = r ? r->satisfies.size() : 0;
  }
  std::sort(all.begin(), all.end());
  std::printf("%6u vnodes in %u chunks, %-14s %5zu chunks kept, %6zu vnodes failed: %8.2f ms least %8.2f median %8.2f most\n",
              chunks * each, chunks, what, left, c.failed.vnodes.size(), all.front(), all[all.size() / 2], all.back());
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned chunks = argc == 3 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1000;
  const unsigned each = argc == 3 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 10;
  measure("one size:", chunks, each, 1);
  measure("three sizes:", chunks, each, 3);
  measure("100 sizes:", chunks, each, std::min(chunks, 100u));
  measure("all different:", chunks, each, chunks);
}
