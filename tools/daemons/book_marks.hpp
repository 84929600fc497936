// How far a server's books are written down: a checkpoint that is ahead of them would have to be read past. Governed by
// docs/design/0068-checkpoints.md.
#pragma once

#include <cstdint>
#include <string>

namespace annals::daemons {

// The last record whose accounting lines and mails are written in server_priv; 0: nobody knows of any.
std::uint64_t books_are_at(const std::string& priv);

}  // namespace annals::daemons
