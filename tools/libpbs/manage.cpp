// pbs_manager and pbs_terminate.
#include <optional>
#include <string>

#include "events/values/string_list.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

std::optional<schema::ManageVerb> verb_of(int command) {
  switch (command) {
    case MGR_CMD_CREATE: return schema::ManageVerb::CREATE;
    case MGR_CMD_DELETE: return schema::ManageVerb::DELETE;
    case MGR_CMD_SET: return schema::ManageVerb::SET;
    case MGR_CMD_UNSET: return schema::ManageVerb::UNSET;
    default: return std::nullopt;
  }
}

std::optional<schema::ObjectKind> kind_of(int object) {
  switch (object) {
    case MGR_OBJ_SERVER: return schema::ObjectKind::SERVER;
    case MGR_OBJ_QUEUE: return schema::ObjectKind::QUEUE;
    case MGR_OBJ_NODE: return schema::ObjectKind::NODE;
    case MGR_OBJ_HOST: return schema::ObjectKind::HOST;
    case MGR_OBJ_RSC: return schema::ObjectKind::RESOURCE;
    case MGR_OBJ_SCHED: return schema::ObjectKind::SCHEDULER;
    case MGR_OBJ_HOOK: return schema::ObjectKind::HOOK;
    default: return std::nullopt;
  }
}

schema::AttributeOp op_of(const attropl& a, schema::ManageVerb verb) {
  if (verb == schema::ManageVerb::UNSET || a.op == UNSET) return schema::AttributeOp::UNSET;
  if (a.op == INCR) return schema::AttributeOp::INCREMENT;
  return a.op == DECR ? schema::AttributeOp::DECREMENT : schema::AttributeOp::SET;
}

void fill(schema::Manage::Builder m, schema::ManageVerb verb, schema::ObjectKind kind, const std::string& name, const attropl* attributes) {
  m.setVerb(verb);
  m.setKind(kind);
  m.setName(name);
  m.setAllOfKind(name == "@default");
  unsigned count = 0;
  for (const attropl* a = attributes; a; a = a->next) ++count;
  auto list = m.initChanges(count);
  unsigned i = 0;
  for (const attropl* a = attributes; a; a = a->next, ++i) {
    list[i].setName(text_of(a->name));
    list[i].setResource(text_of(a->resource));
    list[i].setValue(text_of(a->value));
    list[i].setOp(op_of(*a, verb));
  }
}

}  // namespace

extern "C" {

// Of a list of names each is a request of its own; the first refusal ends it.
int pbs_manager(int connect, int command, int object, const char* name, struct attropl* attributes, const char*) {
  const int answered = ifl::with_connection(connect, -1, [&](ifl::connection& c) {
    const auto verb = verb_of(command);
    const auto kind = kind_of(object);
    if (!verb) throw ifl::failure{values::pbs_error::invalid_request, {}};
    if (!kind) throw ifl::failure{values::pbs_error::no_support, {}};
    auto names = values::split_list(text_of(name));
    if (names.empty()) names.emplace_back();
    for (const auto& one : names)
      ifl::done_text(c.server.call([&](schema::Request::Builder r) { fill(r.initManage(), *verb, *kind, one, attributes); }));
    return 0;
  });
  return answered == 0 ? 0 : pbs_errno;
}

int pbs_terminate(int connect, int manner, const char*) {
  const char* how = manner == SHUT_IMMEDIATE ? "immediate" : manner == SHUT_DELAY ? "delay" : "quick";
  return ifl::request(connect, [&](schema::Request::Builder r) { r.initShutdown().setHow(how); });
}

}  // extern "C"
