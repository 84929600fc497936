#include "tools/daemons/server_log.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "events/log/log_copy.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "projections/accounting/checkpoint_mark.hpp"
#include "tools/daemons/home.hpp"

namespace annals::daemons {

namespace fs = std::filesystem;

std::string mark_file(const std::string& priv) { return priv + "/log.mark"; }
std::string witness_file(const std::string& priv) { return priv + "/log.witness"; }
std::string permit_file(const std::string& priv) { return priv + "/log.create"; }

namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::runtime_error(text); }

bool has_files(const std::string& directory) {
  std::error_code unknown;
  return fs::is_directory(directory, unknown) && !fs::is_empty(directory, unknown);
}

// The mark of a file, as a witness.
std::optional<log::witness> witness_of(const std::string& file, const std::string& name) {
  auto read = log::read_mark_file(file);
  if (auto* mark = std::get_if<log::log_mark>(&read)) return log::witness{name, std::move(*mark)};
  if (const auto* bad = std::get_if<log::bad_mark>(&read))
    refuse(bad->why +
           ": it can't be told whether the log is whole\n"
           "If `pbs_audit verify` finds it so and nothing is missing from it, remove the file and start again.");
  return std::nullopt;
}

// Accounting names a log by its first record's chain hash (actors/server/accounting_actor.cpp).
std::string accounting_name(const ports::event_store& store) {
  std::string name;
  (void)store.read(1, [&](std::uint64_t, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    if (const auto* r = std::get_if<log::record_ptr>(&decoded)) {
      const auto hash = (*r)->hash();
      name = log::hex({reinterpret_cast<const char*>(hash.data()), 16});
    }
    return false;
  });
  return name;
}

// A checkpoint of another log tells nothing of this one.
std::optional<log::witness> accounting_witness(const std::string& priv, const ports::event_store* store) {
  std::ifstream in(priv + "/views/accounting", std::ios::binary);
  const auto newest = projections::newest_mark(std::string(std::istreambuf_iterator<char>(in), {}));
  if (!newest || newest->sequence == 0) return std::nullopt;
  if (store && store->last_sequence() > 0 && newest->log != accounting_name(*store)) return std::nullopt;
  log::witness w{"the accounting checkpoint", {}};
  w.mark.sequence = newest->sequence;
  return w;
}

std::vector<log::witness> witnesses_of(const std::string& priv, const ports::event_store* store) {
  std::vector<log::witness> all;
  const auto add = [&](std::optional<log::witness> w) { if (w) all.push_back(std::move(*w)); };
  add(witness_of(mark_file(priv), "server_priv/log.mark"));
  add(witness_of(witness_file(priv), "a MoM (server_priv/log.witness)"));
  add(accounting_witness(priv, store));
  return all;
}

// -t create makes a cluster where none was, and never over one.
void check_nothing_is_there(const std::string& priv) {
  for (const auto& path : {priv + "/log", mark_file(priv), witness_file(priv)})
    if (path.ends_with("/log") ? has_files(path) : fs::exists(path))
      refuse("-t create makes a new cluster only where none was, and there is " + path +
             "\nTo begin anew, first move away " + priv + "/log, " + mark_file(priv) + " and, if it is there, " + witness_file(priv) + ".");
}

std::string how_to_go_on(const std::string& path) {
  return "The server does not start: it would give numbers of jobs again and end jobs that run.\n"
         "Put the right log back to " +
         path +
         " (is its file system mounted?), or start once with --accept-loss to go on without what is missing. "
         "`pbs_audit verify` says whether a copy of a log is sound.";
}

[[noreturn]] void refuse_loss(const std::string& path, const std::vector<std::string>& missing) {
  std::string text = "the log in " + path + " is not what it was";
  for (const auto& m : missing) text += "\n" + m;
  refuse(text + "\n" + how_to_go_on(path));
}

// Also the log's own identity goes on, if somebody knows it: MoMs and the mark speak of the same log then.
std::string known_identity(const std::vector<log::witness>& all) {
  for (const auto& w : all)
    if (!w.mark.log.empty()) return w.mark.log;
  return {};
}

server_log begin_log(const std::string& path, const std::vector<log::witness>& known, bool permitted, const log_options& options) {
  if (has_files(path)) refuse(path + " holds files, but no log: its file CURRENT is missing. Put it back, or move the directory away.");
  if (!known.empty() && !options.accept_loss) {
    std::vector<std::string> missing;
    for (const auto& w : known)
      missing.push_back(w.name + " knows record " + std::to_string(w.mark.sequence) +
                        ", there is no log: " + std::to_string(w.mark.sequence) + " records are missing");
    refuse_loss(path, missing);
  }
  if (known.empty() && !permitted)
    refuse("there is no log in " + path +
           ", and nothing says that this home is new: is its file system not mounted?\n"
           "`pbs_server -t create` makes a new cluster.");
  server_log opened{open_store(path), known_identity(known), std::nullopt};
  if (!known.empty()) opened.loss = log::loss_to_accept{known, options.by, options.host};
  return opened;
}

}  // namespace

server_log open_server_log(const std::string& priv, const log_options& options, const std::function<void(const std::string&)>& note) {
  const auto path = priv + "/log";
  if (options.create) {
    check_nothing_is_there(priv);
    return begin_log(path, {}, true, options);
  }
  if (!log::has_event_store(path)) return begin_log(path, witnesses_of(priv, nullptr), fs::exists(permit_file(priv)), options);

  server_log opened{open_store(path), {}, std::nullopt};
  if (log::is_copy(*opened.store))
    refuse("the log in " + path +
           " is a follower's copy: it has no scripts, hooks' files and policies\n"
           "`pbs_audit salvage` makes a log of it that a server can start on, and says what is lost.");
  opened.identity = log::identity_of(*opened.store);
  const auto known = witnesses_of(priv, opened.store.get());
  std::vector<std::string> missing;
  std::vector<log::witness> surprised;
  for (const auto& w : known)
    if (auto text = log::lacking(*opened.store, opened.identity, w)) {
      missing.push_back(std::move(*text));
      surprised.push_back(w);
    }
  if (!missing.empty() && !options.accept_loss) refuse_loss(path, missing);
  if (!missing.empty()) {
    for (const auto& text : missing) note(text);
    opened.loss = log::loss_to_accept{surprised, options.by, options.host};
  } else if (options.accept_loss) {
    note("--accept-loss has no effect: nothing of the log is missing");
  }
  if (opened.identity.empty() && opened.store->last_sequence() == 0) opened.identity = known_identity(known);
  const bool has_mark = fs::exists(mark_file(priv));
  opened.is_copy = !opened.loss && opened.store->last_sequence() > 0 && (!has_mark || log::is_copied_mark_file(mark_file(priv)));
  if (opened.store->last_sequence() > 0 && !has_mark)
    note(mark_file(priv) + " is missing: it can't be told whether the log is whole. It is made anew.");
  return opened;
}

void forget_former_log(const std::string& priv) {
  std::error_code unknown;
  fs::remove(witness_file(priv), unknown);
  fs::remove(permit_file(priv), unknown);
}

}  // namespace annals::daemons
