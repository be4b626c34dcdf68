//: defect room-is-for-pointers-to-particles: out-of-bounds
//- cudaMalloc((void **)&d_particles, count * sizeof(*d_particles));
//+ cudaMalloc((void **)&d_particles, count * sizeof(d_particles));
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  float x, y;
  float vx, vy;
  int bounces;
} Particle;

__global__ void move(Particle *particles, int count, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Particle p = particles[i];
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  if (p.x < 0.f || p.x > 1.f) {
    p.vx = -p.vx;
    p.bounces++;
  }
  if (p.y < 0.f || p.y > 1.f) {
    p.vy = -p.vy;
    p.bounces++;
  }
  particles[i] = p;
}

__global__ void place(Particle *particles, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  particles[i].x = i / (float)count;
  particles[i].y = 1.f - i / (float)count;
  particles[i].vx = (i % 5 - 2) * 0.3f;
  particles[i].vy = (i % 7 - 3) * 0.2f;
  particles[i].bounces = 0;
}

int main(void) {
  const int count = 500;
  Particle *particles = (Particle *)malloc(count * sizeof(*particles));
  Particle *d_particles;
  cudaMalloc((void **)&d_particles, count * sizeof(*d_particles));
  place<<<(count + 127) / 128, 128>>>(d_particles, count);
  for (int step = 0; step < 4; ++step) move<<<(count + 127) / 128, 128>>>(d_particles, count, 0.1f);
  cudaMemcpy(particles, d_particles, count * sizeof(*particles), cudaMemcpyDeviceToHost);
  int bounces = 0;
  for (int i = 0; i < count; ++i) bounces += particles[i].bounces;
  printf("%d bounces\n", bounces);
  cudaFree(d_particles);
  free(particles);
  return 0;
}
