// The task manager functions of tm.h, over tools/client/task_manager. No exception leaves the library.
#include "tools/libpbs/include/tm.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/client/task_manager.hpp"

namespace {

using namespace annals;
using client::tm_failure;
using client::tm_reply;

// Where the results of a call go when its answer has come.
using finish = std::function<void(schema::TmReply::Reader)>;

struct manager {
  client::task_manager mom;
  tm_task_id me = TM_NULL_TASK;
  std::map<std::uint64_t, finish> waiting{};  // by question, which is also the event
  std::map<tm_task_id, tm_node_id> nodes{};   // of the tasks we have heard of
};

// Between tm_init and tm_finalize.
std::unique_ptr<manager>& the_manager() {
  static auto* one = new std::unique_ptr<manager>;  // programs may use it while they end
  return *one;
}

// Runs work(); what it throws is its error number.
template <class Work>
int guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (const tm_failure& f) {
    return static_cast<int>(f.code);
  } catch (...) {
    return TM_ESYSTEM;
  }
}

template <class Work>
int with_manager(Work&& work) noexcept {
  return guarded([&] { return the_manager() ? work(*the_manager()) : TM_BADINIT; });
}

int event_of(std::uint64_t question) { return static_cast<int>(question & 0x7fffffff); }

// Sends a request whose answer is an event.
int request(tm_event_t* event, const client::tm_fill& fill, finish done) {
  return with_manager([&](manager& m) {
    const auto question = m.mom.ask(fill);
    m.waiting.emplace(question, std::move(done));
    if (event) *event = event_of(question);
    return TM_SUCCESS;
  });
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void fill_texts(char* const* from, std::size_t count, capnp::List<capnp::Text>::Builder to) {
  for (unsigned i = 0; i < count; ++i) to.set(i, from[i]);
}

}  // namespace

extern "C" {

int tm_init(void*, tm_roots* roots) {
  return guarded([&]() -> int {
    if (the_manager()) return TM_BADINIT;
    if (!*variable("PBS_TASKNUM") || !*variable("PBS_NODENUM")) return TM_EBADENVIRONMENT;
    auto made = std::make_unique<manager>(manager{client::task_manager::join()});
    const auto answer = made->mom.answer(made->mom.ask([](auto r) { r.setTasks(); }));
    made->me = static_cast<tm_task_id>(std::strtoul(variable("PBS_TASKNUM"), nullptr, 10));
    const auto tasks = answer.get().getTasks();
    for (auto t : tasks) made->nodes[t.getTask()] = t.getNode();
    if (roots) *roots = {made->me, TM_NULL_TASK, static_cast<int>(made->mom.hosts().size()), static_cast<int>(tasks.size()), -1, nullptr};
    the_manager() = std::move(made);
    return TM_SUCCESS;
  });
}

int tm_finalize(void) {
  if (!the_manager()) return TM_BADINIT;
  the_manager().reset();
  return TM_SUCCESS;
}

int tm_nodeinfo(tm_node_id** list, int* nnodes) {
  return with_manager([&](manager& m) {
    const auto count = m.mom.hosts().size();
    auto* nodes = static_cast<tm_node_id*>(std::malloc((count + 1) * sizeof(tm_node_id)));
    if (!nodes) return TM_ESYSTEM;
    for (std::size_t i = 0; i < count; ++i) nodes[i] = static_cast<tm_node_id>(i);
    nodes[count] = TM_ERROR_NODE;
    *list = nodes;
    *nnodes = static_cast<int>(count);
    return TM_SUCCESS;
  });
}

int tm_poll(tm_event_t poll_event, tm_event_t* result_event, int wait, int* tm_errno) {
  if (result_event) *result_event = TM_ERROR_EVENT;
  return with_manager([&](manager& m) -> int {
    if (poll_event != TM_NULL_EVENT) return TM_ENOTIMPLEMENTED;
    if (m.waiting.empty()) return TM_ENOEVENT;
    while (true) {
      const auto reply = m.mom.next(wait ? -1 : 0);
      if (!reply && wait) continue;  // a signal
      if (!reply) {
        *result_event = TM_NULL_EVENT;
        return TM_SUCCESS;
      }
      const auto r = reply->get();
      const auto at = m.waiting.extract(r.getQuestion());
      if (!at) continue;
      *result_event = event_of(r.getQuestion());
      if (tm_errno) *tm_errno = r.isFailed() ? static_cast<int>(r.getFailed().getCode()) : TM_SUCCESS;
      if (!r.isFailed() && at.mapped()) at.mapped()(r);
      return TM_SUCCESS;
    }
  });
}

int tm_notify(int tm_signal) {
  return with_manager([&](manager& m) {
    const int fd = m.mom.descriptor();
    const int flags = fcntl(fd, F_GETFL);
    const bool set = fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, tm_signal) == 0 &&
                     fcntl(fd, F_SETFL, tm_signal == 0 ? flags & ~O_ASYNC : flags | O_ASYNC) == 0;
    return set ? TM_SUCCESS : TM_ESYSTEM;
  });
}

