#!/bin/sh
# Answers for a compiler that is not on this machine, and compiles a build system's probes as plain C++.
tool=${0##*/}
case $tool in
  *cc|*clang|*clang-[0-9]*) compiler=@gcc@ ;;
  *) compiler=@g++@ ;;
esac
case $tool in *hipcc*) compiler=@g++@ ;; esac
for word do
  case $word in
    --version|-v)
      case $tool in
        *hipcc*) echo "HIP version: 6.2.41133-dd7f95766" ;;
      esac
      case $tool in
        mpi*) exec "$compiler" "$word" ;;
        *hip*|amd*) echo "AMD clang version 18.0.0git (roc-6.2.0)" ;;
        *) echo "clang version 18.1.8" ;;
      esac
      echo "Target: x86_64-unknown-linux-gnu"
      echo "Thread model: posix"
      exit 0 ;;
    -show*|--show*) exit 0 ;;
  esac
done
split= skip=
for word do
  shift
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in
    -Xclang|-mllvm|-target|-Xarch_device|-Xarch_host) skip=1 ;;
    --offload*|--amdgpu*|--cuda*|--rocm*|--hip*|-fgpu*|-fno-gpu*|-stdlib=*|--target=*|-nogpu*|--genco) ;;
    -x) set -- "$@" -x ;;
    hip|cuda) set -- "$@" c++ ;;
    *.hip|*.cu) set -- "$@" -x c++ "$word" -x none ;;
    *) set -- "$@" "$word" ;;
  esac
done
case $tool in
  *hipcc*) set -- -D__HIP_PLATFORM_AMD__=1 -D__device__= -D__global__= -D__host__= -D__shared__= -I/opt/rocm/include "$@" ;;
esac
exec "$compiler" "$@"
