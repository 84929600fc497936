#include "actors/server/object_actors.hpp"

namespace annals::actors {

template class event_sourced_actor<server_aggregate>;
template class event_sourced_actor<queue_aggregate>;
template class event_sourced_actor<scheduler_aggregate>;
template class event_sourced_actor<hook_aggregate>;

}  // namespace annals::actors
