// The status calls: what the server answers becomes lists of batch_status, every part allocated with malloc, so that
// pbs_statfree (and nothing else) frees them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/table.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/query/stat.hpp"
#include "tools/client/reservation_options.hpp"
#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using ifl::text_of;

namespace {

namespace pbs_error = values::pbs_error;
using schema::ObjectKind;

// -- lists in C ---------------------------------------------------------------------------------------------------------------

template <class T>
T* zeroed() {
  auto* made = static_cast<T*>(std::calloc(1, sizeof(T)));
  if (!made) throw std::bad_alloc();
  return made;
}

char* copy(std::string_view text) {
  auto* made = static_cast<char*>(std::malloc(text.size() + 1));
  if (!made) throw std::bad_alloc();
  std::memcpy(made, text.data(), text.size());
  made[text.size()] = '\0';
  return made;
}

struct status_deleter {
  void operator()(batch_status* s) const { pbs_statfree(s); }
};
using status_list = std::unique_ptr<batch_status, status_deleter>;

// Which attributes the caller wants: names, and of a resource list perhaps one resource.
class selection {
 public:
  selection(ObjectKind kind, const attrl* wanted) : kind_(kind == ObjectKind::HOST ? ObjectKind::NODE : kind) {
    for (const attrl* w = wanted; w; w = w->next) {
      const auto id = id_of(text_of(w->name));
      if (!id)
        throw ifl::failure{pbs_error::undefined_attribute,
                           std::string(values::pbs_error_text(pbs_error::undefined_attribute)) + text_of(w->name)};
      if (std::find(ids_.begin(), ids_.end(), *id) == ids_.end()) ids_.push_back(*id);
      chosen_.push_back({*id, text_of(w->resource)});
    }
  }
  const std::vector<attributes::attribute_id>& ids() const { return ids_; }
  bool wants(const attributes::entry& e) const {
    if (chosen_.empty()) return true;
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](const choice& c) { return c.id == e.id && (c.resource.empty() || c.resource == e.resource); });
  }
  // Empty: an attribute that this library does not know; it is left out.
  std::string_view name_of(attributes::attribute_id id) const {
    if (kind_ == ObjectKind::RESOURCE) return id == resource_type ? ATTR_RESC_TYPE : id == resource_flags ? ATTR_RESC_FLAG
                                                                                                          : "";
    const auto* row = attributes::find(kind_, id);
    return row ? row->name : "";
  }

 private:
  static constexpr attributes::attribute_id resource_type = 1, resource_flags = 2;  // as the server answers for resources
  struct choice {
    attributes::attribute_id id;
    std::string resource;
  };

  std::optional<attributes::attribute_id> id_of(const std::string& name) const {
    if (kind_ == ObjectKind::RESOURCE) {
      if (name == ATTR_RESC_TYPE) return resource_type;
      return name == ATTR_RESC_FLAG ? std::optional(resource_flags) : std::nullopt;
    }
    const auto* row = attributes::find(kind_, name);
    return row ? std::optional(row->id) : std::nullopt;
  }

  ObjectKind kind_;
  std::vector<attributes::attribute_id> ids_;
  std::vector<choice> chosen_;
};

// Grows a list object by object. What is not finished when memory ends is freed with the rest.
class list_builder {
 public:
  explicit list_builder(const selection& wanted) : wanted_(wanted) {}

  void add(const client::object_view& object) {
    auto* s = zeroed<batch_status>();
    (last_ ? last_->next : first_) = s;
    if (!last_) head_.reset(s);
    last_ = s;
    s->name = copy(object.name);
    attrl* behind = nullptr;
    client::for_each_attribute(object.packed, [&](const attributes::entry& e) {
      const auto name = wanted_.name_of(e.id);
      if (name.empty() || !wanted_.wants(e)) return;
      auto* a = zeroed<attrl>();
      (behind ? behind->next : s->attribs) = a;
      behind = a;
      a->op = SET;
      a->name = copy(name);
      if (!e.resource.empty()) a->resource = copy(e.resource);
      a->value = copy(e.value);
    });
  }
  batch_status* take() { return head_.release(); }

