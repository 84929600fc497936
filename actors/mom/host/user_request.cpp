#include "actors/mom/host/user_request.hpp"

#include "actors/mom/host/order_file.hpp"

namespace annals::mom {
namespace {

constexpr std::string_view request_kind = "annals-request";
constexpr std::string_view answer_kind = "annals-answer";

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto n = whole_number(text);
  if (!n || *n > UINT32_MAX) return {};
  return static_cast<std::uint32_t>(*n);
}

// A field ends at a NUL, and what a program wrote may have some.
std::string without_nuls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text)
    if (c == '\0') out += "\\0";
    else if (c == '\\') out += "\\\\";
    else out += c;
  return out;
}

std::string with_nuls(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    if (escape) ++i;
    out += escape && text[i] == '0' ? '\0' : text[i];
  }
  return out;
}

stage_task::kind kind_of(std::string_view name) {
  return name == "stage_in" ? stage_task::kind::in : name == "stage_out" ? stage_task::kind::out
                                                                         : stage_task::kind::drop;
}
std::string_view name_of(stage_task::kind what) {
  return what == stage_task::kind::in ? "stage_in" : what == stage_task::kind::out ? "stage_out"
                                                                                   : "drop";
}

bool take_stage(user_request& r, std::string_view name, std::string_view value) {
  if (r.stages.empty()) return false;
  if (name == "stage_host")
    r.stages.back().host = value;
  else if (name == "stage_path")
    r.stages.back().there = value;
  else if (name == "stage_local")
    r.stages.back().local = value == "1";
  else
    return false;
  return true;
}

// "record" begins one, as an entry of the index without its place.
bool take_record(copy_task& copy, std::string_view name, std::string_view value) {
  if (name == "record") {
    const auto record = values::parse_output_entry(value);
    if (record) copy.record = {{}, {}, {}, *record};
    return record.has_value();
  }
  if (!copy.record) return false;
  if (name == "record_path")
    copy.record->path = value;
  else if (name == "record_inner")
    copy.record->inner = value;
  else if (name == "record_host")
    copy.record->host = value;
  else
    return false;
  return true;
}

// "copy", "stage_in", "append" begin a task; the fields that belong to it follow.
bool take(user_request& r, std::string_view name, std::string_view value) {
  const auto number = small_number(value);
  if (name == "uid") {
    r.uid = number.value_or(0);
    return number.has_value();
  }
  if (name == "gid") {
    r.gid = number.value_or(0);
    return number.has_value();
  }
  if (name == "group") {
    r.groups.push_back(number.value_or(0));
    return number.has_value();
  }
  if (name == "pause") {
    r.pauses_s.push_back(number.value_or(0));
    return number.has_value();
  }
  if (name == "copying_s") {
    r.copying_s = number.value_or(0);
    return number.has_value();
  }
  if (name == "change_user")
    r.change_user = value == "1";
  else if (name == "first_try")
    r.first_try = value == "1";
  else if (name == "user")
    r.user = value;
  else if (name == "home")
    r.home = value;
  else if (name == "scp")
    r.scp.emplace_back(value);
  else if (name == "copy")
    r.copies.push_back({std::string(value), {}, {}, {}, false, {}});
  else if (name == "append")
    r.appends.push_back({std::string(value), {}, false});
  else if (name == "directory")
    r.directories.emplace_back(value);
  else if (name == "remove")
    r.removals.emplace_back(value);
  else if (name == "kept_with")
    r.kept_with.emplace_back(value);
  else if (name == "text" && !r.appends.empty())
    r.appends.back().text = with_nuls(value);
  else if (name == "shared" && !r.appends.empty())
    r.appends.back().shared = value == "1";
  else if (name == "jobdir")
    r.jobdir = value;
  else if (name == "lock")
    r.lock = value;
  else if (name == "cp")
    r.cp.emplace_back(value);
  else if (name == "stage_in" || name == "stage_out" || name == "drop")
    r.stages.push_back({kind_of(name), std::string(value), {}, {}, false});
  else if (name.starts_with("stage_"))
    return take_stage(r, name, value);
  else if (r.copies.empty())
    return false;
  else if (name == "host")
    r.copies.back().to_host = value;
  else if (name == "path")
    r.copies.back().to_path = value;
  else if (name == "retained")
    r.copies.back().retained = value;
  else if (name == "local")
    r.copies.back().local = value == "1";
  else if (name.starts_with("record"))
    return take_record(r.copies.back(), name, value);
  else
    return false;
  return true;
}

}  // namespace

