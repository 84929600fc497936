#!/bin/sh
# usage: as a compiler's
#
# What tidy_test.py has ccache call: clang-tidy looks at the source, and the object that comes of it says no more than that nothing was found.
case " $* " in *" -E "*) exec clang++ "$@" ;; esac
left=$#
while [ $left -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    -c) ;;
    -o) object=$1; shift; left=$((left - 1)) ;;
    *.cpp) source=$word ;;
    *) set -- "$@" "$word" ;;
  esac
done
clang-tidy --quiet "$source" -- "$@" -Wno-unknown-warning-option -Wno-unused-command-line-argument 2>/dev/null || exit 1
echo tidy > "$object"      # an empty one is not kept
