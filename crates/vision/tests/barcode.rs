//! Photographs without a barcode have no number, however busy they are.

use std::path::PathBuf;

use kaisatsu_vision::{Bounds, barcode, decode};

#[test]
#[ignore = "needs the test photographs; `make test` runs it"]
fn no_number_is_read_where_there_is_none() {
    let Some(folder) = std::env::var_os("KAISATSU_TEST_PHOTOS").map(PathBuf::from) else {
        panic!("KAISATSU_TEST_PHOTOS is not set; `make test` installs photographs and sets it");
    };
    let mut seen = 0;
    for name in ["astronaut.png", "brick.png", "chelsea.png", "coffee.png", "grass.png", "page.png", "text.png"] {
        let file = folder.join(name);
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let picture = decode(&bytes, Bounds::default(), None).unwrap().picture;
        assert_eq!(barcode::read(&picture), [], "{name}");
        seen += 1;
    }
    assert!(seen > 1, "{} has none of the photographs; `make test` installs them", folder.display());
}
