//! The real secret broker: beside its gateway, killed at any step, and searched for secrets.

mod beside_the_gateway;
mod branch_bench;
mod branches;
mod canary;
mod full_disk;
mod killed_anywhere;
mod mirror_bench;
mod mirrors;
mod mirrors_of_strangers;
