/* pbs_submit: a script with attributes into a queue; prints the id. submission SCRIPT QUEUE */
#include "check.h"

int main(int argc, char** argv) {
  int c = connected();
  char* id;
  struct attropl walltime = {NULL, ATTR_l, "walltime", "00:10:00", SET};
  struct attropl name = {&walltime, ATTR_N, NULL, "from_c", SET};
  struct attropl bad = {NULL, "nosuch", NULL, "1", SET};
  CHECK(argc == 3);
  CHECK(pbs_submit(c, &bad, argv[1], NULL, NULL) == NULL);
  CHECK(pbs_errno == PBSE_NOATTR);
  CHECK(pbs_submit(c, &name, "/no/such/script", NULL, NULL) == NULL);
  CHECK(pbs_submit(c, &name, argv[1], "nosuch", NULL) == NULL);
  CHECK(pbs_errno == PBSE_UNKQUE);
  id = pbs_submit(c, &name, argv[1], argv[2], NULL);
  CHECK(id != NULL && pbs_errno == PBSE_NONE);
  puts(id);
  free(id);
  return pbs_disconnect(c);
}
