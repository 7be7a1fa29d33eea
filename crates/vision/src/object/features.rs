//! Local features of a picture: key points, each with its descriptor.

use super::bytes::{Malformed, Reader, header};

/// Numbers in a descriptor.
pub const DIMENSIONS: usize = 64;

/// A local descriptor: a vector of length one, times 127.
pub type Descriptor = [i8; DIMENSIONS];

/// A descriptor whose components are widened, so that products need no widening of their own.
pub(crate) type WideDescriptor = [i16; DIMENSIONS];

/// The dot product of two descriptors. The compiler turns it into the multiply-add instructions of the function that it
/// is put into.
#[allow(
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "the instructions are those of the function it is put into, and iterators may stay outside of it"
)]
#[inline(always)]
pub(crate) fn dot(a: &WideDescriptor, b: &WideDescriptor) -> i32 {
    let mut sum = 0;
    for at in 0..DIMENSIONS {
        sum += i32::from(a[at]) * i32::from(b[at]);
    }
    sum
}

/// The dot product of a descriptor with itself.
pub(crate) const UNITY: i32 = 127 * 127;

/// The most features in one set: their number is kept in two bytes.
pub const MOST_FEATURES: usize = u16::MAX as usize;

const MARK: [u8; 2] = *b"KF";
const VERSION: u8 = 1;
const FEATURE_BYTES: usize = 4 + DIMENSIONS;

/// A place in a picture, in whole pixels of the size at which the picture was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// From the left.
    pub x: u16,
    /// From the top.
    pub y: u16,
}

/// The features of a picture at one size, the strongest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features {
    width: u16,
    height: u16,
    points: Vec<Point>,
    descriptors: Vec<Descriptor>,
}

impl Features {
    /// Features out of their parts; `None` when a point lies outside the picture or there are too many.
    #[must_use]
    pub fn new(width: u16, height: u16, features: Vec<(Point, Descriptor)>) -> Option<Self> {
        let inside = features.iter().all(|(point, _)| point.x < width && point.y < height);
        if !inside || features.len() > MOST_FEATURES {
            return None;
        }
        let (points, descriptors) = features.into_iter().unzip();
        Some(Self { width, height, points, descriptors })
    }

    /// The width of the picture when they were found.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.width
    }

    /// The height of the picture when they were found.
    #[must_use]
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Where they are.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// What they look like, in the order of the points.
    #[must_use]
    pub fn descriptors(&self) -> &[Descriptor] {
        &self.descriptors
    }

    /// Those that lie in none of some quadrilaterals, whose corners are fractions of the picture, clockwise; `None` if
    /// all do.
    #[must_use]
    pub fn outside(&self, quads: &[[(f32, f32); 4]]) -> Option<Self> {
        let inside = |point: &Point, quad: &[(f32, f32); 4]| {
            let (x, y) = (f32::from(point.x) / f32::from(self.width), f32::from(point.y) / f32::from(self.height));
            let right_of = |(from, to): (&(f32, f32), &(f32, f32))| {
                (to.0 - from.0) * (y - from.1) - (to.1 - from.1) * (x - from.0) >= 0.0
            };
            quad.iter().zip(quad.iter().cycle().skip(1)).all(right_of)
        };
        let both = self.points.iter().zip(&self.descriptors);
        let left: Vec<(Point, Descriptor)> = both
            .filter(|(point, _)| !quads.iter().any(|quad| inside(point, quad)))
            .map(|(point, descriptor)| (*point, *descriptor))
            .collect();
        if left.is_empty() { None } else { Self::new(self.width, self.height, left) }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none, as in a picture of one colour.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// A reference picture of an item: its features at several sizes, because the descriptors bear only small
/// differences of scale, and at each size in the four quarter turns if it was read in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reference {
    views: Vec<Features>,
}

impl Reference {
    /// The most views of one picture: two sizes in four turns.
    pub const MOST_VIEWS: usize = 8;

    /// A reference picture out of its views; `None` when there are too many.
    #[must_use]
    pub fn new(views: Vec<Features>) -> Option<Self> {
        (views.len() <= Self::MOST_VIEWS).then_some(Self { views })
    }

    /// The features at each size, and turn by turn if there are turns.
    #[must_use]
    pub fn views(&self) -> &[Features] {
        &self.views
    }

    /// By how many quarters a view is turned to the right. The stored form does not say it: a picture that was read in
    /// turns has four views of each size, and one that was not has fewer than four.
    #[must_use]
    pub fn quarters_of(&self, view: usize) -> usize {
        if are_turns(self.views.len()) { view % TURNS } else { 0 }
    }

