//! The least recently used cache of pictures, bounded in bytes.

use bytes::Bytes;
use lru::LruCache;

use crate::Etag;

/// Pictures by tag. The one that was not requested for the longest time is evicted first.
pub(super) struct DrawingCache {
    max_bytes: usize,
    bytes: usize,
    pictures: LruCache<Etag, Bytes>,
}

impl DrawingCache {
    /// A cache of at most that many bytes.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, bytes: 0, pictures: LruCache::unbounded() }
    }

    /// A picture, which becomes the most recently used one.
    pub(super) fn get(&mut self, etag: Etag) -> Option<Bytes> {
        self.pictures.get(&etag).cloned()
    }

    /// Caches a picture, unless it would evict a good part of the others.
    pub(super) fn insert(&mut self, etag: Etag, picture: Bytes) {
        if picture.len() > self.max_bytes / 8 || self.pictures.get(&etag).is_some() {
            return;
        }
        self.bytes += picture.len();
        self.pictures.put(etag, picture);
        while self.bytes > self.max_bytes
            && let Some((_, evicted)) = self.pictures.pop_lru()
        {
            self.bytes -= evicted.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::DrawingCache;
    use crate::Etag;

    #[test]
    fn the_least_recently_used_is_evicted_first_and_the_bytes_are_bounded() {
        let etag = |n: u32| Etag::of(format_args!("{n}"));
        let mut cache = DrawingCache::new(800);
        for n in 0..8 {
            cache.insert(etag(n), Bytes::from(vec![0; 100]));
            cache.insert(etag(n), Bytes::from(vec![0; 100]));
        }
        assert!(cache.get(etag(0)).is_some(), "all fit");
        cache.insert(etag(8), Bytes::from(vec![0; 100]));
        assert!(cache.get(etag(0)).is_some() && cache.get(etag(1)).is_none());
        cache.insert(etag(9), Bytes::from(vec![0; 101]));
        assert!(cache.get(etag(9)).is_none(), "too large to cache");
        assert_eq!((cache.bytes, cache.pictures.len()), (800, 8));
    }
}
