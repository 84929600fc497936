#include "test/sim/pruning.hpp"

#include <vector>

#include "events/values/exec_vnode.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

namespace {

namespace protocol = hooks::protocol;

protocol::Object::Reader job_of(protocol::Request::Reader asked) {
  for (auto p : asked.getParameters())
    if (schema::text(p.getName()) == "job") return p.getObject();
  return {};
}

values::exec_vnode_spec has_of(protocol::Object::Reader job) {
  for (auto a : job.getAttributes())
    if (schema::text(a.getName()) == "exec_vnode")
      return values::parse_exec_vnode(schema::text(a.getValue())).value_or(values::exec_vnode_spec());
  return {};
}

// Mostly fewer chunks, sometimes all of them, and now and then a vnode, which may be one of the first host.
hooks::sealed_question drawn_question(world& w, const std::string& job, const values::exec_vnode_spec& has) {
  return schema::make<protocol::Question>([&](protocol::Question::Builder q) {
    auto r = q.initReleaseNodes();
    r.setJob(job);
    if (w.chance(0.3)) r.initVnodes(1).set(0, has.chunks[w.random() % has.chunks.size()].parts.front().vnode);
    else r.setKeepSelect(std::to_string(1 + w.random() % has.chunks.size()) + ":ncpus=1");
  });
}

}  // namespace

void prune(world& w, const hooks::hook_run& run, protocol::Reply::Builder reply) {
  const auto job = job_of(*run.request);
  auto has = has_of(job);
  if (has.chunks.size() < 2 || !w.chance(w.o.pruning)) return;
  std::vector<hooks::sealed_question> granted;
  for (auto left = 1 + w.random() % 2; left > 0; --left) {
    auto question = drawn_question(w, schema::str(job.getName()), has);
    bool is_granted = w.chance(0.1);
    const auto take = [&](const hooks::sealed_answer& answer) {
      if (!answer.get().isObject()) return;
      is_granted = true;
      has = has_of(answer.get().getObject());
    };
    if (run.ask) run.ask(question, take);
    if (is_granted) granted.push_back(std::move(question));
  }
  auto actions = reply.initActions(static_cast<unsigned>(granted.size()));
  for (unsigned i = 0; i < actions.size(); ++i) actions[i].setReleaseNodes(granted[i].get().getReleaseNodes());
}

bool keep(const std::string& select, const hooks::hook_run& run, protocol::Reply::Builder reply) {
  const auto question = schema::make<protocol::Question>([&](protocol::Question::Builder q) {
    q.initReleaseNodes().setJob(job_of(*run.request).getName());
    q.getReleaseNodes().setKeepSelect(select);
  });
  bool is_granted = false;
  if (run.ask) run.ask(question, [&](const hooks::sealed_answer& answer) { is_granted = answer.get().isObject(); });
  if (is_granted) reply.initActions(1)[0].setReleaseNodes(question.get().getReleaseNodes());
  return is_granted;
}

}  // namespace annals::sim
