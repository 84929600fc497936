#include "tools/audit/event_text.hpp"

#include <capnp/dynamic.h>
#include <strings.h>

#include <cctype>
#include <cstdio>
#include <ctime>
#include <iterator>

#include "events/values/shown_text.hpp"
#include "tools/audit/moment.hpp"

namespace annals::audit {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;

// "jobAssigned" as the schema has it -> "JobAssigned".
std::string upper_first(kj::StringPtr name) {
  std::string text(name.cStr());
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string value_text(capnp::DynamicValue::Reader value);

std::string list_text(capnp::DynamicList::Reader list) {
  std::string text;
  for (auto element : list) text += (text.empty() ? "" : ", ") + value_text(element);
  return "[" + text + "]";
}

// The fields that are set; a flag that is set by its name alone.
std::string struct_text(capnp::DynamicStruct::Reader value) {
  std::string text;
  for (auto field : value.getSchema().getNonUnionFields()) {
    if (!value.has(field, capnp::HasMode::NON_DEFAULT)) continue;
    const auto inner = value.get(field);
    if (inner.getType() == capnp::DynamicValue::TEXT && inner.as<capnp::Text>().size() == 0) continue;
    text += text.empty() ? "" : ", ";
    text += field.getProto().getName().cStr();
    if (inner.getType() != capnp::DynamicValue::BOOL) text += "=" + value_text(inner);
  }
  return text;
}

std::string value_text(capnp::DynamicValue::Reader value) {
  using V = capnp::DynamicValue;
  switch (value.getType()) {
    case V::BOOL: return value.as<bool>() ? "true" : "false";
    case V::INT: return std::to_string(value.as<std::int64_t>());
    case V::UINT: return std::to_string(value.as<std::uint64_t>());
    case V::TEXT: return schema::str(value.as<capnp::Text>());
    case V::DATA: return hex(schema::bytes_of(value.as<capnp::Data>()));
    case V::LIST: return list_text(value.as<capnp::DynamicList>());
    case V::STRUCT: {
      const auto inner = value.as<capnp::DynamicStruct>();
      if (inner.getSchema() == capnp::Schema::from<schema::Attribute>()) return attribute_text(inner.as<schema::Attribute>());
      return "(" + struct_text(inner) + ")";
    }
    case V::ENUM: {
      KJ_IF_MAYBE (known, value.as<capnp::DynamicEnum>().getEnumerant()) return known->getProto().getName().cStr();
      return std::to_string(value.as<capnp::DynamicEnum>().getRaw());
    }
    default: return {};
  }
}

}  // namespace

std::string kind_name(schema::Event::Reader event) {
  // What a primary tells of its run goes by its own name.
  if (schema::is(event, schema::JobEvent::RUN_STEP)) {
    const auto step = event.getJob().getRunStep().getStep();
    KJ_IF_MAYBE (field, capnp::DynamicStruct::Reader(step).which()) return "Run" + upper_first(field->getProto().getName());
  }
  return upper_first(std::string(stream_kind_name(event.which())).c_str()) + upper_first(schema::event_name(event).c_str());
}

std::optional<std::string> kind_named(std::string_view name) {
  for (auto& known : kind_names())
    if (same(name, known)) return std::move(known);
  return std::nullopt;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (auto kind : capnp::Schema::from<schema::Event>().getUnionFields())
    for (auto event : kind.getType().asStruct().getUnionFields()) {
      auto name = upper_first(kind.getProto().getName()) + upper_first(event.getProto().getName());
      if (name != "JobRunStep") names.push_back(std::move(name));
    }
  return names;
}

std::span<const std::string_view> stream_kind_names() {
  static constexpr std::string_view names[] = {"server", "queue", "host", "job", "scheduler", "run", "part", "hook", "log", "reservation"};
  static_assert(std::size(names) == static_cast<std::size_t>(schema::StreamKind::RESERVATION) + 1);
  return names;
}

std::string_view stream_kind_name(schema::StreamKind kind) {
  const auto names = stream_kind_names();
  const auto at = static_cast<std::size_t>(kind);
  return at < names.size() ? names[at] : "unknown";
}

std::optional<schema::StreamKind> stream_kind_named(std::string_view name) {
  for (int k = 0; k <= static_cast<int>(schema::StreamKind::RESERVATION); ++k)
    if (same(name, stream_kind_name(static_cast<schema::StreamKind>(k)))) return static_cast<schema::StreamKind>(k);
  return std::nullopt;
}

std::string fields(schema::Event::Reader event) {
  const capnp::DynamicStruct::Reader whole(event);
  KJ_IF_MAYBE (kind, whole.which()) {
    const auto one = whole.get(*kind).as<capnp::DynamicStruct>();
    KJ_IF_MAYBE (field, one.which()) {
      const auto value = one.get(*field);
      if (value.getType() == capnp::DynamicValue::STRUCT) return struct_text(value.as<capnp::DynamicStruct>());
    }
  }
  return {};
}

std::string attribute_text(schema::Attribute::Reader a) {
  auto name = schema::str(a.getName());
  if (a.getResource().size() > 0) name += (name.empty() ? "" : ".") + schema::str(a.getResource());
  switch (a.getOp()) {
    case schema::AttributeOp::UNSET: return "-" + name;
    case schema::AttributeOp::INCREMENT: return name + "+=" + schema::str(a.getValue());
    case schema::AttributeOp::DECREMENT: return name + "-=" + schema::str(a.getValue());
    default: return name + "=" + schema::str(a.getValue());
  }
}

std::string who_text(schema::Who::Reader who) {
  return who.getHost().size() > 0 ? schema::str(who.getUser()) + "@" + schema::str(who.getHost()) : schema::str(who.getUser());
}

std::string time_text(std::int64_t wall_ns) {
  auto seconds = static_cast<std::time_t>(wall_ns / ns_per_s);
  auto rest = wall_ns % ns_per_s;
  if (rest < 0) {
    rest += ns_per_s;
    --seconds;
  }
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char day[64], text[80];
  std::strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S", &local);
  std::snprintf(text, sizeof text, "%s.%03d", day, static_cast<int>(rest / ns_per_ms));
  return text;
}

std::string harmless(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  values::put_hex(out, text);
  return out;
}

std::string hex(schema::byte_span bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const auto b : bytes) {
    text += digits[static_cast<unsigned>(b) >> 4];
    text += digits[static_cast<unsigned>(b) & 15];
  }
  return text;
}

}  // namespace annals::audit
