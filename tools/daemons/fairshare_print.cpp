#include "tools/daemons/fairshare_print.hpp"

#include <cmath>
#include <cstdio>
#include <ctime>

#include "events/schema/message.hpp"

namespace annals::fairshare_print {

using cycle::share_index;
using cycle::share_tree;

namespace {

template <class... Parts>
std::string text(const char* format, Parts... parts) {
  char line[512];
  const int size = std::snprintf(line, sizeof line, format, parts...);
  if (size < 0) return {};
  if (static_cast<std::size_t>(size) < sizeof line) return line;
  std::string longer(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(longer.data(), longer.size(), format, parts...);
  longer.pop_back();
  return longer;
}

// Root and the groups and entities below it are told with the id of the vertex above; the root with -1.
long long id_above(const share_tree& t, share_index v) {
  const auto parent = t.vertices()[v].parent;
  return parent == cycle::no_share ? -1 : t.vertices()[parent].id;
}

// PBS says -1 where there is no share.
double ratio(const standing& s, share_index v) {
  const auto r = s.usage.ratio(v);
  return std::isfinite(r) ? r : -1;
}

void add_row(std::string& out, const standing& s, share_index v) {
  const auto& vertex = s.tree.vertices()[v];
  out += text("%-10s: Grp: %-5lld  cgrp: %-5lldShares: %-6lld Usage: %-6.0f Perc: %6.3f%%\n", vertex.name.c_str(), id_above(s.tree, v),
              static_cast<long long>(vertex.id), static_cast<long long>(vertex.shares), s.usage.usage(v),
              static_cast<double>(vertex.percentage * 100));
  for (const auto child : vertex.children) add_row(out, s, child);
}

void add_branch(std::string& out, const standing& s, share_index v) {
  const auto& vertex = s.tree.vertices()[v];
  out += text("%*s%s(%lld)\n", vertex.depth == 0 ? 1 : vertex.depth * 5, " ", vertex.name.c_str(), static_cast<long long>(vertex.id));
  for (const auto child : vertex.children) add_branch(out, s, child);
}

std::string way_line(const standing& s, share_index v) {
  const auto& vertex = s.tree.vertices()[v];
  return text("%-10s: %5lld %10.0f / %5.3f = %.0f\n", vertex.name.c_str(), static_cast<long long>(vertex.id), s.usage.usage(v),
              static_cast<double>(vertex.percentage), ratio(s, v));
}

std::string moment(std::int64_t wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  std::tm local{};
  localtime_r(&seconds, &local);
  char out[32];
  std::strftime(out, sizeof out, "%Y-%m-%d %H:%M:%S", &local);
  return out;
}

}  // namespace

standing standing_of(share_tree tree, capnp::List<schema::FairshareUsage>::Reader usages) {
  std::vector<std::pair<share_index, double>> places;
  for (auto u : usages) {
    const auto leaf = tree.leaf(schema::text(u.getEntity()));
    places.emplace_back(leaf, u.getUsage());
  }
  // One that has the name of a group is an entity of its own, as in a cycle.
  for (unsigned i = 0; i < usages.size(); ++i)
    if (places[i].first == cycle::no_share) places[i].first = tree.add_unknown(schema::str(usages[i].getEntity()));
  tree.finish();
  std::vector<double> used(tree.vertices().size(), 1);
  for (const auto& [leaf, usage] : places) used[leaf] = usage;
  return standing(std::move(tree), std::move(used));
}

std::string table(const standing& s, std::string_view units) {
  std::string out = "Fairshare usage units are in: " + std::string(units) + "\n";
  add_row(out, s, share_tree::root);
  return out;
}

std::string tree(const standing& s) {
  std::string out;
  add_branch(out, s, share_tree::root);
  return out;
}

std::string details(const standing& s, share_index v, std::string_view units) {
  const auto& vertex = s.tree.vertices()[v];
  std::string out = "fairshare entity: " + vertex.name + "\n";
  out += text("Resgroup\t\t: %lld\ncresgroup\t\t: %lld\nShares\t\t\t: %lld\n", id_above(s.tree, v), static_cast<long long>(vertex.id),
              static_cast<long long>(vertex.shares));
  out += text("Percentage\t\t: %f%%\nfairshare_tree_usage\t: %f\n", static_cast<double>(vertex.percentage * 100), s.usage.tree_usage(v));
  out += text("usage\t\t\t: %.0f (%s)\n", s.usage.usage(v), std::string(units).c_str());
  out += text("usage/perc\t\t: %.0f\nPath from root: \n", ratio(s, v));
  if (v == share_tree::root) return out;
  std::string way;
  for (auto at = v; at != cycle::no_share; at = s.tree.vertices()[at].parent) way = way_line(s, at) + way;
  return out + way;
}

std::string why(schema::FairshareAnswer::Reader answer, std::string_view entity, std::string_view units) {
  const double usage = answer.getUsages().size() > 0 ? answer.getUsages()[0].getUsage() : 1;
  std::string out = text("%s has used %.6g (%s)", std::string(entity).c_str(), usage, std::string(units).c_str());
  out += answer.getLastDecayNs() > 0 ? "; usage decayed last at " + moment(answer.getLastDecayNs()) + "\n" : "\n";
  out += "Last                     Used      Counts  Job\n";
  for (auto j : answer.getJobs())
    out += text("%-19s  %12.6g %11.6g  %s\n", j.getLastNs() > 0 ? moment(j.getLastNs()).c_str() : "-", j.getUsed(), j.getCounts(),
                j.getJob().cStr());
  double sum = 0;
  for (auto j : answer.getJobs()) sum += j.getCounts();
  return out + text("%-19s  %12s %11.6g\n", "together", "", sum);
}

std::string complaints(const std::vector<cycle::group_complaint>& of) {
  std::string out;
  for (const auto& c : of) {
    if (c.counts) continue;
    if (!c.why.empty()) out += c.why + "\n";
    out += "resgroup: error on line " + std::to_string(c.line) + ".\n";
  }
  return out;
}

}  // namespace annals::fairshare_print
