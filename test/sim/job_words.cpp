#include "test/sim/job_words.hpp"

#include <algorithm>

#include "test/sim/world.hpp"

namespace annals::sim {

namespace {

std::string chunks_text(std::uint64_t count) { return std::to_string(count) + ":ncpus=1"; }

const char* drawn_tolerance(world& w) {
  if (w.o.tolerant == 0 || !w.chance(w.o.tolerant)) return "none";
  return w.random() % 2 ? "all" : "job_start";
}

// With some chunks on the same host, and spare ones.
std::vector<asked_value> words_of_reduced(world& w, const char* bears) {
  const bool scatter = w.random() % 2;
  const auto hosts = static_cast<std::uint64_t>(w.o.moms);
  const auto room = scatter ? hosts : 2 * hosts;  // a host has two cpus
  const bool has_spares = w.chance(w.o.spares);
  const auto chunks = std::min(2 + w.random() % 3, has_spares ? room - 1 : room);
  std::vector<asked_value> words{{"Resource_List", "select", chunks_text(chunks)},
                                 {"Resource_List", "place", scatter ? "scatter" : "free"}};
  if (has_spares) words.push_back({"Resource_List", "rjselect", chunks_text(chunks + 1 + w.random() % (room - chunks))});
  if (!has_spares || w.random() % 2) words.push_back({"tolerate_node_failures", "", bears});
  return words;
}

}  // namespace

std::vector<asked_value> drawn_words(world& w) {
  if (w.o.start.hosts > 0) return words_of(w.o.start);
  const auto hosts = w.chance(w.o.wide) ? 2 + w.random() % 2 : 1;
  const char* bears = drawn_tolerance(w);
  if (hosts == 1) return {};
  if (w.o.reduces()) return words_of_reduced(w, bears);
  return {{"Resource_List", "select", chunks_text(hosts)}, {"Resource_List", "place", "scatter"}, {"tolerate_node_failures", "", bears}};
}

}  // namespace annals::sim
