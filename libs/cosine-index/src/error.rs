//! Why a vector is refused.

/// Why a vector is refused; the index is left as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The vector has another number of components than the index.
    #[error("the vector has {found} components, the index {expected}")]
    Dimensions {
        /// Components of the vectors in the index.
        expected: usize,
        /// Components of this vector.
        found: usize,
    },
    /// A component is NaN or infinite.
    #[error("the vector has a component that is not a finite number")]
    NotFinite,
    /// All components are zero, so the vector has no direction and no cosine with another.
    #[error("the vector has no direction, all its components are zero")]
    Zero,
    /// The index has as many vectors as it can number.
    #[error("the index is full")]
    Full,
}
