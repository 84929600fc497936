// What the jobs of a simulated world are submitted with.
#pragma once

#include <string>
#include <vector>

namespace annals::sim {

class world;

struct asked_value {
  const char* name;
  const char* resource;  // empty: an attribute of its own
  std::string value;
};

// Nothing: one cpu. Else several chunks, of which each is on a host of its own unless jobs of this world are reduced.
std::vector<asked_value> drawn_words(world& w);

}  // namespace annals::sim
