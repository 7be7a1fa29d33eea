//! Things that a model of instances is taught: a folder of photographs for each, or a table with their addresses, as a
//! query of an open knowledge base gives it.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use kaisatsu_fetch::Fetcher;
use kaisatsu_model::Position;
use kaisatsu_store::{hex, sha256};
use kaisatsu_vision::instances::{Facts, Instance, Site};

use super::{is_address, rows::LINE_FEED};

/// The names of the columns, ours first.
const ID: &[&str] = &["id", "item"];
const NAME: &[&str] = &["name", "itemlabel", "label"];
const NAME_JA: &[&str] = &["name_ja", "ja", "itemlabel_ja"];
const LATITUDE: &[&str] = &["latitude", "lat", "lati_d"];
const LONGITUDE: &[&str] = &["longitude", "lon", "longi_d"];
const COORDINATES: &[&str] = &["coordinates", "coord", "coords"];
const PICTURES: &[&str] = &["pictures", "picture", "image", "images"];
const PAGE: &[&str] = &["page", "url", "article"];
const LICENCE: &[&str] = &["licence", "license"];

/// A thing with its pictures as the table names them: addresses, or files.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The thing, still without photographs.
    pub instance: Instance,
    /// Where its pictures are.
    pub pictures: Vec<String>,
}

/// Reads a folder: each folder in it is a thing, each file in that a photograph of it. Calls `left_out` with each
/// folder that has no photograph.
///
/// # Errors
/// When the folder cannot be read.
pub fn from_folder(folder: &Path, mut left_out: impl FnMut(&Path)) -> io::Result<Vec<Instance>> {
    let mut things = Vec::new();
    for thing in listed(folder)?.into_iter().filter(|path| path.is_dir()) {
        let photos: Vec<PathBuf> = listed(&thing)?.into_iter().filter(|path| path.is_file()).collect();
        let name = thing.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if photos.is_empty() {
            left_out(&thing);
            continue;
        }
        let (id, name_ja) = (name.clone(), String::new());
        things.push(Instance { id, name, name_ja, facts: Facts::default(), photos });
    }
    Ok(things)
}

fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a table. Rows of one id, or without ids of one name, are one thing: a knowledge base answers with a row for
/// each picture. Calls `left_out` with the line of each row that cannot be used, and the reason.
///
/// # Errors
/// When the file cannot be read, or has no column for names.
pub fn from_table(path: &Path, mut left_out: impl FnMut(u64, &str)) -> io::Result<Vec<Listed>> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).terminator(LINE_FEED).from_path(path).map_err(io::Error::other)?;
    let header: Vec<String> = reader
        .headers()
        .map_err(io::Error::other)?
        .iter()
        .map(|name| name.trim().trim_start_matches('\u{feff}').to_lowercase())
        .collect();
    let column = |names: &[&str]| names.iter().find_map(|name| header.iter().position(|other| other == name));
    let [id, name, name_ja] = [ID, NAME, NAME_JA].map(column);
    let [latitude, longitude, coordinates] = [LATITUDE, LONGITUDE, COORDINATES].map(column);
    let [pictures, page, licence] = [PICTURES, PAGE, LICENCE].map(column);
    if name.is_none() || pictures.is_none() {
        return Err(io::Error::other("the first line must have the columns name and pictures"));
    }
    let mut things: Vec<Listed> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for record in reader.into_records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                left_out(error.position().map_or(0, csv::Position::line), &error.to_string());
                continue;
            }
        };
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or_default().trim().to_owned();
        let named = cell(name);
        if named.is_empty() {
            left_out(line, "name is missing");
            continue;
        }
        let place = match place(&cell(latitude), &cell(longitude), &cell(coordinates)) {
            Ok(place) => place,
            Err(rule) => {
                left_out(line, rule);
                continue;
            }
        };
        let key = Some(cell(id)).filter(|id| !id.is_empty()).unwrap_or_else(|| named.clone());
        let at = *known.entry(key.clone()).or_insert_with(|| {
            let facts = Facts { place, sites: Vec::new() };
            let instance = Instance { id: key, name: named.clone(), name_ja: cell(name_ja), facts, photos: Vec::new() };
            things.push(Listed { instance, pictures: Vec::new() });
            things.len() - 1
        });
        let Some(thing) = things.get_mut(at) else { continue };
        let addresses = cell(pictures);
        let addresses = addresses.split('|').map(str::trim).filter(|address| !address.is_empty());
        let new: Vec<String> = addresses.map(str::to_owned).collect();
        let (page, licence) = (cell(page), cell(licence));
        if !page.is_empty() && thing.instance.facts.sites.iter().all(|site| site.url != page) {
            let image_url = new.first().filter(|first| is_address(first)).cloned().unwrap_or_default();
            thing.instance.facts.sites.push(Site { url: page, title: named, image_url, licence });
        }
        for address in new {
            if !thing.pictures.contains(&address) {
                thing.pictures.push(address);
            }
        }
    }
    Ok(things)
}

