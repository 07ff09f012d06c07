//! The `plyzero` program: the command line over the games of this crate.

fn main() -> std::process::ExitCode {
    plyzero::cli::run(&plyzero::games::registry())
}
