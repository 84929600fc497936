/* pbs_selectjob and pbs_selstat: the held jobs of a queue. selection QUEUE ID: just this one is held there. */
#include "check.h"

int main(int argc, char **argv) {
  int c = connected();
  char **ids;
  struct batch_status *jobs;
  struct attropl queue = {NULL, ATTR_q, NULL, argv[1], EQ};
  struct attropl held = {&queue, ATTR_state, NULL, "H", EQ};
  struct attropl walltime = {&queue, ATTR_l, "walltime", "99:00:00", GT};
  struct attropl nowhere = {NULL, ATTR_q, NULL, "nosuch", EQ};
  struct attrl only = {NULL, ATTR_N, NULL, NULL, SET};
  CHECK(argc == 3);
  ids = pbs_selectjob(c, &held, NULL);
  CHECK(ids && ids[0] && strcmp(ids[0], argv[2]) == 0 && !ids[1]);
  free(ids);
  ids = pbs_selectjob(c, &walltime, NULL);
  CHECK(ids && !ids[0]);
  free(ids);
  CHECK(pbs_selectjob(c, &nowhere, NULL) == NULL && pbs_errno == PBSE_UNKQUE);
  jobs = pbs_selstat(c, &held, &only, NULL);
  CHECK(count(jobs) == 1 && strcmp(jobs->name, argv[2]) == 0);
  CHECK(value_of(jobs, ATTR_N, NULL) && !jobs->attribs->next);
  pbs_statfree(jobs);
  CHECK(pbs_selstat(c, &walltime, NULL, NULL) == NULL && pbs_errno == 0);
  return pbs_disconnect(c);
}
