// The attributes of a new job, packed at once: set one by one they cost most of a replay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"

namespace annals::model {

// What a job has that its owner did not ask for.
inline constexpr std::pair<attributes::attribute_id, std::string_view> queued_defaults[] = {
    {attributes::job::Checkpoint, "u"},
    {attributes::job::Join_Path, "n"},
    {attributes::job::Keep_Files, "n"},
    {attributes::job::Mail_Points, "a"},
    {attributes::job::Priority, "0"},
    {attributes::job::Rerunable, "True"},
    {attributes::job::project, "_pbs_project_default"}};

// One at a time on each thread. The last one put counts.
class gathered_attributes {
 public:
  gathered_attributes();
  void put(attributes::attribute_id id, std::string_view value) { put(id, {}, value); }
  void put(attributes::attribute_id id, std::string_view resource, std::string_view value) { entries_.push_back({id, resource, value}); }
  // The name is the n-th of this job. Most jobs name the same ones in the same order: what stood there in the job before is tried first.
  void put(std::size_t n, std::string_view name, std::string_view resource, std::string_view value);
  attributes::attribute_set pack();

 private:
  // Its memory serves the next job.
  struct memory {
    std::vector<attributes::entry> entries;
    std::vector<std::uint64_t> order;  // of each entry: its id and where it is
    std::array<const attributes::attribute*, 64> rows{};
  };
  static memory& of_this_thread();
  explicit gathered_attributes(memory& m) : entries_(m.entries), order_(m.order), rows_(m.rows) {}

  const attributes::entry& of(std::uint64_t place) const { return entries_[static_cast<std::uint32_t>(place)]; }
  void sort();

  std::vector<attributes::entry>& entries_;
  std::vector<std::uint64_t>& order_;
  std::array<const attributes::attribute*, 64>& rows_;
};

}  // namespace annals::model
