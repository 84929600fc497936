#include "tools/export/file_names.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace annals::exporting {

using json = nlohmann::ordered_json;

std::string file_of_day(const std::string& day, const file_choice& choice) {
  return day + (choice.form == file_form::csv ? ".csv" : ".jsonl") + (choice.compressed ? ".gz" : "");
}

std::optional<std::string> day_of_file(std::string_view name) {
  constexpr std::string_view form = "dddd-dd-dd";
  if (name.size() <= form.size()) return std::nullopt;
  const auto rest = name.substr(form.size());
  if (rest != ".csv" && rest != ".csv.gz" && rest != ".jsonl" && rest != ".jsonl.gz") return std::nullopt;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? name[i] < '0' || name[i] > '9' : name[i] != form[i]) return std::nullopt;
  return std::string(name.substr(0, form.size()));
}

std::string print_file_position(const file_position& p) {
  json out;
  out["schema_version"] = p.version;
  out["form"] = p.choice.form == file_form::csv ? "csv" : "jsonl";
  out["compressed"] = p.choice.compressed;
  out["sequence"] = p.at.sequence;
  out["hash"] = p.at.hash;
  out["notes"] = p.at.notes;
  out["day"] = p.day;
  out["bytes"] = json::object();
  for (const auto& [table, bytes] : p.bytes) out["bytes"][table] = bytes;
  return out.dump(1) + "\n";
}

std::optional<file_position> read_file_position(std::string_view text) {
  const auto in = json::parse(text, nullptr, false);
  if (!in.is_object()) return std::nullopt;
  const auto number = [&](const json& of, const char* name) {
    const auto at = of.find(name);
    return at != of.end() && at->is_number_unsigned() ? std::optional(at->get<std::uint64_t>()) : std::nullopt;
  };
  const auto word = [&](const char* name) {
    const auto at = in.find(name);
    return at != in.end() && at->is_string() ? std::optional(at->get<std::string>()) : std::nullopt;
  };
  const auto version = number(in, "schema_version"), sequence = number(in, "sequence");
  const auto form = word("form"), hash = word("hash"), notes = word("notes"), day = word("day");
  const auto compressed = in.find("compressed"), bytes = in.find("bytes");
  if (!version || *version > 1'000'000 || !sequence || !form || !hash || !notes || !day) return std::nullopt;
  if (compressed == in.end() || !compressed->is_boolean() || bytes == in.end() || !bytes->is_object()) return std::nullopt;
  if (*form != "csv" && *form != "jsonl") return std::nullopt;
  if (!day->empty() && day_of_file(*day + ".csv") != day) return std::nullopt;
  file_position p{static_cast<int>(*version),
                  {*form == "csv" ? file_form::csv : file_form::json_lines, compressed->get<bool>()},
                  {*sequence, *hash, *notes},
                  *day,
                  {}};
  for (const auto& [table, length] : bytes->items()) {
    if (!length.is_number_unsigned()) return std::nullopt;
    p.bytes[table] = length.get<std::uint64_t>();
  }
  return p;
}

}  // namespace annals::exporting
