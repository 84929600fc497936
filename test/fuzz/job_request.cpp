// What a job asks, from any bytes: a schedselect line and a place line go through the view and one cycle. Whatever the
// text, nothing is handed out twice.
#include <capnp/message.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/schema/message.hpp"

using namespace annals;

static void fill_vnode(schema::SchedVnode::Builder v, const char* name, const char* host, unsigned order, const char* cpus) {
  v.setName(name);
  v.setHost(host);
  v.setOrder(order);
  v.setState("free");
  auto a = v.initAttributes(2);
  a[0].setName("resources_available");
  a[0].setResource("ncpus");
  a[0].setValue(cpus);
  a[1].setName("resources_available");
  a[1].setResource("mem");
  a[1].setValue("4gb");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  for (char& c : text)
    if (c == '\0') c = '0';
  const auto line = text.find('\n');
  const std::string select = text.substr(0, line), place = line == std::string::npos ? "" : text.substr(line + 1);
  const auto full = schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setFull(true);
    d.setSequence(1);
    auto q = d.initQueues(1)[0];
    q.setName("workq");
    auto started = q.initAttributes(1)[0];
    started.setName("started");
    started.setValue("True");
    auto v = d.initVnodes(3);
    fill_vnode(v[0], "a", "a", 1, "4");
    fill_vnode(v[1], "b", "b", 2, "0");
    fill_vnode(v[2], "b[0]", "b", 3, "2");
    auto jobs = d.initJobs(3);
    for (unsigned i = 0; i < 3; ++i) {
      jobs[i].setSerial(i + 1);
      jobs[i].setId(std::to_string(i) + ".x");
      jobs[i].setQueue("workq");
      jobs[i].setState('Q');
      jobs[i].setSchedselect(select);
      jobs[i].setPlace(place);
    }
  });
  cycle::view v;
  if (!v.apply(*full)) std::abort();
  cycle::policy p;
  p.checked_resources = {"ncpus", "mem", "host", "vnode", "arch"};
  const auto decided = cycle::run_cycle(v, p, 1'795'359'430);
  if (decided.runs.size() + decided.reasons.size() != 3) std::abort();
  for (const auto& n : v.vnodes())
    for (cycle::resource_id r = 0; r < v.resources().size(); ++r)
      if (n.in_use(r) > 0 && n.in_use(r) > n.available(r)) std::abort();
  return 0;
}
