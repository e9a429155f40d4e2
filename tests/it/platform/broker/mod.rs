//! The secret broker as it runs: beside its gateway, killed anywhere, and searched for what it must not show.

mod beside_the_gateway;
mod canary;
mod full_disk;
mod killed_anywhere;
mod mirror_bench;
mod mirrors;
mod mirrors_of_strangers;
