#include "tools/audit/event_json.hpp"

#include <capnp/dynamic.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "events/values/shown_text.hpp"
#include "tools/audit/event_text.hpp"

namespace annals::audit {
namespace {

using json = nlohmann::ordered_json;

json value_json(capnp::DynamicValue::Reader value) {
  using V = capnp::DynamicValue;
  switch (value.getType()) {
    case V::BOOL: return value.as<bool>();
    case V::INT: return value.as<std::int64_t>();
    case V::UINT: return value.as<std::uint64_t>();
    case V::FLOAT: return value.as<double>();
    case V::TEXT: return schema::str(value.as<capnp::Text>());
    case V::DATA: return hex(schema::bytes_of(value.as<capnp::Data>()));
    case V::LIST: {
      auto list = json::array();
      for (auto element : value.as<capnp::DynamicList>()) list.push_back(value_json(element));
      return list;
    }
    case V::STRUCT: {
      const auto inner = value.as<capnp::DynamicStruct>();
      auto object = json::object();
      for (auto field : inner.getSchema().getNonUnionFields()) object[field.getProto().getName().cStr()] = value_json(inner.get(field));
      KJ_IF_MAYBE (chosen, inner.which()) object[chosen->getProto().getName().cStr()] = value_json(inner.get(*chosen));
      return object;
    }
    case V::ENUM: {
      KJ_IF_MAYBE (known, value.as<capnp::DynamicEnum>().getEnumerant()) return known->getProto().getName().cStr();
      return value.as<capnp::DynamicEnum>().getRaw();
    }
    default: return json::object();  // an event without fields
  }
}

std::string utc_text(std::int64_t wall_ns) {
  const auto seconds = static_cast<std::time_t>(wall_ns / 1'000'000'000);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// Text that is no UTF-8 (a path may be anything) is shown with marks in its place.
std::string line(const json& value) { return values::json_escaped(value.dump(-1, ' ', false, json::error_handler_t::replace)); }

}  // namespace

std::string json_line(const log::record& record, const std::string& name) {
  const auto r = record.get();
  json out;
  out["sequence"] = r.getSequence();
  out["time"] = utc_text(r.getWallNs());
  out["wallNs"] = r.getWallNs();
  out["stream"] = r.getStream();
  out["streamKind"] = stream_kind_name(record.kind());
  out["streamVersion"] = r.getStreamVersion();
  if (!name.empty()) out["name"] = name;
  out["writerEpoch"] = r.getWriterEpoch();
  out["who"] = value_json(capnp::DynamicStruct::Reader(r.getWho()));
  if (r.getCommandId().size() > 0) out["commandId"] = hex(schema::bytes_of(r.getCommandId()));
  if (r.getCause() > 0) out["cause"] = r.getCause();
  out["kind"] = kind_name(record.event());
  const capnp::DynamicStruct::Reader whole(record.event());
  KJ_IF_MAYBE (kind, whole.which()) {
    const auto one = whole.get(*kind).as<capnp::DynamicStruct>();
    KJ_IF_MAYBE (field, one.which()) out["event"] = value_json(one.get(*field));
  }
  return line(out);
}

std::string json_text(std::string_view text) { return line(json(std::string(text))); }

}  // namespace annals::audit
