#include "hooks-runtime/pbs_module/qsub_words.hpp"

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"

namespace annals::hooks::py {

std::optional<std::string_view> said_by_qsub(std::string_view attribute) {
  namespace ids = attributes::job;
  constexpr attributes::attribute_id always_said[] = {ids::Checkpoint, ids::Hold_Types, ids::Join_Path, ids::Keep_Files,
                                                      ids::Mail_Points, ids::Priority, ids::Rerunable};
  if (attribute == "queue") return "";
  for (const auto id : always_said) {
    const auto* row = attributes::find(schema::ObjectKind::JOB, id);
    if (row->name == attribute) return row->default_value;
  }
  return std::nullopt;
}

}  // namespace annals::hooks::py
