#include "tools/audit/marks_beside.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "events/log/losses.hpp"

namespace annals::audit {

namespace fs = std::filesystem;

std::optional<projections::checkpoint_mark> read_accounting_mark(const std::string& log_directory) {
  std::ifstream in(fs::path(log::check_notes_file(log_directory)).parent_path() / "accounting", std::ios::binary);
  return projections::newest_mark(std::string(std::istreambuf_iterator<char>(in), {}));
}

marks_beside read_marks_beside(const std::string& log_directory) {
  const auto notes = log::check_notes_file(log_directory);
  auto mark = log::read_mark_file((fs::path(notes).parent_path().parent_path() / "log.mark").string());
  marks_beside marks{log::read_check_notes(notes), std::nullopt, read_accounting_mark(log_directory)};
  if (auto* m = std::get_if<log::log_mark>(&mark)) marks.mark = std::move(*m);
  return marks;
}

log_names names_of(const ports::record_log& log) { return {log::name_of_log(log), log::identity_of(log)}; }

bool is_of(const projections::checkpoint_mark& mark, const std::string& name) {
  return !mark.log.empty() && name.starts_with(mark.log);
}

std::uint64_t known_sequence(const marks_beside& marks, const log_names& own) {
  std::uint64_t known = 0;
  if (const auto& n = marks.notes; n && (own.name.empty() || n->log == own.name))
    known = std::max(n->last ? n->last->upto : 0, n->present ? n->present->upto : 0);
  if (const auto& m = marks.mark; m && (own.identity.empty() || m->log.empty() || m->log == own.identity))
    known = std::max(known, m->sequence);
  if (const auto& a = marks.accounting; a && (own.name.empty() || is_of(*a, own.name))) known = std::max(known, a->sequence);
  return known;
}

}  // namespace annals::audit
