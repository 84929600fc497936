// The directories of a scheduler on disk: what makes one good, and how they are made.
#pragma once

#include <string>

namespace annals::daemons {

// Why a scheduler does not take this directory as its sched_priv (MS-11, MS-14); empty: it does. It must be owned by who runs the
// scheduler or by root, closed to others (mode 750 or less), and have a sched_config that can be read; nobody else may be able to put
// another directory in its place. Whoever could do that with PBS_HOME is master of all of it: a directory below it is looked at alone.
std::string trouble_with_priv(const std::string& directory, const std::string& home);
// Why others than root and who runs the scheduler could write the sched_config of a good directory; empty: they can't, or it has none.
std::string trouble_with_config(const std::string& directory);
// The same as its sched_log (MS-15, MS-19): one that it can write to, and nobody else (mode 755 or less).
std::string trouble_with_logs(const std::string& directory, const std::string& home);

// Makes a sched_priv with mode 750 and the files of a scheduler as they are shipped, which stand in `defaults` (pbs guide: sched_priv).
// Throws std::runtime_error when it can't be made.
void make_priv_directory(const std::string& priv, const std::string& defaults);

// Where the logs of $PBS_HOME/sched_log or sched_log_<name> are: there, or in sched_logs..., if only that is a directory (MS-09).
std::string log_directory_at(const std::string& path);
// Makes it, if there is none, with mode 755; beside it a link of its older name, for tools that know only that. Throws
// std::runtime_error when it can't be made.
void make_log_directory(const std::string& path);

}  // namespace annals::daemons
