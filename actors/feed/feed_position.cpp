#include "actors/feed/feed_position.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "events/log/log_mark.hpp"
#include "events/log/record.hpp"

namespace annals::actors {

namespace {

std::string bytes_of(capnp::Data::Reader d) { return {reinterpret_cast<const char*>(d.begin()), d.size()}; }

// Nothing: the log has no record with this sequence that can be read.
std::optional<log::chain_hash> hash_at(const ports::record_log& log, std::uint64_t sequence) {
  std::optional<log::chain_hash> found;
  (void)log.read(sequence, [&](std::uint64_t at, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    if (const auto* r = std::get_if<log::record_ptr>(&decoded); r && at == sequence) found = (*r)->hash();
    return false;
  });
  return found;
}

}  // namespace

std::string why_log_does_not_continue(const ports::record_log& log, const std::string& identity, schema::FollowerHello::Reader copy) {
  const auto of = bytes_of(copy.getLogUuid());
  const auto record = "record " + std::to_string(copy.getSequence());
  if (!of.empty() && of.size() != identity.size()) return "what the copy says of its log is no identity";
  if (!of.empty() && of != identity) return "the copy is of log " + log::hex(of) + ", and this is log " + log::hex(identity);
  if (copy.getSequence() == 0) return {};
  if (const auto last = log.last_sequence(); copy.getSequence() > last)
    return "the copy goes up to " + record + ", and the log ends with record " + std::to_string(last) + ": it is older than the copy";
  const auto found = hash_at(log, copy.getSequence());
  if (!found) return "the copy ends with " + record + ", which the log does not have";
  if (!std::ranges::equal(schema::bytes_of(copy.getHead()), *found))
    return "the copy ends with another " + record +
           " than the log has: one of the two was changed, or put back from a backup and went on by itself";
  return {};
}

}  // namespace annals::actors
