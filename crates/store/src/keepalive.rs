//! Notices that the machine of the database is gone.
//!
//! A connection over which no packet arrives any more (a machine without power, a firewall that lost its state) looks
//! like one to a slow database: whoever waits for an answer would wait for a quarter of an hour. TCP can tell the
//! two apart, since the system of a slow database still acknowledges packets, but sqlx has no setting for it. So the
//! sockets to the database are looked up among the open files of the process.

use std::{
    io,
    os::fd::{BorrowedFd, RawFd},
    time::Duration,
};

use socket2::{SockRef, TcpKeepalive};

/// How long a connection is silent before the system asks whether the other end is still there, and how often it asks.
const SILENCE: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_secs(2);

/// How long the other end may leave packets unacknowledged before the connection fails.
const LIMIT: Duration = Duration::from_secs(10);

/// Makes the connections of this process to a port fail soon after the other end has gone.
pub(crate) fn watch_connections(port: u16) -> io::Result<()> {
    let keepalive = TcpKeepalive::new().with_time(SILENCE).with_interval(INTERVAL);
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Some(number) = entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok()) else { continue };
        // SAFETY: the number is only lent to three system calls. If another thread closes the file meanwhile, they
        // fail, or set the options on another socket, which does it no harm.
        #[allow(unsafe_code, reason = "sqlx does not lend its sockets")]
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let socket = SockRef::from(&file);
        let is_database = socket.peer_addr().is_ok_and(|peer| peer.as_socket().is_some_and(|at| at.port() == port));
        if is_database {
            socket.set_tcp_keepalive(&keepalive)?;
            socket.set_tcp_user_timeout(Some(LIMIT))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use socket2::SockRef;

    use super::{LIMIT, watch_connections};

    #[test]
    fn only_connections_to_the_port_are_watched() {
        let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
        let (database, other) = (listen(), listen());
        let connect = |to: &TcpListener| TcpStream::connect(to.local_addr().unwrap()).unwrap();
        let (watched, not_watched) = (connect(&database), connect(&other));
        watch_connections(database.local_addr().unwrap().port()).unwrap();
        assert!(SockRef::from(&watched).keepalive().unwrap());
        assert_eq!(SockRef::from(&watched).tcp_user_timeout().unwrap(), Some(LIMIT));
        assert!(!SockRef::from(&not_watched).keepalive().unwrap());
    }
}
