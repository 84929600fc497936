// pbs_manager and pbs_terminate.
#include <cstring>
#include <optional>
#include <string>

#include "events/values/base64.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/query/content_file.hpp"
#include "tools/client/query/manage.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

namespace pbs_error = values::pbs_error;

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

// What import and export are told in attributes: the words of qmgr.
struct hook_file {
  std::string type, file;
  bool base64 = false;

  hook_file(const attropl* attributes, const char* file_word) {
    for (const attropl* a = attributes; a; a = a->next) {
      const auto name = text_of(a->name), value = text_of(a->value);
      if (name == "content-type") type = value;
      else if (name == file_word) file = value;
      else if (name == "content-encoding" && (value == "default" || value == "base64")) base64 = value == "base64";
      else throw ifl::failure{pbs_error::bad_value, "no attribute of a hook's content: " + name + " = " + value};
    }
    if (file.empty()) throw ifl::failure{pbs_error::invalid_request, {}};
  }
  void check(int failed) const {
    if (failed != 0) throw ifl::failure{pbs_error::system_error, file + ": " + std::strerror(failed)};
  }
};

void import_hook(ifl::connection& c, const std::string& name, const attropl* attributes) {
  const hook_file from(attributes, "input-file");
  std::string text;
  from.check(client::read_content(from.file, from.base64, text));
  const auto content = from.base64 ? values::from_base64(text) : std::optional(text);
  if (!content) throw ifl::failure{pbs_error::hook_error, "the content is not base64, hook '" + name + "' contents not overwritten"};
  client::manage_request request;
  request.verb = schema::ManageVerb::IMPORT;
  request.kind = schema::ObjectKind::HOOK;
  request.name = name;
  request.content_type = from.type;
  request.content = *content;
  request.content_file = from.file;
  if (const auto refused = client::manage(c.server, request)) throw ifl::failure{refused->code, refused->text};
}

void export_hook(ifl::connection& c, const std::string& name, const attropl* attributes) {
  const hook_file to(attributes, "output-file");
  const auto content = client::fetch_hook(c.server, name, to.type, false);
  if (content.refused) throw ifl::failure{content.refused->code, content.refused->text};
  to.check(client::write_content(to.file, to.base64 ? content.base64 : values::from_base64(content.base64).value_or("")));
}

void carry_out(ifl::connection& c, int command, int object, const std::string& name, const attropl* attributes) {
  const auto kind = kind_of(object);
  if (!kind) throw ifl::failure{pbs_error::no_support, {}};
  const bool of_hook = *kind == schema::ObjectKind::HOOK;
  if (of_hook && command == MGR_CMD_IMPORT) return import_hook(c, name, attributes);
  if (of_hook && command == MGR_CMD_EXPORT) return export_hook(c, name, attributes);
  const auto verb = verb_of(command);
  if (!verb) throw ifl::failure{pbs_error::invalid_request, {}};
  ifl::done_text(c.server.call([&](schema::Request::Builder r) { fill(r.initManage(), *verb, *kind, name, attributes); }));
}

}  // namespace

extern "C" {

// Of a list of names each is a request of its own; the first refusal ends it.
int pbs_manager(int connect, int command, int object, const char* name, struct attropl* attributes, const char*) {
  const int answered = ifl::with_connection(connect, -1, [&](ifl::connection& c) {
    auto names = values::split_list(text_of(name));
    if (names.empty()) names.emplace_back();
    return ifl::with_attributes(c, attributes, [&] {
      for (const auto& one : names) carry_out(c, command, object, one, attributes);
      return 0;
    });
  });
  return answered == 0 ? 0 : pbs_errno;
}

int pbs_terminate(int connect, int manner, const char*) {
  const char* how = manner == SHUT_IMMEDIATE ? "immediate" : manner == SHUT_DELAY ? "delay"
                                                                                  : "quick";
  return ifl::request(connect, [&](schema::Request::Builder r) { r.initShutdown().setHow(how); });
}

}  // extern "C"
