// What hooks did on this host and the server has not yet written down: a file for each report, so that none is lost when the
// MoM ends, and told again until it is acknowledged. Who writes and removes the files does so on a thread where the disk may take its
// time; the outbox itself is in memory, once it has read what an earlier life of the MoM left.
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
// Puts a report into its file; the directory is made if it is missing. Empty: all of it is on the disk, with its name. Else why it is
// not, and there is no file. On any thread.
std::string write_hook_report(const std::string& directory, std::uint64_t position, schema::byte_span report);
// On any thread.
void remove_hook_report(const std::string& directory, std::uint64_t position);

class hook_outbox {
 public:
  // Reads what is in the directory.
  explicit hook_outbox(const std::string& directory);

  // Positions rise over all lives of the MoM: they follow the clock.
  std::uint64_t next_position(std::int64_t now_ns);
  // From now on it is told. Its file was written before, or could not be: then a MoM that ends takes it along.
  void put(std::uint64_t position, schema::sealed<schema::FromMom> report);
  // False: it was acknowledged before. Its file is to be removed.
  bool acknowledged(std::uint64_t position) { return reports_.erase(position) > 0; }
  void each(const std::function<void(const schema::sealed<schema::FromMom>&)>& tell) const;
  bool empty() const { return reports_.empty(); }

 private:
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, schema::sealed<schema::FromMom>> reports_;
};

}  // namespace annals::actors
