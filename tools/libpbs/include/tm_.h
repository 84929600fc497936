/*
 * The types of the task manager interface (tm.h).
 */
#ifndef TM__H
#define TM__H

typedef unsigned int tm_host_id; /* a host of the job */
typedef unsigned int tm_node_id; /* a line of the node file, from 0 */
typedef unsigned int tm_task_id; /* a task of the job; its own program is 1 */
typedef int tm_event_t;          /* something that tm_poll will tell */

#define TM_ERROR_NODE ((tm_node_id)-1)
#define TM_NULL_EVENT ((tm_event_t)0)
#define TM_ERROR_EVENT ((tm_event_t)-1)
#define TM_NULL_TASK ((tm_task_id)0)

/* What tm_init tells of the job. */
struct tm_roots {
  tm_task_id tm_me;        /* the calling task */
  tm_task_id tm_parent;    /* TM_NULL_TASK: not told */
  int tm_nnodes;           /* lines of the node file */
  int tm_ntasks;           /* tasks there are */
  int tm_taskpoolid;       /* -1: there are no pools */
  tm_task_id* tm_tasklist; /* null */
};

struct tm_whattodo {
  int tm_todo;
  tm_task_id tm_what;
  tm_node_id tm_where;
};

#endif
