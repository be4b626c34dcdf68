"""What a translation unit holds that its kernels may depend on."""
