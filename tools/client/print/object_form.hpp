// One way to show the objects of a stat reply, whatever they are: a heading before the first, each as it comes, an end.
// Made before the first object is known. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "events/schema/common.capnp.h"
#include "tools/client/print/job_table.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

class object_form {
 public:
  virtual ~object_form() = default;
  virtual std::span<const attributes::attribute_id> wanted() const { return {}; }  // what it needs; empty: all
  virtual void put(std::string& out, const object_view& object) = 0;
  // `failed`: something was refused; a form that would show an empty frame then shows nothing.
  virtual void end(std::string& out, bool failed);
};
using object_form_ptr = std::unique_ptr<object_form>;

object_form_ptr full_form(schema::ObjectKind kind, std::string_view heading, bool wrap);
object_form_ptr dsv_form(schema::ObjectKind kind, std::string_view heading, std::string_view delimiter);
object_form_ptr json_form(schema::ObjectKind kind, std::string_view group, std::int64_t now, std::string version,
                          std::string server);
object_form_ptr job_table_form(job_table_options options);
object_form_ptr job_list_form(job_list_options options, std::int64_t now, std::string server);
object_form_ptr queue_table_form();
object_form_ptr queue_list_form(size_unit unit, std::string server);
object_form_ptr server_table_form();

}  // namespace annals::client
