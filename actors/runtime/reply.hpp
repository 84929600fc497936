// Where the answer to a command goes. Called at most once, only after what it reports is on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "events/model/outcome.hpp"

namespace annals::actors {

class reply_to {
 public:
  virtual ~reply_to() = default;
  virtual void done(std::uint64_t sequence, const std::string& text) = 0;
  virtual void refused(std::uint64_t sequence, const model::rejection& why) = 0;
};
using reply_ptr = std::shared_ptr<reply_to>;

}  // namespace annals::actors
