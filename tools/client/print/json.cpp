#include "tools/client/print/json.hpp"

#include "events/attributes/ids.hpp"
#include "tools/client/print/used_object.hpp"

namespace annals::client {

void json_printer::put(std::string& out, const object_view& object) {
  document_.open_object(out, object.name);
  attributes::attribute_id inside = 0;  // the resource list whose braces are open
  for_each_attribute(object.packed, [&](const attributes::entry& e) {
    const label* l = labels_.find(e.id);
    if (!l) return;
    if (inside != 0 && e.id != inside) document_.close(out, 3), inside = 0;
    if (!e.resource.empty() && inside == 0) document_.open(out, 3, l->name), inside = e.id;
    put_attribute(out, *l, e);
  });
  if (inside != 0) document_.close(out, 3);
  document_.close_object(out);
}

void json_printer::put_attribute(std::string& out, const label& l, const attributes::entry& e) {
  if (kind_ == schema::ObjectKind::JOB && e.id == attributes::job::Variable_List) {
    document_.open(out, 3, l.name);
    put_variables(out, e.value);
    document_.close(out, 3);
    return;
  }
  if (kind_ == schema::ObjectKind::JOB && e.id == attributes::job::resources_used &&
      put_object_in(document_, out, 4, e.resource, e.value))
    return;
  if (e.resource.empty())
    document_.key(out, 3, l.name);
  else
    document_.key(out, 4, e.resource);
  if (is_date(l, e.resource))
    put_json_string(out, dates_.of(e.value));
  else if (kind_ == schema::ObjectKind::JOB && l.type == attributes::value_type::string && e.resource.empty())
    put_json_string(out, e.value);  // a job that is called 123 has a name, not a number
  else
    put_json_value(out, e.value);
}

// "A=1,B=x y,C=1\,2": a comma inside a value has a backslash before it.
void json_printer::put_variables(std::string& out, std::string_view list) {
  std::string value;
  while (!list.empty()) {
    value.clear();
    std::size_t at = 0;
    while (at < list.size() && list[at] != ',') {
      if (list[at] == '\\' && at + 1 < list.size()) ++at;
      value.push_back(list[at++]);
    }
    list.remove_prefix(at < list.size() ? at + 1 : at);
    const auto equals = value.find('=');
    if (equals == std::string::npos && value.empty()) continue;
    document_.key(out, 4, std::string_view(value).substr(0, equals));
    put_json_value(out, equals == std::string::npos ? std::string_view() : std::string_view(value).substr(equals + 1));
  }
}

}  // namespace annals::client
