#include "actors/mom/host/cgroup_mounts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "actors/mom/host/cgroup_files.hpp"
#include "actors/mom/host/job_cgroup.hpp"

namespace annals::mom {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Blanks and backslashes in a path are written as three octal digits: "\040".
std::string without_octal_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t n) {
      return i + n < text.size() && text[i + n] >= '0' && text[i + n] <= '7' ? text[i + n] - '0' : -1;
    };
    if (text[i] == '\\' && digit(1) >= 0 && digit(1) < 4 && digit(2) >= 0 && digit(3) >= 0) {
      out += static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "36 35 0:33 / /sys/fs/cgroup/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct"
std::vector<cgroup_mount> parse_line(std::string_view line) {
  const auto dash = line.find(" - ");
  if (dash == std::string_view::npos) return {};
  const auto before = split(line.substr(0, dash), ' '), after = split(line.substr(dash + 3), ' ');
  if (before.size() < 6 || after.size() < 3 || (after[0] != "cgroup" && after[0] != "cgroup2")) return {};
  cgroup_mount m;
  m.path = without_octal_escapes(before[4]);
  m.v2 = after[0] == "cgroup2";
  const auto options = split(after[2], ',');
  m.writable = !has(split(before[5], ','), "ro") && !has(options, "ro");
  if (!m.v2)
    for (const auto option : options)
      if (option != "rw" && option != "ro") m.controllers.emplace_back(option);
  if (m.path.empty() || m.path.front() != '/') return {};
  return {m};
}

}  // namespace

std::vector<cgroup_mount> parse_mountinfo(std::string_view text) {
  std::vector<cgroup_mount> mounts;
  for (const auto line : split(text, '\n'))
    for (auto& m : parse_line(line)) mounts.push_back(std::move(m));
  return mounts;
}

std::vector<cgroup_root> choose_roots(const std::vector<cgroup_mount>& mounts) {
  std::vector<cgroup_root> roots;
  cgroup_root have;  // what one of the roots does already
  const auto take = [&](const cgroup_mount& m) {
    cgroup_root root{m.path, m.v2};
    const auto offers = [&](const char* name) {
      return std::find(m.controllers.begin(), m.controllers.end(), name) != m.controllers.end();
    };
    root.memory = !have.memory && offers("memory");
    root.cpu = !have.cpu && offers("cpu");
    root.cpuacct = !have.v2 && !have.cpuacct && offers("cpuacct");
    root.freezer = !have.v2 && !have.freezer && offers("freezer");
    if (!root.v2 && !root.memory && !root.cpu && !root.cpuacct && !root.freezer) return;
    have = {{},
            have.v2 || root.v2,
            have.memory || root.memory,
            have.cpu || root.cpu,
            have.cpuacct || root.cpuacct,
            have.freezer || root.freezer};
    roots.push_back(std::move(root));
  };
  for (const auto& m : mounts)
    if (m.v2 && m.writable && !have.v2) take(m);
  for (const auto& m : mounts)
    if (!m.v2 && m.writable) take(m);
  return roots;
}

cgroup_offer find_cgroups(const std::string& mountinfo_file, const std::string& parent) {
  cgroup_offer offer;
  if (geteuid() != 0) {
    offer.text = "no cgroups: not root";
    return offer;
  }
  auto mounts = parse_mountinfo(cgroup_files::read(mountinfo_file).value_or(""));
  std::vector<cgroup_mount> usable;
  std::string wrong;
  for (auto& m : mounts) {
    if (m.v2) {
      const auto listed = cgroup_files::read(m.path + "/cgroup.controllers").value_or("");  // split() returns views of it
      for (const auto line : split(listed, '\n'))
        for (const auto name : split(line, ' ')) m.controllers.emplace_back(name);
    }
    if (choose_roots({m}).empty()) continue;
    const job_cgroup trial({print_root(choose_roots({m}).front())}, parent, "trial." + std::to_string(getpid()));
    const auto text = trial.make({});
    if (text.empty()) usable.push_back(std::move(m));
    else if (wrong.empty()) wrong = text;
    trial.remove();
  }
  for (const auto& root : choose_roots(usable)) offer.roots.push_back(print_root(root));
  offer.text = offer.roots.empty() ? "no cgroups" : "cgroups";
  for (const auto& root : offer.roots) offer.text += (root == offer.roots.front() ? ": " : "; ") + root;
  if (!wrong.empty()) offer.text += "; not " + wrong;
  return offer;
}

}  // namespace annals::mom
