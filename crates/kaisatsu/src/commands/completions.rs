//! `kaisatsu completions`: a script that lets a shell complete the commands and options of this program.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// The shell that loads the script
    shell: Shell,
}

pub(crate) fn run(command: &Command, mut cli: clap::Command) -> ExitCode {
    // The generator panics where it cannot write, which a buffer always can.
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut cli, "kaisatsu", &mut script);
    outln!("{}", String::from_utf8_lossy(&script).trim_end());
    ExitCode::SUCCESS
}