    /// The stored form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let features: usize = self.views.iter().map(Features::len).sum();
        let mut bytes = Vec::with_capacity(4 + 6 * self.views.len() + features * FEATURE_BYTES);
        header(&mut bytes, MARK, VERSION, self.views.len());
        for view in &self.views {
            bytes.extend(view.width.to_le_bytes());
            bytes.extend(view.height.to_le_bytes());
            bytes.extend(u16::try_from(view.len()).unwrap_or(u16::MAX).to_le_bytes());
            for (point, descriptor) in view.points.iter().zip(&view.descriptors) {
                bytes.extend(point.x.to_le_bytes());
                bytes.extend(point.y.to_le_bytes());
                bytes.extend(descriptor.map(i8::cast_unsigned));
            }
        }
        bytes
    }

    /// Reads what [`Reference::to_bytes`] wrote.
    ///
    /// # Errors
    /// When it is something else, of another version, cut short, or too long.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let (mut reader, views) = Reader::open(bytes, MARK, VERSION)?;
        let views = (0..views).map(|_| read_view(&mut reader)).collect::<Result<Vec<_>, _>>()?;
        reader.finish()?;
        Self::new(views).ok_or(Malformed("it has too many views"))
    }
}

/// The turns of a reference picture that was read in turns.
const TURNS: usize = 4;

/// Whether so many views of a picture are its sizes in four turns.
pub(crate) fn are_turns(views: usize) -> bool {
    views > 0 && views.is_multiple_of(TURNS)
}

fn read_view(reader: &mut Reader<'_>) -> Result<Features, Malformed> {
    let (width, height, count) = (reader.u16()?, reader.u16()?, usize::from(reader.u16()?));
    reader.expect(count * FEATURE_BYTES)?;
    let mut features = Vec::with_capacity(count);
    for _ in 0..count {
        let point = Point { x: reader.u16()?, y: reader.u16()? };
        features.push((point, reader.array::<DIMENSIONS>()?.map(u8::cast_signed)));
    }
    Features::new(width, height, features).ok_or(Malformed("a feature lies outside its picture"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DIMENSIONS, Features, Point, Reference};

    fn view() -> impl Strategy<Value = Features> {
        let feature = (0..640_u16, 0..480_u16, proptest::collection::vec(any::<i8>(), DIMENSIONS));
        proptest::collection::vec(feature, 0..20).prop_map(|features| {
            let features = features.into_iter().map(|(x, y, numbers)| {
                let mut descriptor = [0; DIMENSIONS];
                descriptor.copy_from_slice(&numbers);
                (Point { x, y }, descriptor)
            });
            Features::new(640, 480, features.collect()).expect("all points are inside")
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(views in proptest::collection::vec(view(), 0..=Reference::MOST_VIEWS)) {
            let reference = Reference::new(views).expect("not too many");
            prop_assert_eq!(Reference::from_bytes(&reference.to_bytes()), Ok(reference));
        }

        #[test]
        fn a_cut_or_a_longer_text_is_refused(
            views in proptest::collection::vec(view(), 0..3),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = Reference::new(views).expect("not too many").to_bytes();
            prop_assert!(Reference::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
            bytes.push(0);
            prop_assert!(Reference::from_bytes(&bytes).is_err());
        }

        #[test]
        fn garbage_is_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assume!(!bytes.starts_with(b"KF\x01"));
            prop_assert!(Reference::from_bytes(&bytes).is_err());
        }

        #[test]
        fn a_right_beginning_is_no_excuse(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let bytes = [b"KF\x01".as_slice(), &bytes].concat();
            if let Ok(reference) = Reference::from_bytes(&bytes) {
                prop_assert_eq!(reference.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn features_inside_a_quadrilateral_are_left_out() {
        let at = |x, y| (Point { x, y }, [0; DIMENSIONS]);
        let features = Features::new(100, 50, vec![at(10, 25), at(50, 25), at(90, 25), at(50, 2)]).unwrap();
        let card = [(0.3, 0.2), (0.7, 0.2), (0.8, 0.9), (0.25, 0.9)];
        let rest = features.outside(&[card]).unwrap();
        assert_eq!(rest.points(), [Point { x: 10, y: 25 }, Point { x: 90, y: 25 }, Point { x: 50, y: 2 }]);
        assert_eq!(features.outside(&[]).unwrap(), features);
        assert_eq!(features.outside(&[[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]]), None);
    }

    #[test]
    fn four_views_of_a_size_are_its_turns() {
        let quarters = |views: usize| {
            let reference = Reference::new(vec![Features::default(); views]).unwrap();
            (0..views).map(|view| reference.quarters_of(view)).collect::<Vec<_>>()
        };
        assert_eq!(quarters(2), [0, 0]);
        assert_eq!(quarters(4), [0, 1, 2, 3]);
        assert_eq!(quarters(8), [0, 1, 2, 3, 0, 1, 2, 3]);
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = Reference::default().to_bytes();
        bytes[2] += 1;
        assert!(Reference::from_bytes(&bytes).is_err());
    }

    #[test]
    fn a_point_outside_is_refused() {
        let outside = Point { x: 10, y: 5 };
        assert_eq!(Features::new(10, 10, vec![(outside, [0; DIMENSIONS])]), None);
    }
}
