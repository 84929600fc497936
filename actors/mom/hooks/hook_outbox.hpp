// What hooks did on this host and the server has not yet written down: a file for each report, so that none is lost when the
// MoM ends, and told again until it is acknowledged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

// The report that a file holds; nothing: it was cut off, or is none.
std::optional<schema::sealed<schema::FromMom>> read_hook_report(schema::byte_span file);

class hook_outbox {
 public:
  // directory: made when the first report comes. Reads what an earlier life of the MoM left.
  explicit hook_outbox(std::string directory);

  // Positions rise over all lives of the MoM: they follow the clock.
  std::uint64_t next_position(std::int64_t now_ns);
  void put(std::uint64_t position, schema::sealed<schema::FromMom> report);
  void acknowledged(std::uint64_t position);
  void each(const std::function<void(const schema::sealed<schema::FromMom>&)>& tell) const;
  bool empty() const { return reports_.empty(); }

 private:
  std::string file_of(std::uint64_t position) const;

  std::string directory_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, schema::sealed<schema::FromMom>> reports_;
};

}  // namespace annals::actors
