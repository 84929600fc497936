#include "tools/replay/simulated_log.hpp"

#include <algorithm>

namespace annals::replay {

// Its sequence is that of the record before it: nobody asks for it by number.
void simulated_log::write(std::uint64_t stream, std::int64_t wall_ns, const std::function<void(schema::Event::Builder)>& fill) {
  const auto message = schema::make<schema::Record>([&](schema::Record::Builder r) {
    r.setSequence(now_.sequence());
    r.setStream(stream);
    r.setWallNs(std::max(wall_ns, now_.wall_ns()));
    r.setRawNs(wall_ns);
    r.initWho().setRole(schema::Role::SERVER);
    fill(r.initEvent());
  });
  fold(log::record(message, {}));
}

}  // namespace annals::replay
