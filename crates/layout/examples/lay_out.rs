//! A network file in, a map file out: for trying the layout without the whole program.

#![allow(clippy::print_stderr, reason = "a command line tool")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, network, map] = &arguments[..] else { return Err("lay_out NETWORK MAP".into()) };
    let network =
        kaisatsu_network::file::read(&std::fs::read_to_string(network)?).map_err(|error| error.to_string())?;
    let built =
        kaisatsu_layout::build(&network, kaisatsu_layout::Options::default(), &mut |step| eprint!("{step:?} | "))?;
    eprintln!("\n{:?}", built.quality);
    std::fs::write(map, built.sheet.to_toml())?;
    Ok(())
}