/// The place of a row: two columns in degrees, or one with `Point(LONGITUDE LATITUDE)`.
fn place(latitude: &str, longitude: &str, coordinates: &str) -> Result<Option<Position>, &'static str> {
    let rule = "the coordinates are no place on the earth; they are WGS 84 degrees, or Point(LONGITUDE LATITUDE)";
    let (latitude, longitude) = match (latitude, longitude, coordinates) {
        ("", "", "") => return Ok(None),
        ("", "", point) => {
            let inner = point.trim_start_matches("Point(").trim_end_matches(')');
            let (longitude, latitude) = inner.trim().split_once(' ').ok_or(rule)?;
            (latitude, longitude)
        }
        (latitude, longitude, _) => (latitude, longitude),
    };
    let degrees = |text: &str| text.trim().parse::<f64>().map_err(|_| rule);
    Position::new(degrees(latitude)?, degrees(longitude)?).map(Some).ok_or(rule)
}

/// Fetches the pictures of things into a folder, under the rules for images that users name. A picture that is there
/// already is not fetched again, so that a run which was interrupted goes on. Files are looked for beside the table.
/// Calls `progress` after each picture, and `left_out` for each that cannot be had.
///
/// # Errors
/// When a picture cannot be written.
pub async fn fetch_pictures(
    fetcher: &Fetcher,
    things: Vec<Listed>,
    beside: &Path,
    folder: &Path,
    progress: impl Fn(),
    mut left_out: impl FnMut(&str, &str),
) -> io::Result<Vec<Instance>> {
    fs::create_dir_all(folder)?;
    let mut instances = Vec::with_capacity(things.len());
    for Listed { mut instance, pictures } in things {
        for picture in pictures {
            if is_address(&picture) {
                let file = folder.join(&hex(&sha256(picture.as_bytes()))[..32]);
                match fetch_one(fetcher, &picture, &file).await? {
                    Ok(()) => instance.photos.push(file),
                    Err(reason) => left_out(&picture, &reason),
                }
            } else {
                instance.photos.push(beside.join(&picture));
            }
            progress();
        }
        instances.push(instance);
    }
    Ok(instances)
}

async fn fetch_one(fetcher: &Fetcher, address: &str, file: &Path) -> io::Result<Result<(), String>> {
    if file.exists() {
        return Ok(Ok(()));
    }
    let bytes = match fetcher.get(address).await {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(error.to_string())),
    };
    // Renamed when it is whole: a run that ends here leaves no half of a picture behind.
    let part = file.with_extension("part");
    fs::write(&part, &bytes)?;
    fs::rename(&part, file)?;
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::from_table;

    fn read(text: &str) -> (Vec<super::Listed>, Vec<(u64, String)>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("things.csv");
        std::fs::write(&file, text).unwrap();
        let mut left_out = Vec::new();
        let things = from_table(&file, |line, reason| left_out.push((line, reason.to_owned()))).unwrap();
        (things, left_out)
    }

    #[test]
    fn rows_of_one_thing_are_joined() {
        let (things, left_out) = read(
            "name,name_ja,latitude,longitude,pictures,page,licence\n\
             Tower,塔,35.6586,139.7454,https://example.org/a.jpg|b.jpg,https://example.org/tower,CC BY 4.0\n\
             Tower,,35.6586,139.7454,https://example.org/c.jpg,https://example.org/tower,\n\
             Castle,,,,castle.jpg,,\n\
             ,,,,x.jpg,,\n\
             Nowhere,,95,10,x.jpg,,\n",
        );
        assert_eq!(things.iter().map(|thing| thing.pictures.len()).collect::<Vec<_>>(), [3, 1]);
        let tower = &things[0].instance;
        assert_eq!((tower.id.as_str(), tower.name_ja.as_str()), ("Tower", "塔"));
        assert_eq!(tower.facts.place.unwrap().degrees(), (35.6586, 139.7454));
        let [site] = &tower.facts.sites[..] else { panic!("{tower:?}") };
        assert_eq!((site.image_url.as_str(), site.licence.as_str()), ("https://example.org/a.jpg", "CC BY 4.0"));
        assert_eq!(things[1].instance.facts.place, None);
        assert_eq!(left_out.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [5, 6], "{left_out:?}");
    }

    #[test]
    fn the_columns_of_a_knowledge_base_are_known() {
        let (things, left_out) = read(
            "\u{feff}item,itemLabel,ja,coord,image,article\n\
             Q1,Gate,門,Point(139.7966 35.7110),https://example.org/g.jpg,https://example.org/gate\n",
        );
        assert!(left_out.is_empty(), "{left_out:?}");
        let gate = &things[0].instance;
        assert_eq!((gate.id.as_str(), gate.name.as_str(), gate.name_ja.as_str()), ("Q1", "Gate", "門"));
        assert_eq!(gate.facts.place.unwrap().degrees(), (35.7110, 139.7966));
    }
}
