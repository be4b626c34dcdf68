#!/bin/sh
# Answers what a build asks of the GPU that is here.
case ${0##*/}:$* in
  nvidia-smi:*compute_cap*) echo 8.0 ;;
  nvidia-smi:*driver_version*) echo 550.54.14 ;;
  nvidia-smi:*name*) echo "NVIDIA A100-SXM4-80GB" ;;
  nvidia-smi:-L*) echo "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-0)" ;;
  __nvcc_device_query:*) printf 80 ;;
  rocm_agent_enumerator:*|amdgpu-arch:*|offload-arch:*) echo gfx90a ;;
  rocminfo:*) echo "  Name:                    gfx90a" ;;
esac
exit 0
