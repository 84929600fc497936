// The resources of a run that can be counted, and how much of each its vnodes have and a chunk of a select asks: what is used up on
// vnodes, as the catalogue says; and numbers of an exec_vnode that it does not know, since a MoM does not know every custom one.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/resources.hpp"
#include "events/values/select.hpp"

namespace annals::model {

class counted_resources {
 public:
  // `vnodes`: what an exec_vnode has of vnodes, "ncpus=2:mem=1gb", each once.
  counted_resources(const std::vector<std::string_view>& vnodes, const values::select_spec& asked, attributes::resource_catalogue known);

  struct demand {
    std::vector<std::int64_t> amounts;
    std::vector<bool> named;  // ncpus=0 asks something, too
    bool asks_any() const { return std::find(named.begin(), named.end(), true) != named.end(); }
    auto operator<=>(const demand&) const = default;
  };
  demand asked_by(const values::select_chunk& chunk) const;
  std::vector<std::int64_t> of_vnode(std::string_view resources) const;
  bool counts(std::string_view name) const { return place_of(name) < names_.size(); }
  const attributes::resource_catalogue& catalogue() const { return catalogue_; }  // with those it did not know

 private:
  void add(std::string_view name);
  std::size_t place_of(std::string_view name) const;  // size() of names_: it is not counted

  attributes::resource_catalogue catalogue_;
  std::vector<std::string> names_;  // ncpus, mem, then by name
};

}  // namespace annals::model
