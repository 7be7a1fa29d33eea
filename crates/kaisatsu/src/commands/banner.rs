//! The message at start: addresses, maps, models and a first request to try. It goes to standard output and not to the
//! log, because it may show a key.

use std::{net::SocketAddr, sync::Arc};

use kaisatsu_access::IssuedKey;
use kaisatsu_http::{Gateway, PreparedMap};
use kaisatsu_railmap::LoadedMap;
use kaisatsu_recognition::Task;
use kaisatsu_store::DatabaseAddress;

use crate::settings::Settings;

pub(super) fn print(
    settings: &Settings,
    database: &DatabaseAddress,
    gateway: &Gateway,
    local: SocketAddr,
    first_key: Option<&IssuedKey>,
) {
    let scheme = if settings.tls_cert.is_some() { "https" } else { "http" };
    let base = format!("{scheme}://{local}");
    println!("Kaisatsu {} is open\n", env!("CARGO_PKG_VERSION"));
    println!("  address    {base}");
    println!("  console    {base}/console/");
    println!("  docs       {base}/docs/");
    if let Ok(data) = settings.data_folder() {
        println!("  data       {}", data.display());
    }
    println!("  database   {database}");
    let maps = gateway.maps.all();
    let listed: Vec<_> = maps.iter().map(|s| format!("{} ({} stations)", s.map.id, s.map.stations().len())).collect();
    println!("  maps       {}", listed.join(", "));
    if let (true, Some(first)) = (settings.api.map_pages, first_map(gateway)) {
        println!("  look       {base}/map/{}", first.map.id);
    }
    println!("  models     {}", models(gateway));
    let secret = first_key.map(|key| key.secret.reveal());
    match secret {
        Some(key) => println!("  API key    {key}   (shown only now)"),
        None => println!("  API key    as shown when it was made"),
    }
    println!("             for another: APIKEY=$({} key create --app NAME)", program(settings));
    let Some(loaded) = first_map(gateway) else { return };
    let middle = &loaded.map.stations()[loaded.map.centre()];
    let at = middle.marks.last().map_or(loaded.map.extent, |mark| mark.shape.bounds());
    println!("\nTry it: what is around {} on the map?\n", middle.name);
    println!(
        "  curl \"{base}/{}/v1/railmapDetail?APIKEY={}&id={}&x={}&y={}&width=300&height=300\"\n",
        settings.api.route_service.as_str(),
        secret.unwrap_or("$APIKEY"),
        loaded.map.id,
        (at.x - 150).max(0),
        (at.y - 150).max(0),
    );
    if !gateway.recognition.models.of_task(Task::Classify).is_empty() {
        let key = secret.unwrap_or("$APIKEY");
        println!("Or with a picture of your own:\n");
        println!("  curl -F image=@photo.jpg \"{base}/imageRecognition/v1/concept/classify?APIKEY={key}\"\n");
    }
}

/// The map to show first: Tokyo's, if there is one.
fn first_map(gateway: &Gateway) -> Option<Arc<LoadedMap<PreparedMap>>> {
    gateway.maps.get("tokyo").or_else(|| gateway.maps.all().first().cloned())
}

/// The names of the models. They are still loading at this moment; `/readyz` reports when they are ready.
fn models(gateway: &Gateway) -> String {
    let tasks = [Task::Classify, Task::Detect, Task::LocalFeatures, Task::ReadText];
    let names: Vec<String> =
        tasks.into_iter().flat_map(|task| gateway.recognition.models.of_task(task)).map(|model| model.name).collect();
    if names.is_empty() {
        "none; `kaisatsu models install` installs the default set".to_owned()
    } else {
        names.join(", ")
    }
}

/// The command line of this program for the same database, so that the hint works when pasted. An address with a
/// password is not repeated.
fn program(settings: &Settings) -> String {
    let own = std::env::current_exe().map_or_else(|_| "kaisatsu".to_owned(), |path| path.display().to_string());
    let data = settings.data.as_ref().map(|folder| format!(" --data {}", folder.display()));
    let database = settings.database().ok().filter(|_| settings.database.is_some());
    let database = match database {
        Some(address @ DatabaseAddress::Sqlite(_)) => format!(" --database {address}"),
        Some(DatabaseAddress::Postgres(_)) => " --database …".to_owned(),
        None => String::new(),
    };
    format!("{own}{}{database}", data.unwrap_or_default())
}
