// A PBS object as a script sees it: pbs.event().job, pbs.server().queue("workq"), e.vnode_list["n1"]. Attributes stay
// in the message they came in until the script reads them; what it writes is checked, laid over them and noted in the
// run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/table.hpp"
#include "events/schema/message.hpp"
#include "hooks-runtime/catalog/events.hpp"
#include "hooks-runtime/pbs_module/attribute_rows.hpp"
#include "hooks-runtime/pbs_module/python.hpp"
#include "hooks-runtime/pbs_module/quick_order.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks::py {

// What a script wrote: an attribute, or a resource of one.
struct written_name {
  std::string attribute, resource;
  struct view {
    std::string_view attribute, resource;
  };
  struct less {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      const int order = quick_order(a.attribute, b.attribute);
      return (order != 0 ? order : quick_order(a.resource, b.resource)) < 0;
    }
  };
};

struct object_state {
  protocol::ObjectKind kind = protocol::ObjectKind::JOB;
  std::string name;
  const parameter* where = nullptr;  // the parameter of the event it stands in; null: asked for, cannot be written
  std::optional<protocol::Object::Reader> given;
  schema::sealed<protocol::Answer> held;  // keeps `given` alive when it was asked for
  std::uint64_t run = 0;                  // run_state::serial() of the run it belongs to
  bool asked = false;                     // an object that was named only: its attributes are asked for at the first read
  std::map<written_name, std::optional<std::string>, written_name::less> written;
  struct given_value {
    std::string_view attribute, resource, value;
  };
  std::vector<given_value> values;  // of `given`, once one was read: cheaper to search than the message

  // Good until the attribute is written.
  std::optional<std::string_view> text(std::string_view attribute, std::string_view resource = {});
  std::optional<std::string_view> select_requested();
  bool is_new_job() const;                                            // the job of a queuejob event
  std::vector<std::string> resources_of(std::string_view attribute);  // names, sorted
  bool known();                                                       // asks if need be; false: there is no such object, or
                                                                      // nobody can say, and an exception is pending
  // A script that keeps an object in some module finds it empty in the next run: its message is gone by then.
  bool is_stale() const;
};

bool add_objects(PyObject* module);

PyObject* make_object(protocol::ObjectKind kind, protocol::Object::Reader given, const parameter* where);
// An answer to a question; None when there is no such object. Null: nobody can say, and an exception is pending.
PyObject* make_answered(schema::sealed<protocol::Answer> answer);
// By name; its attributes come when they are read.
PyObject* make_named(protocol::ObjectKind kind, std::string_view name);
// False: nobody can say what was asked, and an exception is pending.
bool is_answered(const schema::sealed<protocol::Answer>& answer);
object_state* state_of(PyObject* object);  // nullptr: not one of ours

// Writes attribute (and resource) of an object, value None: unset. -1: an exception is pending.
int write_attribute(object_state& object, std::string_view attribute, std::string_view resource, PyObject* value);

// The Python value of a canonical text, by the attribute's row.
PyObject* attribute_value(PyObject* owner, object_state& object, std::string_view name, const attribute_row& row);
PyObject* resource_value(std::string_view resource, std::string_view text);
// The canonical text for a value that a script writes. Nothing: an exception is pending.
std::optional<std::string> canonical_attribute(const object_state& object, std::string_view name,
                                               const attribute_row& row, PyObject* value);
std::optional<std::string> canonical_resource(const object_state& object, std::string_view attribute,
                                              std::string_view resource, PyObject* value);

// PBS's words: "job attribute 'ctime' is readonly". Returns -1.
int refuse_write(const object_state& object, std::string_view attribute);

extern PyMethodDef job_methods[], vnode_methods[], queue_methods[], server_methods[];
extern PyMethodDef object_getters[];  // of the module: pbs.get_job(id) is pbs.server().job(id)

}  // namespace annals::hooks::py
