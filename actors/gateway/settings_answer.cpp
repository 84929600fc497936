#include "actors/gateway/settings_answer.hpp"

#include "events/attributes/ids.hpp"

namespace annals::actors {

std::optional<schema::sealed<schema::Reply>> answer_from_settings(schema::Request::Reader request, const model::settings& settings,
                                                                  std::uint64_t sequence) {
  constexpr auto wanted = attributes::server::default_qsub_arguments;
  const auto asked = request.getStat();
  const auto attributes = asked.getWanted();
  if (asked.getKind() != schema::ObjectKind::SERVER || asked.getNames().size() > 0 || !asked.getAt().isNow()) return {};
  if (attributes.size() != 1 || attributes[0] != static_cast<std::uint16_t>(wanted)) return {};
  attributes::attribute_set row;
  if (const auto value = settings.server.get(wanted)) row.set(wanted, {}, *value);
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request.getId());
    r.setSequence(sequence);
    auto objects = r.initObjects();
    objects.setLast(true);
    auto server = objects.initObjects(1)[0];
    server.setName(settings.server_name);
    server.setAttributes({reinterpret_cast<const kj::byte*>(row.packed().data()), row.packed().size()});
  });
}

}  // namespace annals::actors
