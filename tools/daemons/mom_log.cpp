#include "tools/daemons/mom_log.hpp"

#include <openssl/rand.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "events/log/losses.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/schema/readable.hpp"
#include "tools/daemons/home.hpp"

namespace annals::daemons {

namespace {

constexpr std::size_t server_mark_bytes_max = 64u << 10;  // a line, a signature and a certificate: 2 KB

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string server_mark_file(const std::string& priv) { return priv + "/server_log.mark"; }

// Durable before the server hears of it: a MoM that forgets it would make the server give up runs that go on.
std::string new_uuid(const std::string& file) {
  std::string uuid(16, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(uuid.data()), 16) != 1) throw std::runtime_error("no random numbers from the system");
  log::replace_file(file, uuid);
  return uuid;
}

}  // namespace

std::string mom_mark_file(const std::string& priv) { return priv + "/log.mark"; }
std::string mom_uuid_file(const std::string& priv) { return priv + "/log_uuid"; }

mom_log open_mom_log(const std::string& priv, const std::function<void(const std::string&)>& note) {
  const auto path = priv + "/log", uuid_file = mom_uuid_file(priv);
  mom_log opened{open_store(path), read_file(uuid_file)};
  const auto mark = log::read_mark_file(mom_mark_file(priv));
  if (const auto* bad = std::get_if<log::bad_mark>(&mark)) note(bad->why + ": it can't be told whether this MoM's log is whole");
  const auto* known = std::get_if<log::log_mark>(&mark);
  const bool named = opened.uuid.size() == 16;
  const auto missing = known ? log::lacking(*opened.store, named ? opened.uuid : known->log, {"mom_priv/log.mark", *known}) : std::nullopt;
  if (missing) {
    note("the log in " + path + " is not what it was: " + *missing);
    note("jobs that ran here under what is missing are lost: the server is told that this log is a new one");
  }
  if (missing || !named) {
    opened.uuid = new_uuid(uuid_file);
    std::filesystem::remove(mom_mark_file(priv));  // of the former log
  }
  return opened;
}

schema::sealed<schema::LogMark> read_server_mark(const std::string& priv) {
  const auto bytes = read_file(server_mark_file(priv));
  if (bytes.empty() || bytes.size() > server_mark_bytes_max) return {};
  auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())));
  if (!message) return {};
  schema::sealed<schema::LogMark> mark(std::move(*message));
  return schema::is_readable(mark) ? mark : schema::sealed<schema::LogMark>();
}

void write_server_mark(const std::string& priv, const schema::sealed<schema::LogMark>& mark) {
  const auto bytes = mark.bytes();
  log::replace_file(server_mark_file(priv), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace annals::daemons
