"""What a launch site, the kernel's text and names say of sizes and scalars."""
