//! Standard output that may be closed early: `kaisatsu openapi | head` is no mistake.

/// Like `println!`, but ends the program quietly when nobody reads any more.
macro_rules! say {
    ($($words:tt)*) => {
        if std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{}\n", format_args!($($words)*))).is_err() {
            std::process::exit(0);
        }
    };
    () => { say!("") };
}
