//! The binary `roost`; everything is in the library.

#[global_allocator]
static MEMORY: roost_platform::wiping::Wiping = roost_platform::wiping::Wiping;

fn main() -> std::process::ExitCode {
    roost_gateway::cli::main()
}
