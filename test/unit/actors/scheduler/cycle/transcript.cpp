#include "transcript.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace annals::cycle::test {

namespace {

std::string after(const std::string& line, const std::string& prefix) { return line.substr(prefix.size()); }
bool starts(const std::string& line, const std::string& prefix) { return line.rfind(prefix, 0) == 0; }

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string unquoted(std::string value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

small_cluster three_hosts() {
  small_cluster c;
  const auto add = [&](const std::string& name, const std::string& host, const char* cpus, const char* mem) {
    vnode_row v;
    v.name = name;
    v.host = host;
    v.available = {{"arch", "linux"}, {"host", host}, {"vnode", name}, {"ncpus", cpus}, {"mem", mem}};
    c.vnodes.push_back(v);
  };
  add("p1", "p1", "4", "8gb");
  add("p2", "p2", "0", "0b");
  add("p3", "p3", "0", "0b");
  for (const char* name : {"p2[0]", "p2[1]", "p2[2]"}) add(name, "p2", "2", "4gb");
  for (const char* name : {"p3[0]", "p3[1]"}) add(name, "p3", "2", "4gb");
  return c;
}

class reader {
 public:
  reader(const std::string& path, const std::string& overrides) : lines_(lines_of(path)) {
    for (const auto& line : lines_of(overrides))
      if (!line.empty() && line[0] != '#') overrides_[line.substr(0, line.find(' '))].push_back(line.substr(line.find(' ') + 1));
  }

  std::vector<placement_case> read() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_];
      if (starts(line, "## P") && std::isdigit(static_cast<unsigned char>(line[4]))) read_case();
      else if (starts(line, "root@p1$ qmgr -c '")) qmgr(line);
      else if (starts(line, "# sched_config set to shipped + ")) config_ = config_of(after(line, "# sched_config set to shipped + "));
      else if (starts(line, "# background job of pbsuser1: qsub ")) remember_background(line);
    }
    return std::move(cases_);
  }

 private:
  std::string config() const {
    std::string text = shipped_sched_config();
    for (const auto& [name, values] : config_) {
      if (name == "resources") text = std::regex_replace(text, std::regex("\nresources:[^\n]*"), "");
      if (name == "node_sort_key") text = std::regex_replace(text, std::regex("\nnode_sort_key:[^\n]*"), "");
      for (const auto& v : values) text += name + ": " + v + "\n";
    }
    return text;
  }

  // {'node_sort_key': '"ncpus LOW" ALL', 'resources': ['...', '...']}
  static std::map<std::string, std::vector<std::string>> config_of(const std::string& text) {
    std::map<std::string, std::vector<std::string>> out;
    static const std::regex entry("'([a-z_]+)': (\\[[^\\]]*\\]|'[^']*')"), value("'([^']*)'");
    for (std::sregex_iterator e(text.begin(), text.end(), entry), end; e != end; ++e) {
      const std::string values = (*e)[2];
      for (std::sregex_iterator v(values.begin(), values.end(), value); v != end; ++v) out[(*e)[1]].push_back((*v)[1]);
    }
    return out;
  }

  void qmgr(const std::string& line) {
    if (at_ + 1 < lines_.size() && starts(lines_[at_ + 1], "stderr:")) return;  // refused
    const std::string command = line.substr(18, line.rfind('\'') - 18);
    std::smatch m;
    static const std::regex create_resource("create resource (\\S+) type=(\\w+)(?:,flag=(\\w+))?");
    static const std::regex create_queue("create queue (\\w+) .*"), set_node("(un)?set node (\\S+) ([a-zA-Z_.]+)(?:=(.*))?");
    static const std::regex set_server("set server resources_available\\.(\\w+)=(.*)");
    if (std::regex_match(command, m, create_resource)) {
      cluster_.resources.push_back({m[1], m[2], m[3]});
    } else if (std::regex_match(command, m, create_queue)) {
      cluster_.queues.push_back(execution_queue(m[1]));
    } else if (std::regex_match(command, m, set_server)) {
      cluster_.server_available[m[1]] = unquoted(m[2]);
    } else if (command == "unset server resources_available") {
      cluster_.server_available.clear();
    } else if (std::regex_match(command, m, set_node)) {
      set_vnode(cluster_.vnode(m[2]), m[3], unquoted(m[4]), m[1].matched);
    }
  }

  static void set_vnode(vnode_row& v, const std::string& name, const std::string& value, bool unset) {
    const std::string available = "resources_available.";
    if (name == "state") v.state = value;
    else if (starts(name, available))
      unset ? (void)v.available.erase(after(name, available)) : (void)(v.available[after(name, available)] = value);
    else unset ? (void)v.attributes.erase(name) : (void)(v.attributes[name] = value);
  }

  // "# background job of pbsuser1: qsub -l select=1 -l rq=3 -> 1231.p1 "
  void remember_background(const std::string& line) {
    std::smatch m;
    if (!std::regex_search(line, m, std::regex("qsub (.*) -> (\\S+)"))) return;
    const std::string options = m[1], id = m[2];
    static const std::regex pool("-l (rq|rw)=(\\d+)");
    for (std::sregex_iterator r(options.begin(), options.end(), pool), end; r != end; ++r) background_[id][(*r)[1]] = (*r)[2];
  }

  void read_case() {
    placement_case c;
    c.name = lines_[at_].substr(3, lines_[at_].find(' ', 3) - 3);
    c.cluster = cluster_;
    c.sched_config = config();
    for (const auto& line : overrides_[c.name]) {
      const std::string name = line.substr(0, line.find(':'));
      c.sched_config = std::regex_replace(c.sched_config, std::regex("\n" + name + ":[^\n]*"), "");
      if (line.find(':') + 1 < line.size()) c.sched_config += line + "\n";
    }
    job_row job;
    std::string nodes;
    for (++at_; at_ < lines_.size() && !lines_[at_].empty() && lines_[at_][0] != '#' && !starts(lines_[at_], "root@"); ++at_) {
      const std::string& line = lines_[at_];
      if (starts(line, "pbsuser@p1$ ")) c.command = after(line, "pbsuser@p1$ ");
      else if (std::regex_match(line, std::regex("\\d+\\.p1"))) job.id = line, c.submitted = true;
      else if (starts(line, "  nodes: ")) nodes = after(line, "  nodes: ");
      else if (starts(line, "  sched: ")) c.log_lines.push_back(after(line, "  sched: "));
      else if (starts(line, "  ")) read_attribute(c, job, line);
    }
    --at_;
    if (c.submitted) {
      if (std::smatch m; std::regex_search(c.command, m, std::regex("-q (\\w+)"))) job.queue = m[1];
      job.serial = serial_of(job.id);
      add_background(c, job, nodes);
      c.cluster.jobs.push_back(job);
      users_[job.id] = "pbsuser";
    }
    cases_.push_back(std::move(c));
  }

  static void read_attribute(placement_case& c, job_row& job, const std::string& line) {
    const auto equals = line.find(" = ");
    if (equals == std::string::npos) return;
    const std::string name = line.substr(2, equals - 2), value = line.substr(equals + 3);
    if (name == "schedselect") job.schedselect = value;
    else if (name == "exec_vnode") c.exec_vnode = value;
    else if (name == "exec_host") c.exec_host = value;
    else if (name == "comment" && !starts(value, "Job ")) c.comment = value;
    else if (name == "Resource_List.place") job.place = value;
    else if (starts(name, "Resource_List.")) job.resources[after(name, "Resource_List.")] = value;
  }

  static std::uint64_t serial_of(const std::string& id) { return std::stoull(id); }

  // "p2[0]{job-busy jobs=1155.p1/0,1156.p1/1 an=2 am=0kb}": who else is on each vnode, with how many cpus.
  void add_background(placement_case& c, const job_row& job, const std::string& nodes) {
    static const std::regex vnode("(\\S+)\\{(\\S+) (?:jobs=(\\S+) )?an=(\\d+) am=(\\d+)kb\\}"), entry("(\\d+\\.p1)/(\\d+)");
    std::map<std::string, job_row> others;
    for (std::sregex_iterator v(nodes.begin(), nodes.end(), vnode), end; v != end; ++v) {
      const std::string name = (*v)[1], state = (*v)[2], jobs = (*v)[3];
      std::map<std::string, std::vector<int>> cpus;
      for (std::sregex_iterator e(jobs.begin(), jobs.end(), entry); e != end; ++e) cpus[(*e)[1]].push_back(std::stoi((*e)[2]));
      const bool alone = !cpus.count(job.id);
      cpus.erase(job.id);
      std::size_t used = 0;
      for (const auto& [id, slots] : cpus) {
        used += slots.size();
        auto& other = others[id];
        other.exec_vnode += (other.exec_vnode.empty() ? "(" : "+(") + name + ":ncpus=" + std::to_string(slots.size()) + ")";
        other.exec_host += (other.exec_host.empty() ? "" : "+") + c.cluster.vnode(name).host + "/" + std::to_string(slots.front());
        c.cluster.vnode(name).jobs.emplace_back(serial_of(id), state == "job-exclusive");
      }
      auto& row = c.cluster.vnode(name);
      if (cpus.empty()) continue;
      row.assigned["ncpus"] = std::to_string(used);
      if (alone) row.assigned["mem"] = (*v)[5].str() + "kb";  // else the case's own memory is in it; no case needs it
      if (state == "job-exclusive") row.state = state;
      else if (std::to_string(used) == row.available["ncpus"]) row.state = "job-busy";
    }
    for (auto& [id, other] : others) {
      other.id = id;
      other.serial = serial_of(id);
      other.state = 'R';
      other.euser = other.egroup = users_.count(id) ? "pbsuser" : "pbsuser1";
      other.resources = background_[id];
      c.cluster.jobs.push_back(other);
    }
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::map<std::string, std::vector<std::string>> overrides_, config_;
  small_cluster cluster_ = three_hosts();
  std::map<std::string, values_by_name> background_;
  std::map<std::string, std::string> users_;  // of the cases' own jobs, by id
  std::vector<placement_case> cases_;
};

}  // namespace

std::string shipped_sched_config() {
  return R"(# as shipped
round_robin: False	all
by_queue: True		prime
by_queue: True		non_prime
strict_ordering: false	ALL
backfill_prime:	false	ALL
prime_exempt_anytime_queues:	false
primetime_prefix: p_
nonprimetime_prefix: np_
node_sort_key: "sort_priority HIGH"	ALL
provision_policy: "aggressive_provision"
resources: "ncpus, mem, arch, host, vnode, aoe, eoe"
smp_cluster_dist: pack
fair_share: false	ALL
fairshare_usage_res: cput
fairshare_entity: euser
fairshare_decay_time: 24:00:00
fairshare_decay_factor: 0.5
preemptive_sched: true	ALL
dedicated_prefix: ded
)";
}

std::vector<placement_case> read_transcript(const std::string& path, const std::string& overrides) {
  return reader(path, overrides).read();
}

}  // namespace annals::cycle::test
