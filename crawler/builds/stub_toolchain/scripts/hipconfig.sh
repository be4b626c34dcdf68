#!/bin/sh
# Answers like the hipconfig of ROCm 6.2.
case $1 in
  --version|-v) printf 6.2.41133-dd7f95766 ;;
  --path|-p|--rocmpath|-R|--hippath) printf /opt/rocm ;;
  --platform|-P) printf amd ;;
  --compiler|-c) printf clang ;;
  --runtime|-r) printf rocclr ;;
  --hipclangpath|-l) printf /opt/rocm/lib/llvm/bin ;;
  --cpp_config|-C) printf ' -D__HIP_PLATFORM_AMD__= -I/opt/rocm/include' ;;
  *) echo "HIP version: 6.2.41133-dd7f95766" ;;
esac
