#include "actors/gateway/hooks/mom_hook_questions.hpp"

#include <algorithm>

#include "actors/link/wire/wire_limits.hpp"

namespace annals::actors {
namespace {

using schema::ObjectKind;

// A connection ends with a message that is too large, and with it all that the host and the server have to say.
constexpr std::size_t answer_bytes_max = limits::daemon_frame_bytes_max / 2;

bool is_for_hooks(ObjectKind kind) {
  constexpr ObjectKind some[] = {ObjectKind::JOB, ObjectKind::NODE, ObjectKind::QUEUE,
                                 ObjectKind::SERVER, ObjectKind::SCHEDULER, ObjectKind::RESERVATION};
  return std::ranges::find(some, kind) != std::end(some);
}

void fill(const hooks::hook_object& from, schema::HookObject::Builder to) {
  to.setName(from.name);
  auto list = to.initAttributes(static_cast<unsigned>(from.attributes.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setName(from.attributes[i].name);
    list[i].setResource(from.attributes[i].resource);
    list[i].setValue(from.attributes[i].value);
  }
}

}  // namespace

std::optional<schema::sealed<schema::Request>> view_asked(schema::HookQuestion::Reader question, std::uint64_t sequence) {
  const auto kind = question.getKind();
  const auto name = schema::str(question.getName());
  if (!is_for_hooks(kind)) return std::nullopt;
  if (question.getNamesOnly()) return hooks::names_request(kind, sequence, schema::str(question.getQueue()));
  if (kind == ObjectKind::SERVER) return hooks::view_request(kind, {}, sequence);
  return name.empty() ? std::nullopt : std::optional(hooks::view_request(kind, {name}, sequence));
}

schema::sealed<schema::ToMom> answer_to(schema::HookQuestion::Reader question, const hook_objects& found) {
  const auto answer = [&](auto&& put) {
    return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
      auto a = m.initHookAnswer();
      a.setId(question.getId());
      put(a);
    });
  };
  auto whole = answer([&](schema::HookAnswer::Builder a) {
    if (!question.getNamesOnly()) {
      if (!found.empty()) fill(found.front(), a.initObject());
      return;
    }
    auto names = a.initNames(static_cast<unsigned>(found.size()));
    for (unsigned i = 0; i < names.size(); ++i) names.set(i, found[i].name);
  });
  if (whole.bytes().size() <= answer_bytes_max) return whole;
  return answer([](schema::HookAnswer::Builder a) { a.setRefused("it is too much to be sent to a host"); });
}

}  // namespace annals::actors
