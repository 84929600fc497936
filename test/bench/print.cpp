// How much processor time printing 10,000 jobs costs the client, form by form: the text only, without the server's
// answer. Usage: bench_print [jobs]. Figures with the machine they were measured on: docs/performance.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "events/attributes/ids.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/job_table.hpp"
#include "tools/client/print/json.hpp"

using namespace annals::client;
namespace id = annals::attributes::job;

namespace {

struct row {
  std::string name, packed;
};

std::vector<row> make_jobs(int count) {
  std::vector<row> jobs;
  for (int i = 1; i <= count; ++i) {
    annals::attributes::attribute_set_writer w;
    const std::string number = std::to_string(i), time = std::to_string(1795216297 + i / 50);
    w.put(id::Job_Name, "job" + number);
    w.put(id::Job_Owner, "pbsuser@vm");
    w.put(id::job_state, "Q");
    w.put(id::queue, "workq");
    w.put(id::server, "vm");
    w.put(id::Checkpoint, "u");
    w.put(id::ctime, time);
    w.put(id::Error_Path, "vm:/home/pbsuser/job" + number + ".e" + number);
    for (const auto plain : {id::Hold_Types, id::Join_Path, id::Keep_Files}) w.put(plain, "n");
    w.put(id::mtime, time);
    w.put(id::Output_Path, "vm:/home/pbsuser/job" + number + ".o" + number);
    w.put(id::Priority, "0");
    w.put(id::qtime, time);
    w.put(id::Rerunable, "True");
    w.put(id::Resource_List, "mem", "100mb");
    w.put(id::Resource_List, "ncpus", "1");
    w.put(id::Resource_List, "nodect", "1");
    w.put(id::Resource_List, "place", "free");
    w.put(id::Resource_List, "select", "1:ncpus=1:mem=100mb");
    w.put(id::Resource_List, "walltime", "00:10:00");
    w.put(id::substate, "10");
    w.put(id::Variable_List,
          "PBS_O_HOME=/home/pbsuser,PBS_O_LANG=C.UTF-8,PBS_O_LOGNAME=pbsuser,"
          "PBS_O_PATH=/opt/pbs/bin:/opt/pbs/sbin:/usr/sbin:/usr/bin:/sbin:/bin,PBS_O_MAIL=/var/mail/pbsuser,"
          "PBS_O_SHELL=/bin/bash,PBS_O_WORKDIR=/home/pbsuser,PBS_O_SYSTEM=Linux,PBS_O_QUEUE=workq,PBS_O_HOST=vm");
    w.put(id::comment, "Not Running: Not enough free nodes available");
    w.put(id::etime, time);
    w.put(id::Submit_arguments,
          "-N job" + number + " -l select=1:ncpus=1:mem=100mb -l walltime=00:10:00 -- /bin/sleep 300");
    w.put(id::project, "_pbs_project_default");
    w.put(id::Submit_Host, "vm");
    jobs.push_back({number + ".vm", w.take()});
  }
  return jobs;
}

void measure(const char* what, const std::vector<row>& jobs,
             const std::function<void(std::string&, const object_view&)>& put) {
  using clock = std::chrono::steady_clock;
  double best_ms = 1e9;
  std::size_t bytes = 0;
  for (int round = 0; round < 5; ++round) {
    std::string out;
    bytes = 0;
    const auto start = clock::now();
    for (const row& j : jobs) {
      put(out, {j.name, j.packed});
      if (out.size() > 64u << 10) bytes += out.size(), out.clear();
    }
    bytes += out.size();
    best_ms = std::min(best_ms, std::chrono::duration<double, std::milli>(clock::now() - start).count());
  }
  std::printf("%-14s %8.2f ms %10zu bytes\n", what, best_ms, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<row> jobs = make_jobs(argc > 1 ? std::atoi(argv[1]) : 10000);
  const job_table table({});
  const job_list list({.comments = true, .hosts = true}, 1795216297);
  full_printer full(annals::schema::ObjectKind::JOB, "Job Id: ", true);
  json_printer json(annals::schema::ObjectKind::JOB, "Jobs");
  dsv_printer dsv(annals::schema::ObjectKind::JOB, "Job Id: ", "|", false);
  measure("qstat", jobs, [&](std::string& out, const object_view& o) { table.row(out, o); });
  measure("qstat -ns", jobs, [&](std::string& out, const object_view& o) { list.row(out, o); });
  measure("qstat -f", jobs, [&](std::string& out, const object_view& o) { full.put(out, o); });
  measure("qstat -f json", jobs, [&](std::string& out, const object_view& o) { json.put(out, o); });
  measure("qstat -f dsv", jobs, [&](std::string& out, const object_view& o) { dsv.put(out, o); });
}
