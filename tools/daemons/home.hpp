// What every daemon with a log needs of its host: its name, its directories, its store, and room on its disk.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "events/ports/event_store.hpp"

namespace annals::daemons {

// The name the kernel gives this host, as PBS uses it where no name is configured.
std::string own_host_name();

// Makes a directory of PBS_HOME unless it is there (pbs guide: PBS_HOME, modes). Throws std::runtime_error when it
// cannot be made or written.
void make_directory(const std::string& path, std::filesystem::perms mode);

// Whether the disk below a directory has room to resume writing after it was full.
bool has_space(const std::string& directory);

// Opens the event store of a daemon; throws std::runtime_error with what the store says.
std::unique_ptr<ports::event_store> open_store(const std::string& path);

}  // namespace annals::daemons
