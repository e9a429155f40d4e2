//! The binary `roost`; everything is in the library.

fn main() -> std::process::ExitCode {
    roost_gateway::cli::main()
}
