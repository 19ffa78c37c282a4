//! The `memlore` program.

fn main() -> std::process::ExitCode {
    memlore_cli::run()
}
