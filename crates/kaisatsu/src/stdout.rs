//! Standard output that the reader may close early, as in `kaisatsu openapi | head`.

/// Like `println!`, but exits with success when standard output is closed.
macro_rules! outln {
    ($($words:tt)*) => {
        if std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($words)*))).is_err() {
            std::process::exit(0);
        }
    };
    () => { outln!("") };
}
