//! Arguments in, exit status out.

fn main() -> std::process::ExitCode {
    buoyline::cli::run()
}
