//! Applications at the console as a browser sees them: keys, passes, usage, quotas, deletion; and the pages' own
//! headers.

mod keys;
mod pages;
mod people;
mod usage;

use kaisatsu_e2e::Server;

const PASSWORD: &str = "correct horse battery";

fn list(server: &Server, key: &str) -> u16 {
    server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status
}

fn told(status: u16, word: &str) -> (u16, String) {
    (status, word.to_owned())
}