std::string print_request(const user_request& r) {
  field_writer out(request_kind);
  if (r.change_user) out.put("change_user", "1");
  out.put("uid", std::uint64_t{r.uid});
  out.put("gid", std::uint64_t{r.gid});
  for (const auto g : r.groups) out.put("group", std::uint64_t{g});
  out.put("user", r.user);
  out.put("home", r.home);
  if (!r.jobdir.empty()) out.put("jobdir", r.jobdir);
  if (!r.lock.empty()) out.put("lock", r.lock);
  for (const auto& s : r.cp) out.put("cp", s);
  for (const auto& s : r.scp) out.put("scp", s);
  for (const auto p : r.pauses_s) out.put("pause", std::uint64_t{p});
  if (r.copying_s != 0) out.put("copying_s", std::uint64_t{r.copying_s});
  if (r.first_try) out.put("first_try", "1");
  for (const auto& c : r.copies) {
    out.put("copy", c.from);
    out.put("host", c.to_host);
    out.put("path", c.to_path);
    out.put("retained", c.retained);
    if (c.local) out.put("local", "1");
    const auto entry = c.record ? values::print_output_entry(c.record->record) : std::nullopt;
    if (!entry) continue;
    out.put("record", *entry);
    out.put("record_path", c.record->path);
    out.put("record_inner", c.record->inner);
    out.put("record_host", c.record->host);
  }
  for (const auto& s : r.stages) {
    out.put(name_of(s.what), s.here);
    out.put("stage_host", s.host);
    out.put("stage_path", s.there);
    if (s.local) out.put("stage_local", "1");
  }
  for (const auto& d : r.directories) out.put("directory", d);
  for (const auto& a : r.appends) {
    out.put("append", a.file);
    out.put("text", without_nuls(a.text));
    if (a.shared) out.put("shared", "1");
  }
  for (const auto& path : r.removals) out.put("remove", path);
  for (const auto& file : r.kept_with) out.put("kept_with", file);
  return out.finish();
}

std::optional<user_request> parse_request(std::string_view bytes) {
  const auto fields = parse_fields(request_kind, bytes);
  if (!fields) return {};
  user_request r;
  for (const auto& [name, value] : *fields)
    if (!take(r, name, value)) return {};
  return r;
}

bool same_user(const user_request& a, const user_request& b) {
  return a.change_user == b.change_user && a.uid == b.uid && a.gid == b.gid && a.groups == b.groups;
}

std::string_view first_of(std::string_view bytes) { return bytes.substr(0, order_size(bytes)); }

std::string print_answer(const user_answer& answer) {
  field_writer out(answer_kind);
  out.put("delivered", std::uint64_t{answer.delivered});
  out.put("text", answer.text);
  if (answer.appended != 0) out.put("appended", answer.appended);
  for (const auto& t : answer.tries) out.put("try", t);
  for (const auto n : answer.settled) out.put("settled", std::uint64_t{n});
  return out.finish();
}

std::optional<user_answer> parse_answer(std::string_view bytes) {
  const auto fields = parse_fields(answer_kind, bytes);
  if (!fields) return {};
  user_answer a;
  for (const auto& [name, value] : *fields) {
    if (name == "text")
      a.text = value;
    else if (name == "try")
      a.tries.emplace_back(value);
    else if (const auto bytes = whole_number(value); name == "appended" && bytes)
      a.appended = *bytes;
    else if (const auto n = small_number(value); name == "delivered" && n)
      a.delivered = *n;
    else if (name == "settled" && n)
      a.settled.push_back(*n);
    else
      return {};
  }
  return a;
}

}  // namespace annals::mom
