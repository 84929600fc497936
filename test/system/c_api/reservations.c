/* Reservations: one is made, seen, changed and deleted. reservations HOST */
#include <time.h>

#include "check.h"

int main(int argc, char** argv) {
  int c = connected();
  char start[32], select[300], *id, *again;
  struct batch_status* s;
  struct attropl duration = {NULL, ATTR_resv_duration, NULL, "60", SET};
  struct attropl name = {&duration, ATTR_resv_name, NULL, "from_c", SET};
  struct attropl begin = {&name, ATTR_resv_start, NULL, start, SET};
  struct attropl wait = {&begin, ATTR_inter, NULL, "100", SET};
  struct attropl what = {&wait, ATTR_l, "select", select, SET};
  struct attropl bad = {NULL, "nosuch", NULL, "1", SET};
  struct attropl renamed = {NULL, ATTR_resv_name, NULL, "renamed", SET};
  CHECK(argc == 2);
  snprintf(start, sizeof start, "%ld", (long)time(NULL) + 86400);
  snprintf(select, sizeof select, "1:ncpus=1:host=%s", argv[1]);

  CHECK(pbs_statresv(c, NULL, NULL, NULL) == NULL && pbs_errno == PBSE_NONE);
  CHECK(pbs_statresv(c, "R999", NULL, NULL) == NULL && pbs_errno == PBSE_UNKRESVID);
  CHECK(pbs_submit_resv(c, &bad, NULL) == NULL && pbs_errno == PBSE_NOATTR);

  id = pbs_submit_resv(c, &what, NULL);
  CHECK(id && id[0] == 'R' && pbs_errno == PBSE_NONE);
  s = pbs_statresv(c, id, NULL, NULL);
  CHECK(s && !s->next && strcmp(s->name, id) == 0);
  CHECK(strcmp(value_of(s, ATTR_resv_state, NULL), "RESV_CONFIRMED") == 0 && strcmp(value_of(s, ATTR_resv_start, NULL), start) == 0);
  CHECK(strstr(value_of(s, ATTR_resv_nodes, NULL), argv[1]) && strncmp(value_of(s, ATTR_v, NULL), "PBS_O_LOGNAME=", 14) == 0);
  pbs_statfree(s);

  again = pbs_modify_resv(c, id, &renamed, NULL);
  CHECK(again && strcmp(again, id) == 0);
  free(again);
  s = pbs_statresv(c, id, NULL, NULL);
  CHECK(strcmp(value_of(s, ATTR_resv_name, NULL), "renamed") == 0);
  pbs_statfree(s);
  CHECK(pbs_modify_resv(c, "R999", &renamed, NULL) == NULL && pbs_errno == PBSE_UNKRESVID);
  CHECK(pbs_modify_resv(c, "abc", &renamed, NULL) == NULL && pbs_errno == PBSE_UNKRESVID);

  CHECK(pbs_delresv(c, id, NULL) == 0);
  CHECK(pbs_delresv(c, "R999", NULL) == PBSE_UNKRESVID);
  free(id);
  return pbs_disconnect(c);
}
