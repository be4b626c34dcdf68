#!/bin/sh
for word in "$@"; do
  case "$word" in
    --version)
      echo "HIP version: @release@"
      echo "clang version 18.0.0"
      echo "Target: x86_64-unknown-linux-gnu"
      exit 0 ;;
  esac
done
for word in "$@"; do
  shift
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$word" in
    -x) skip=1 ;;
    --offload-arch=*|--amdgpu-target=*|-fgpu-rdc|-fno-gpu-rdc|--hip-*|--rocm-*|--gcc-toolchain=*|-mllvm) ;;
    *.hip|*.cu) set -- "$@" -x c++ "$word" -x none ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec /usr/bin/g++ -D__HIPCC__ -D__HIP_PLATFORM_AMD__ -I@home@/include "$@"
