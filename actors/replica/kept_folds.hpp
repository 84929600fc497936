// Who makes checkpoints: every fold that a start has, each from its beginning, and where rows of finished jobs are, which are not in the
// checkpoint but in files beside it. Governed by docs/design/0068-checkpoints.md.
#pragma once

#include "actors/replica/replica.hpp"
#include "projections/rows/row_file.hpp"

namespace annals::actors {

class kept_folds {
 public:
  virtual ~kept_folds() = default;
  virtual replica& all() = 0;
  // In memory, and so in the checkpoint, until they are told of files.
  virtual projections::row_file& history() = 0;
  virtual projections::row_file& past() = 0;
};

}  // namespace annals::actors