 private:
  const selection& wanted_;
  status_list head_;
  batch_status* first_ = nullptr;
  batch_status* last_ = nullptr;
};

// -- questions ----------------------------------------------------------------------------------------------------------------

bool asks(const char* extend, char letter) { return text_of(extend).find(letter) != std::string::npos; }

schema::History history_of(const char* extend) { return asks(extend, 'x') ? schema::History::ALSO : schema::History::LIVE; }

enum class unknown_name { is_error,
                          is_none };

// A name that is unknown and an error sets pbs_errno; what was found beside it is answered all the same.
batch_status* stat(ifl::connection& c, client::stat_question question, const attrl* wanted, unknown_name unknown = unknown_name::is_error) {
  const selection chosen(question.kind, wanted);
  question.wanted = chosen.ids();
  list_builder list(chosen);
  const auto outcome = client::ask(c.server, question, [&](const client::object_view& o) { list.add(o); });
  if (outcome.refused) throw ifl::failure{outcome.refused->code, outcome.refused->text};
  if (!outcome.unknown.empty() && unknown == unknown_name::is_error)
    ifl::note(c, {outcome.unknown.front().code, outcome.unknown.front().text});
  return list.take();
}

batch_status* stat(int connect, ObjectKind kind, const char* id, const attrl* wanted) noexcept {
  return ifl::with_connection(connect, static_cast<batch_status*>(nullptr), [&](ifl::connection& c) {
    client::stat_question q;
    q.kind = kind;
    q.names = values::split_list(text_of(id));
    return stat(c, q, wanted);
  });
}

// Ids with commas, or the name of a queue ("queue@server" too).
void fill_job_names(client::stat_question& q, const std::string& id) {
  if (id.empty() || id.front() == '@') return;
  if (id.front() < '0' || id.front() > '9') {
    q.queue = id.substr(0, id.find('@'));
    return;
  }
  const auto own = client::server_name();
  for (const auto& one : values::split_list(id)) {
    const auto name = client::parse_job_name(one, own);
    if (!name) throw ifl::failure{pbs_error::unknown_job, {}};
    q.names.push_back(name->id);
  }
}

schema::CompareOp comparison(batch_op op) {
  switch (op) {
    case NE: return schema::CompareOp::NE;
    case GE: return schema::CompareOp::GE;
    case GT: return schema::CompareOp::GT;
    case LE: return schema::CompareOp::LE;
    case LT: return schema::CompareOp::LT;
    default: return schema::CompareOp::EQ;
  }
}

std::vector<std::string> select_jobs(ifl::connection& c, const attropl* criteria, const char* extend) {
  const auto fill = [&](schema::Request::Builder r) {
    auto select = r.initSelectJobs();
    select.setHistory(history_of(extend));
    select.setSubjobs(asks(extend, 'T'));
    unsigned count = 0;
    for (const attropl* a = criteria; a; a = a->next) ++count;
    auto list = select.initCriteria(count);
    unsigned i = 0;
    for (const attropl* a = criteria; a; a = a->next, ++i) {
      const std::string name = text_of(a->name);
      const std::string value = text_of(a->value);
      const bool queue = name == ATTR_q;
      list[i].setName(queue ? ATTR_queue : name);
      list[i].setResource(text_of(a->resource));
      list[i].setOp(comparison(a->op));
      list[i].setValue(queue ? value.substr(0, value.find('@')) : value);
    }
  };
  std::vector<std::string> ids;
  c.server.query(fill, [&](schema::Reply::Reader r) {
    if (r.isRejected()) throw ifl::failure{r.getRejected().getCode(), schema::str(r.getRejected().getText())};
    if (!r.isJobs()) throw ifl::failure{pbs_error::protocol, {}};
    for (const auto id : r.getJobs()) ids.push_back(schema::str(id));
  });
  return ids;
}

}  // namespace

