#include "tools/audit/log_status.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "events/values/shown_text.hpp"
#include "tools/audit/event_text.hpp"

namespace annals::audit {

namespace {

using json = nlohmann::ordered_json;

std::string size_text(std::uintmax_t bytes) {
  constexpr const char* units[] = {"bytes", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  double n = static_cast<double>(bytes);
  for (; n >= 1024 && unit + 1 < std::size(units); ++unit) n /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", n, units[unit]);
  return text;
}

std::string found_text(std::uint64_t count) {
  return count == 0 ? "sound" : "DAMAGED: " + std::to_string(count) + (count == 1 ? " fault" : " faults");
}

std::string texts_of(const std::vector<std::string>& some, std::uint64_t count) {
  std::string text;
  for (const auto& f : some) text += "  " + harmless(f) + "\n";
  if (count > some.size()) text += "  and " + std::to_string(count - some.size()) + " more\n";
  return text;
}

// What it found, and beside that what is known to be lost.
template <class Findings>
std::string faults_text(const Findings& of) {
  return texts_of(of.faults, of.fault_count) + texts_of(of.lost, of.lost_count);
}

std::string present_text(const log::check_notes& n) {
  const auto& s = *n.present;
  std::string text = "verification now    since " + time_text(n.began_ns) + ": ";
  switch (s.phase) {
    case log::check_phase::records: text += "record " + std::to_string(s.next - 1) + " of " + std::to_string(s.upto); break;
    case log::check_phase::index: text += "all " + std::to_string(s.upto) + " records, now their index"; break;
    default: text += "all " + std::to_string(s.upto) + " records and their index, now the other tables"; break;
  }
  return text + "; so far " + found_text(s.fault_count) + "\n" + faults_text(s);
}

std::string checkpoint_text(const log_status& s) {
  if (!s.checkpoint) return "none";
  const auto at = s.checkpoint->sequence;
  if (at > s.last_sequence) return "#" + std::to_string(at) + ", behind the log's end: it is of another log";
  return "#" + std::to_string(at) + ", made " + time_text(s.checkpoint->made_ns) + "; " + std::to_string(s.last_sequence - at) +
         " records came after it";
}

}  // namespace

log_status status_of(const ports::event_store& store, const std::string& directory) {
  log_status s;
  s.directory = directory;
  s.last_sequence = store.last_sequence();
  (void)store.read(s.last_sequence, [&](std::uint64_t, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    if (const auto* r = std::get_if<log::record_ptr>(&decoded)) s.last_ns = (*r)->get().getWallNs();
    return false;
  });
  std::error_code gone;  // a file may go while we look
  for (const auto& entry : std::filesystem::directory_iterator(directory, gone))
    if (const auto bytes = entry.file_size(gone); !gone) {
      s.bytes += bytes;
      ++s.files;
    }
  s.checkpoint = actors::read_checkpoint_head((std::filesystem::path(directory).parent_path() / "checkpoint" / "state").string());
  s.notes = log::read_check_notes(log::check_notes_file(directory));
  if (s.notes && s.notes->log != log::name_of_log(store)) s.notes.reset();
  return s;
}

std::string status_text(const log_status& s) {
  std::string text = "log                 " + s.directory + "\nlast record         #" + std::to_string(s.last_sequence);
  if (s.last_ns != 0) text += ", " + time_text(s.last_ns);
  text += "\nsize                " + size_text(s.bytes) + " in " + std::to_string(s.files) + " files\n";
  text += "last checkpoint     " + checkpoint_text(s) + "\n";
  const auto* last = s.notes && s.notes->last ? &*s.notes->last : nullptr;
  text += "last verification   ";
  if (!last) text += "none that is known\n";
  else
    text += "ended " + time_text(last->ended_ns) + ": " + std::to_string(last->records) + " records up to #" + std::to_string(last->upto) +
            ", " + std::to_string(last->blobs) + " blobs: " + found_text(last->fault_count) + "\n" +
            faults_text(*last);
  text += s.notes && s.notes->present ? present_text(*s.notes) : std::string("verification now    none\n");
  if (!s.sound()) text += "Run `pbs_audit verify`; see `pbs_audit salvage` in pbs_audit(8).\n";
  return text;
}

std::string status_json(const log_status& s) {
  json out{
      {"log", s.directory},
      {"lastSequence", s.last_sequence},
      {"lastWallNs", s.last_ns},
      {"bytes", s.bytes},
      {"files", s.files},
      {"sound", s.sound()},
  };
  if (s.checkpoint) out["checkpoint"] = {{"sequence", s.checkpoint->sequence}, {"madeNs", s.checkpoint->made_ns}};
  if (s.notes && s.notes->last) {
    const auto& l = *s.notes->last;
    out["last"] = {
        {"beganNs", l.began_ns},
        {"endedNs", l.ended_ns},
        {"upto", l.upto},
        {"records", l.records},
        {"blobs", l.blobs},
        {"faultCount", l.fault_count},
        {"faults", l.faults},
        {"lostCount", l.lost_count},
        {"lost", l.lost},
    };
  }
  if (s.notes && s.notes->present) {
    const auto& p = *s.notes->present;
    constexpr const char* phases[] = {"records", "index", "rest", "done"};
    out["present"] = {{"beganNs", s.notes->began_ns},
                      {"phase", phases[static_cast<std::size_t>(p.phase)]},
                      {"next", p.next},
                      {"upto", p.upto},
                      {"faultCount", p.fault_count},
                      {"faults", p.faults},
                      {"lostCount", p.lost_count},
                      {"lost", p.lost}};
  }
  return values::json_escaped(out.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace annals::audit
