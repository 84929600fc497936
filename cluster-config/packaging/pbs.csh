# For login shells, those of jobs too: the commands and manual pages of PBS. Link it into /etc/profile.d, or source it there.
set __pbs_conf = /etc/pbs.conf
if ( $?PBS_CONF_FILE ) set __pbs_conf = "$PBS_CONF_FILE"
set __pbs_exec = ""
if ( $?PBS_EXEC ) then
  set __pbs_exec = "$PBS_EXEC"
else if ( -r "$__pbs_conf" ) then
  set __pbs_exec = `sed -n 's/^[[:space:]]*PBS_EXEC[[:space:]]*=[[:space:]]*//p' "$__pbs_conf" | tail -n 1`
endif
if ( "$__pbs_exec" != "" ) then
  if ( ":${PATH}:" !~ *":${__pbs_exec}/bin:"* ) then
    setenv PATH "${PATH}:${__pbs_exec}/bin"
    if ( `id -u` == 0 ) setenv PATH "${PATH}:${__pbs_exec}/sbin"
  endif
  if ( ! $?MANPATH ) setenv MANPATH ""
  if ( ":${MANPATH}:" !~ *":${__pbs_exec}/share/man:"* ) setenv MANPATH "${MANPATH}:${__pbs_exec}/share/man"
endif
unset __pbs_conf __pbs_exec
