// What pbsfs prints, to the byte as PBS prints it (pbs guide: pbsfs). Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/share_tree.hpp"
#include "events/schema/client.capnp.h"

namespace annals::fairshare_print {

// The tree of resource_group with all entities that have a usage, those that do not stand in it below `unknown`; and the usages.
struct standing {
  standing(cycle::share_tree of, std::vector<double> used) : tree(std::move(of)), usage(tree, std::move(used)) {}
  standing(const standing&) = delete;  // `usage` refers to `tree`
  cycle::share_tree tree;
  cycle::share_usage usage;
};
standing standing_of(cycle::share_tree tree, capnp::List<schema::FairshareUsage>::Reader usages);

std::string table(const standing& s, std::string_view units);                                              // pbsfs, pbsfs -p
std::string tree(const standing& s);                                                                       // -t
std::string details(const standing& s, cycle::share_index v, std::string_view units);                      // -g
std::string why(schema::FairshareAnswer::Reader answer, std::string_view entity, std::string_view units);  // --why
// "entity a is not unique" and "resgroup: error on line 2."; as in PBS, nothing of lines that count.
std::string complaints(const std::vector<cycle::group_complaint>& of);

}  // namespace annals::fairshare_print
