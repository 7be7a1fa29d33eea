//! How route maps are delivered: ways that are emphasised, scales, PDF, text in SVG, compression, embedding.

use std::io::Read as _;

use kaisatsu_e2e::{RouteMaps, Server, http};
use serde_json::json;

fn svg(maps: &RouteMaps, query: &str) -> String {
    let answer = maps.call("railmapData", &format!("id=tokyo&format=svg&{query}"));
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    answer.text()
}

#[test]
fn a_way_is_drawn_over_a_dimmed_map() {
    let maps = RouteMaps::start();
    let plain = svg(&maps, "style=light");
    // 新宿 to 東京 by two stations only, and by all stations of the Chuo line between them.
    let short = svg(&maps, "course=1130208,1130101");
    let long = svg(&maps, "course=1130208,1131102,1131203,1130223,1130101");
    assert!(!plain.contains("class=\"dim\"") && short.contains("class=\"dim\"") && short.contains("class=\"way\""));
    let way = |svg: &str| svg[svg.find("class=\"way\"").unwrap()..].split("</g>").next().unwrap().to_owned();
    assert_eq!(way(&short), way(&long), "the stations between are filled in");
    assert!(way(&short).contains("stroke=\"#f15a22\""), "in the colour of the line: {}", way(&short));
    let names = |svg: &str| svg.matches("class=\"label\"").count();
    assert_eq!(names(&long) - names(&plain), 5, "the names of the way are written again");
    let unknown = maps.call("railmapData", "id=tokyo&course=1130208,99");
    let message = "query parameter course: station code 99 is not on this map";
    assert_eq!((unknown.status, &unknown.json()["ResultSet"]["Error"]["Message"]), (404, &json!(message)));

    let page = maps.server.get("/map/tokyo/course.json?from=1130208&to=1130101").json();
    assert!(!page["answer"]["ResultSet"]["Course"].as_array().unwrap().is_empty());
    assert_eq!(page["ways"][0]["stations"][0], 1_130_208);
    assert!(page["ways"][0]["parts"][0]["points"].as_array().unwrap().len() > 1);
    for (query, status) in [("from=1&to=1130101", 404), ("from=1130208", 400), ("from=1130208&to=1130208", 400)] {
        assert_eq!(maps.server.get(&format!("/map/tokyo/course.json?{query}")).status, status, "{query}");
    }
}

#[test]
fn a_whole_map_as_a_small_picture_and_as_a_page_for_printing() {
    let maps = RouteMaps::start();
    let list = maps.call("railmapList", "id=tokyo").json();
    let side = |name: &str| list["ResultSet"]["RailMap"][0][name].as_str().unwrap().parse::<f64>().unwrap();
    let picture = maps.call("railmapData", "id=tokyo&scale=0.25");
    let size = image::load_from_memory(&picture.body).unwrap().to_rgb8().dimensions();
    assert_eq!((f64::from(size.0), f64::from(size.1)), ((side("width") / 4.0).round(), (side("height") / 4.0).round()));
    let pdf = maps.call("railmapData", "id=tokyo&format=pdf");
    assert_eq!((pdf.status, pdf.header("content-type")), (200, Some("application/pdf")));
    assert!(pdf.body.starts_with(b"%PDF-") && pdf.body.ends_with(b"%%EOF"), "{} bytes", pdf.body.len());
    let text = String::from_utf8_lossy(&pdf.body).into_owned();
    let page = format!("/MediaBox [0 0 {} {}]", side("width") * 0.75, side("height") * 0.75);
    assert!(text.contains(&page), "{page}");
}

#[test]
fn letters_of_an_svg_may_be_text() {
    let maps = RouteMaps::start();
    let shinjuku = maps.found("railmapDetail", "id=tokyo&stationCode=1130208")["RailMap"].clone();
    let side = |name: &str| shinjuku[name].as_str().unwrap().to_owned();
    let window = format!("x={}&y={}&width=500&height=400", side("x"), side("y"));
    let (outlines, text) = (svg(&maps, &window), svg(&maps, &format!("{window}&text=true")));
    assert!(outlines.contains("<use ") && !outlines.contains("<text "));
    assert!(!text.contains("<use ") && text.contains(">新宿</text>"), "{text}");
    let refused = maps.call("railmapData", "id=tokyo&scale=0.1&text=true");
    let message = "query parameter text needs format=svg";
    assert_eq!((refused.status, &refused.json()["ResultSet"]["Error"]["Message"]), (400, &json!(message)));
}

#[test]
fn texts_are_compressed_for_clients_that_ask_for_it() {
    let maps = RouteMaps::start();
    let target = maps.target("railmapDetail", "id=kansai");
    let ask = |target: &str, accepted: &str| {
        http::request(maps.server.address, "GET", target, &format!("Accept-Encoding: {accepted}\r\n"))
    };
    let plain = maps.server.get(&target);
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("Accept-Encoding")));
    let gzip = ask(&target, "gzip");
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert_eq!(gzip.header("content-type"), plain.header("content-type"));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&gzip.body[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    assert!(gzip.body.len() * 4 < plain.body.len(), "{} of {}", gzip.body.len(), plain.body.len());
    let brotli = ask(&target, "gzip, deflate, br");
    assert_eq!(brotli.header("content-encoding"), Some("br"));
    assert!(brotli.body.len() * 5 < plain.body.len(), "{} of {}", brotli.body.len(), plain.body.len());
    let head = http::request(maps.server.address, "HEAD", &target, "Accept-Encoding: gzip\r\n");
    let told = ["content-length", "content-encoding", "vary"].map(|name| head.header(name).map(str::to_owned));
    assert_eq!(told, ["content-length", "content-encoding", "vary"].map(|name| gzip.header(name).map(str::to_owned)));

    // Encodings of one text have one weak tag, which the server knows again.
    let svg = maps.target("railmapData", "id=tokyo&format=svg");
    let (strong, packed) = (maps.server.get(&svg), ask(&svg, "gzip"));
    let weak = format!("W/{}", strong.header("etag").unwrap());
    assert_eq!(packed.header("etag"), Some(weak.as_str()));
    let again = http::request(maps.server.address, "GET", &svg, &format!("If-None-Match: {weak}\r\n"));
    assert_eq!((again.status, again.header("vary")), (304, Some("Accept-Encoding")));
    let png = ask(&maps.target("railmapData", "id=tokyo&scale=0.2"), "gzip");
    assert_eq!((png.header("content-encoding"), png.header("vary")), (None, None), "images are compressed already");
    assert_eq!(ask("/map/tokyo/data.json", "br").header("content-encoding"), Some("br"));
}

#[test]
fn only_listed_sites_may_embed_a_page() {
    let maps = RouteMaps::start();
    let server = Server::start(&maps.database, &["--map-embed", "https://a.example,https://b.example"]);
    let page = server.get("/map/tokyo");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.ends_with("frame-ancestors https://a.example https://b.example"), "{policy}");
    assert!(policy.starts_with("default-src 'none'") && page.text().contains("data-embed=\"yes\""));
    let closed = maps.server.get("/map/tokyo");
    assert!(closed.header("content-security-policy").unwrap().ends_with("frame-ancestors 'none'"));
    assert!(closed.text().contains("data-embed=\"no\""));
    for inner in ["/map", "/console/", "/docs"] {
        let policy = server.get(inner);
        assert!(!policy.header("content-security-policy").unwrap_or_default().contains("example"), "{inner}");
    }
}
