# For login shells, those of jobs too: the commands and manual pages of PBS, and in bash their completions. Link it into /etc/profile.d, or source it there.
__pbs_exec=${PBS_EXEC:-$(sed -n 's/^[[:space:]]*PBS_EXEC[[:space:]]*=[[:space:]]*//p' "${PBS_CONF_FILE:-/etc/pbs.conf}" 2>/dev/null | tail -n 1)}
if [ -n "$__pbs_exec" ]; then
  case ":$PATH:" in
    *":$__pbs_exec/bin:"*) ;;
    *)
      PATH=$PATH:$__pbs_exec/bin
      [ "$(id -u)" != 0 ] || PATH=$PATH:$__pbs_exec/sbin
      export PATH
      ;;
  esac
  case ":$MANPATH:" in
    *":$__pbs_exec/share/man:"*) ;;
    *)
      MANPATH=$MANPATH:$__pbs_exec/share/man
      export MANPATH
      ;;
  esac
  case $- in
    *i*)
      if [ -n "$BASH_VERSION" ] && [ -r "$__pbs_exec/share/bash-completion/completions/annals.bash" ]; then
        . "$__pbs_exec/share/bash-completion/completions/annals.bash"
      fi
      ;;
  esac
fi
unset __pbs_exec
