#include "tools/audit/kept_script.hpp"

#include "events/log/log_copy.hpp"
#include "events/schema/event.hpp"
#include "tools/audit/scan.hpp"

namespace annals::audit {
namespace {

// A subjob runs the script that its array was submitted with.
std::string submitted_as(const std::string& id) {
  const auto open = id.find('['), close = id.find(']');
  if (open == std::string::npos || close == std::string::npos) return id;
  return id.substr(0, open + 1) + id.substr(close);
}

}  // namespace

kept_script script_of(const ports::event_store& store, const std::string& full_id) {
  const auto wanted = submitted_as(full_id);
  kept_script found;
  std::string hash;
  const auto take = [&](const log::record_ptr& r) {
    const auto event = r->event();
    if (!schema::is(event, schema::JobEvent::QUEUED)) return true;
    const auto queued = event.getJob().getQueued();
    if (schema::text(queued.getId()) != wanted) return true;
    found.known = true;
    const auto bytes = queued.getScript().getHash().asChars();
    hash.assign(bytes.begin(), bytes.size());
    return false;
  };
  (void)scan(store, 1, store.last_sequence(), {take, [](std::uint64_t, const std::string&) {}});  // goes on behind damage
  if (hash.empty()) {
    found.why = "has no script";
    return found;
  }
  ports::store_status why;
  if (const auto content = store.read_blob(hash, &why))
    found.text = std::string(reinterpret_cast<const char*>(content->data()), content->size());
  else if (log::is_copy(store))
    found.why = std::string("has a script that is not here: ") + log::copy_has_no_blobs;
  else
    found.why = "has lost its script" + (why.text.empty() ? "" : ": " + why.text);
  return found;
}

}  // namespace annals::audit
