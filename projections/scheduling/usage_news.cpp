#include "projections/scheduling/usage_news.hpp"

#include <algorithm>

namespace annals::projections {

namespace {
constexpr std::size_t usages_per_message = 5000;  // of at most a kilobyte, mostly a few dozen bytes: far below the largest frame
}  // namespace

void usage_news::append(std::vector<schema::sealed<schema::ToScheduler>>& out, std::uint64_t epoch, std::uint64_t before, bool full) {
  if (full) told_ = {};
  // As of the last record, so that the view at a sequence is the same whenever it is made.
  const auto news = from_.shares().news_for(scheduler_, from_.wall_ns(), told_);
  for (std::size_t first = 0; first < news.usages.size() || (first == 0 && news.all); first += usages_per_message) {
    const auto count = std::min(usages_per_message, news.usages.size() - first);
    out.push_back(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto d = m.initView();
      d.setEpoch(epoch);
      d.setPrevious(first == 0 ? before : from_.sequence());
      d.setSequence(from_.sequence());
      d.setUsagesChanged(news.all && first == 0);
      auto list = d.initUsages(static_cast<unsigned>(count));
      for (unsigned i = 0; i < count; ++i) {
        list[i].setEntity(news.usages[first + i].entity);
        list[i].setUsage(news.usages[first + i].usage);
      }
    }));
  }
}

}  // namespace annals::projections
