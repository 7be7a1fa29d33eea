//! Small files that declare many pixels of 64 bits, many at once: what the server takes for them, and gives back.

use std::{io::Write, thread, time::Duration};

use flate2::{Compression, Crc, write::ZlibEncoder};
use kaisatsu_e2e::{Answer, Backend, Database, Server, eventually, http, make_key, models_with, pictures::photo};

/// Pixels of each side: 49.7 million together, of 64 bits each, 398 MB.
const SIDE: u32 = 7_050;

/// How many come at once.
const IMAGES: usize = 24;

/// What 24 of them may take at their peak, in MB. One that is decoded as it is takes 400 by itself, and each thread of
/// the engine has one.
const PEAK: u64 = 400;

/// What may be left of it when they are answered.
const LEFT: u64 = 150;

/// How long the last of them may wait: the machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_mins(10);

/// A PNG of one colour, of 0.4 MB.
fn wide() -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut crc = Crc::new();
        crc.update(kind);
        crc.update(data);
        file.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        file.extend(kind);
        file.extend(data);
        file.extend(crc.sum().to_be_bytes());
    };
    // 16 bits, colours with transparency, nothing else.
    chunk(b"IHDR", &[&SIDE.to_be_bytes()[..], &SIDE.to_be_bytes(), &[16, 6, 0, 0, 0]].concat());
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::default());
    let row = vec![0; 1 + SIDE as usize * 8];
    for _ in 0..SIDE {
        pixels.write_all(&row).unwrap();
    }
    chunk(b"IDAT", &pixels.finish().unwrap());
    chunk(b"IEND", b"");
    file
}

#[test]
fn many_wide_images_at_once_take_little_and_leave_nothing() {
    let image = wide();
    assert!(image.len() < 1 << 19, "{} bytes", image.len());
    let (database, models) = (Database::fresh(Backend::Sqlite), models_with(&["general"]));
    let key = make_key(&database, "tests");
    let args = ["--models", models.path().to_str().unwrap(), "--engine-threads", "2", "--request-timeout", "10m"];
    let server = Server::start(&database, &args);
    eventually("the model is loaded", || (server.get("/readyz").status == 200).then_some(()));
    let classify = |image: &[u8]| -> Answer {
        let form = http::form(&[("image", image)]);
        let mut connection = http::Connection::open(server.address);
        connection.be_patient(PATIENCE);
        let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}");
        let head = format!("Content-Type: {}\r\nContent-Length: {}\r\n", http::FORM, form.len());
        connection.request("POST", &target, &head);
        connection.send(&form);
        connection.answer(false).expect("an answer")
    };
    // What an image takes that is not wide, on both threads.
    let coffee = photo("coffee.png");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(classify(&coffee).status, 200));
        }
    });
    let (peak, resident) = (server.peak_memory(), server.resident_memory());
    thread::scope(|scope| {
        for _ in 0..IMAGES {
            scope.spawn(|| {
                let answer = classify(&image);
                assert_eq!(answer.status, 200, "{}", answer.text());
            });
        }
    });
    let most = server.peak_memory();
    assert!(most <= peak + PEAK, "{most} MB, and {peak} before");
    eventually("the memory is given back", || (server.resident_memory() <= resident + LEFT).then_some(()));
    assert_eq!(classify(&coffee).status, 200);
}