extern "C" {

struct batch_status* pbs_statjob(int connect, const char* id, struct attrl* attributes, const char* extend) {
  return ifl::with_connection(connect, static_cast<batch_status*>(nullptr), [&](ifl::connection& c) {
    client::stat_question q;
    fill_job_names(q, text_of(id));
    q.history = history_of(extend);
    q.subjobs = asks(extend, 't');
    return stat(c, q, attributes);
  });
}

char* pbs_locjob(int connect, const char* job, const char*) {
  return ifl::with_connection(connect, static_cast<char*>(nullptr), [&](ifl::connection& c) {
    client::stat_question q;
    fill_job_names(q, text_of(job));
    if (q.names.size() != 1) throw ifl::failure{pbs_error::unknown_job, {}};
    const attrl server{nullptr, const_cast<char*>(ATTR_server), nullptr, nullptr, SET};
    const status_list found(stat(c, q, &server));
    return found && found->attribs ? copy(found->attribs->value) : nullptr;
  });
}

struct batch_status* pbs_selstat(int connect, struct attropl* criteria, struct attrl* attributes, const char* extend) {
  return ifl::with_connection(connect, static_cast<batch_status*>(nullptr), [&](ifl::connection& c) -> batch_status* {
    client::stat_question q;
    q.names = select_jobs(c, criteria, extend);
    q.history = history_of(extend);
    q.subjobs = asks(extend, 't');
    if (q.names.empty()) return nullptr;
    return stat(c, q, attributes, unknown_name::is_none);  // a job that went between the two questions is no error
  });
}

char** pbs_selectjob(int connect, struct attropl* criteria, const char* extend) {
  return ifl::with_connection(connect, static_cast<char**>(nullptr), [&](ifl::connection& c) {
    const auto ids = select_jobs(c, criteria, extend);
    std::size_t bytes = (ids.size() + 1) * sizeof(char*);
    for (const auto& id : ids) bytes += id.size() + 1;
    auto** list = static_cast<char**>(std::malloc(bytes));
    if (!list) throw std::bad_alloc();
    char* at = reinterpret_cast<char*>(list + ids.size() + 1);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      list[i] = at;
      std::memcpy(at, ids[i].c_str(), ids[i].size() + 1);
      at += ids[i].size() + 1;
    }
    list[ids.size()] = nullptr;
    return list;
  });
}

struct batch_status* pbs_statque(int connect, const char* id, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::QUEUE, id, attributes);
}
struct batch_status* pbs_statserver(int connect, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::SERVER, nullptr, attributes);
}
struct batch_status* pbs_statsched(int connect, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::SCHEDULER, nullptr, attributes);
}
struct batch_status* pbs_stathost(int connect, const char* id, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::HOST, id, attributes);
}
struct batch_status* pbs_statnode(int connect, const char* id, struct attrl* attributes, const char* extend) {
  return pbs_stathost(connect, id, attributes, extend);
}
struct batch_status* pbs_statvnode(int connect, const char* id, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::NODE, id, attributes);
}
struct batch_status* pbs_statrsc(int connect, const char* id, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::RESOURCE, id, attributes);
}

struct batch_status* pbs_stathook(int connect, const char* id, struct attrl* attributes, const char*) {
  return stat(connect, ObjectKind::HOOK, id, attributes);
}
// Ids with commas.
struct batch_status* pbs_statresv(int connect, const char* id, struct attrl* attributes, const char*) {
  return ifl::with_connection(connect, static_cast<batch_status*>(nullptr), [&](ifl::connection& c) {
    client::stat_question q;
    q.kind = ObjectKind::RESERVATION;
    for (const auto& one : values::split_list(text_of(id))) {
      const auto name = client::parse_reservation_name(one, client::server_name());
      if (!name) throw ifl::failure{pbs_error::unknown_reservation, {}};
      q.names.push_back(name->id);
    }
    return stat(c, q, attributes);
  });
}

void pbs_statfree(struct batch_status* status) {
  while (status) {
    batch_status* const next = status->next;
    for (attrl* a = status->attribs; a;) {
      attrl* const behind = a->next;
      std::free(a->name);
      std::free(a->resource);
      std::free(a->value);
      std::free(a);
      a = behind;
    }
    std::free(status->name);
    std::free(status->text);
    std::free(status);
    status = next;
  }
}

}  // extern "C"
