// Events as people read them: names of kinds, a sentence for each kind, and every field by Cap'n Proto's reflection, so
// that a kind added to the schema is printed before anybody has written words for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/record.hpp"
#include "events/schema/event.hpp"

namespace annals::audit {

std::string kind_name(schema::Event::Reader event);            // "JobAssigned", "HostVnodeCreated": kind of stream and event
std::optional<std::string> kind_named(std::string_view name);  // that name; upper and lower case are the same
std::vector<std::string> kind_names();                         // all, in the order of the schema
std::span<const std::string_view> stream_kind_names();         // of objects: "server", "queue"
std::string_view stream_kind_name(schema::StreamKind kind);    // "job"
std::optional<schema::StreamKind> stream_kind_named(std::string_view name);

// What the event says, in words: "run 1 on (n1:ncpus=1)". On one line.
std::string words(schema::Event::Reader event);
// Every field that is set: "run=1, session=4711". On one line.
std::string fields(schema::Event::Reader event);
// "Priority=5", "Resource_List.walltime=00:10:00", "-comment" for one that was taken away.
std::string attribute_text(schema::Attribute::Reader a);

std::string who_text(schema::Who::Reader who);  // "alice@front"
std::string time_text(std::int64_t wall_ns);    // "2026-11-21 08:00:01.123", local time
// As values::put_hex() has it: what users wrote into a log must not steer the terminal of whoever reads it.
std::string harmless(std::string_view text);
std::string hex(schema::byte_span bytes);

}  // namespace annals::audit
