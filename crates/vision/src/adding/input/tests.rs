use super::read;
use crate::{
    adding::tests::options,
    manifest::{Layout, Task},
    runtime::{Number, TensorInfo},
};

fn info(name: &str, number: Number, shape: &[i32]) -> TensorInfo {
    let shape = shape.iter().map(|side| usize::try_from(*side).ok()).collect();
    TensorInfo { name: name.to_owned(), number, shape }
}

#[test]
fn layout_and_size_are_those_of_the_file() {
    for (shape, layout, sizes) in [
        (&[1, 3, 32, 48], Layout::Nchw, vec![(48, 32)]),
        (&[-1, 32, 48, 3], Layout::Nhwc, vec![(48, 32)]),
        (&[-1, 3, -1, 48], Layout::Nchw, vec![(48, 48)]),
    ] {
        let found = read(&[info("x", Number::Float, shape)], &options(Task::Classify)).unwrap();
        assert_eq!((found.layout, found.sizes), (layout, sizes));
    }
    let open = [info("x", Number::Float, &[-1, -1, -1, -1])];
    let found = read(&open, &options(Task::Embed)).unwrap();
    assert_eq!((found.layout, found.sizes[0], found.sizes.len()), (Layout::Nchw, (224, 224), 6));
    let mut said = options(Task::Embed);
    (said.size, said.layout) = (Some((64, 32)), Some(Layout::Nhwc));
    let found = read(&open, &said).unwrap();
    assert_eq!((found.layout, found.sizes), (Layout::Nhwc, vec![(64, 32)]));
}

#[test]
fn the_size_of_the_picture_is_fed_to_detectors_alone() {
    let picture = info("image", Number::Float, &[1, 3, 64, 64]);
    let scale = info("scale_factor", Number::Float, &[-1, 2]);
    let size = info("orig_target_sizes", Number::Integer, &[1, 2]);
    let found = read(&[picture.clone(), scale.clone(), size.clone()], &options(Task::Detect)).unwrap();
    assert_eq!(found.scale_factor.as_deref(), Some("scale_factor"));
    assert_eq!(found.original_size.as_deref(), Some("orig_target_sizes"));
    assert!(read(&[picture, size], &options(Task::Classify)).is_err());
}

#[test]
fn inputs_that_cannot_be_fed_are_named() {
    let picture = || info("pixel_values", Number::Float, &[-1, 3, 224, 224]);
    for (inputs, told) in [
        (
            vec![info("ids", Number::Integer, &[1, 77])],
            "no input takes a picture, that is, has four sides. It has 'ids' [1, 77]",
        ),
        (
            vec![info("x", Number::Other("u8".to_owned()), &[1, 3, 8, 8])],
            "its input 'x' [1, 3, 8, 8] u8 takes no 32-bit",
        ),
        (vec![info("x", Number::Float, &[4, 3, 8, 8])], "its input 'x' [4, 3, 8, 8] takes several pictures"),
        (vec![info("x", Number::Float, &[1, 1, 8, 8])], "its input 'x' [1, 1, 8, 8] has no side of 3"),
        (
            vec![picture(), info("input_ids", Number::Integer, &[-1, 77])],
            "it also wants the input 'input_ids' [?, 77] of 64-bit integers; export",
        ),
    ] {
        let fault = read(&inputs, &options(Task::Embed)).unwrap_err();
        assert!(fault.0.starts_with(told), "{fault}");
    }
    let mut said = options(Task::Embed);
    said.size = Some((256, 256));
    let fault = read(&[picture()], &said).unwrap_err();
    assert!(fault.0.ends_with("does not fit --size: it is fixed at 224"), "{fault}");
}