int tm_spawn(int argc, char* argv[], char* envp[], tm_node_id where, tm_task_id* tid, tm_event_t* event) {
  if (argc <= 0 || !argv || !argv[0] || !*argv[0]) return TM_ENOTFOUND;
  const auto fill = [&](schema::TmRequest::Builder r) {
    auto s = r.initSpawn();
    s.setNode(where);
    fill_texts(argv, static_cast<std::size_t>(argc), s.initArgv(static_cast<unsigned>(argc)));
    unsigned variables = 0;
    while (envp && envp[variables]) ++variables;
    fill_texts(envp, variables, s.initEnvironment(variables));
  };
  if (tid) *tid = TM_NULL_TASK;
  return request(event, fill, [tid, where](schema::TmReply::Reader r) {
    the_manager()->nodes[r.getSpawned()] = where;
    if (tid) *tid = r.getSpawned();
  });
}

int tm_kill(tm_task_id tid, int sig, tm_event_t* event) {
  return request(event, [&](schema::TmRequest::Builder r) {
    r.initSignal().setTask(tid);
    r.getSignal().setSignal(sig);
  },
                 {});
}

int tm_obit(tm_task_id tid, int* obitval, tm_event_t* event) {
  return request(
      event, [&](schema::TmRequest::Builder r) { r.setWatch(tid); }, [obitval](schema::TmReply::Reader r) {
    if (obitval) *obitval = r.getOver(); });
}

int tm_taskinfo(tm_node_id node, tm_task_id* tid_list, int list_size, int* ntasks, tm_event_t* event) {
  return request(
      event, [&](schema::TmRequest::Builder r) { r.setTasks(); }, [=](schema::TmReply::Reader r) {
    int found = 0;
    for (auto t : r.getTasks()) {
      the_manager()->nodes[t.getTask()] = t.getNode();
      if (t.getNode() != node) continue;
      if (found < list_size) tid_list[found] = t.getTask();
      ++found;
    }
    if (ntasks) *ntasks = found; });
}

int tm_atnode(tm_task_id tid, tm_node_id* node) {
  return with_manager([&](manager& m) {
    const auto at = m.nodes.find(tid);
    if (at == m.nodes.end()) return TM_ENOTFOUND;
    *node = at->second;
    return TM_SUCCESS;
  });
}

int tm_rescinfo(tm_node_id node, char* resource, int len, tm_event_t* event) {
  return request(
      event, [&](schema::TmRequest::Builder r) { r.setResources(node); }, [=](schema::TmReply::Reader r) {
    const auto text = r.getBytes();
    if (len <= 0) return;
    const auto size = std::min<std::size_t>(text.size(), static_cast<std::size_t>(len) - 1);
    std::memcpy(resource, text.begin(), size);
    resource[size] = '\0'; });
}

int tm_publish(char* name, void* info, int nbytes, tm_event_t* event) {
  if (!name || nbytes < 0) return TM_ESYSTEM;
  return request(event, [&](schema::TmRequest::Builder r) {
    auto p = r.initPublish();
    p.setTask(the_manager()->me);
    p.setName(name);
    p.setValue({static_cast<const kj::byte*>(info), static_cast<std::size_t>(nbytes)});
  },
                 {});
}

int tm_subscribe(tm_task_id tid, char* name, void* info, int len, int* info_len, tm_event_t* event) {
  if (!name) return TM_ESYSTEM;
  return request(
      event, [&](schema::TmRequest::Builder r) {
    r.initSubscribe().setTask(tid);
    r.getSubscribe().setName(name); }, [=](schema::TmReply::Reader r) {
    const auto value = r.getBytes();
    if (info && len > 0) std::memcpy(info, value.begin(), std::min(value.size(), static_cast<std::size_t>(len)));
    if (info_len) *info_len = static_cast<int>(value.size()); });
}

int tm_attach(char* jobid, char* cookie, pid_t pid, tm_task_id* tid, char*, int) {
  return guarded([&]() -> int {
    auto mom = client::task_manager::connect();
    const auto answer = mom.answer(mom.ask([&](schema::TmRequest::Builder r) {
      auto a = r.initAttach();
      a.setJob(jobid ? jobid : "");
      a.setCookie(cookie ? cookie : "");
      a.setPid(pid);
    }));
    if (tid) *tid = answer.get().getSpawned();
    return TM_SUCCESS;
  });
}

int tm_alloc(char*, tm_event_t*) { return TM_ENOTIMPLEMENTED; }
int tm_dealloc(tm_node_id, tm_event_t*) { return TM_ENOTIMPLEMENTED; }
int tm_create_event(tm_event_t*) { return TM_ENOTIMPLEMENTED; }
int tm_destroy_event(tm_event_t*) { return TM_ENOTIMPLEMENTED; }
int tm_register(tm_whattodo*, tm_event_t*) { return TM_ENOTIMPLEMENTED; }

}  // extern "C"
