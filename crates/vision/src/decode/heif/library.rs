//! The C interface of libheif: the functions that decoding needs, found in the library when it is loaded.
//!
//! This is all of the code that calls libheif. Its functions and the values below have been the same since version 1.3
//! (2018); the structs behind its pointers are its own, except for the error, which it returns by value, and the first
//! two fields of its limits.
#![allow(unsafe_code, reason = "a C library has no safe interface")]

use std::{
    ffi::{CStr, OsStr, c_char, c_int, c_void},
    marker::PhantomData,
    ptr,
};

/// `heif_colorspace_RGB`, `heif_chroma_interleaved_RGB`, `heif_chroma_interleaved_RGBA`, `heif_channel_interleaved`.
const RGB: c_int = 1;
const INTERLEAVED_RGB: c_int = 10;
const INTERLEAVED_RGBA: c_int = 11;
const INTERLEAVED: c_int = 10;

/// `heif_error_Unsupported_filetype`, `heif_error_Unsupported_feature`.
const UNSUPPORTED: [c_int; 2] = [3, 4];

/// `struct heif_error`.
#[derive(Clone, Copy)]
#[repr(C)]
struct HeifError {
    code: c_int,
    subcode: c_int,
    message: *const c_char,
}

/// The beginning of `struct heif_security_limits`, of which the library makes every instance.
#[repr(C)]
struct SecurityLimits {
    version: u8,
    max_image_size_pixels: u64,
}

/// The library's own types, behind pointers.
type RawContext = c_void;
type RawHandle = c_void;
type RawImage = c_void;

/// How the pixels of an image are compressed: the values of `heif_compression_format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    /// HEVC, in HEIC files.
    Hevc = 1,
    /// AV1, in AVIF files.
    Av1 = 4,
}

/// Why there is no image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The library does not read this kind of file.
    Unsupported,
    /// The file is truncated or corrupt.
    Broken,
}

/// Pixels in rows from the top, without padding.
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Three channels a pixel, or four with transparency.
    pub(super) channels: usize,
    /// Whether the colours are multiplied by the transparency.
    pub(super) premultiplied: bool,
    pub(super) bytes: Vec<u8>,
}

/// The loaded library.
pub(super) struct Library {
    version: unsafe extern "C" fn() -> *const c_char,
    have_decoder: unsafe extern "C" fn(c_int) -> c_int,
    context_alloc: unsafe extern "C" fn() -> *mut RawContext,
    context_free: unsafe extern "C" fn(*mut RawContext),
    context_read: unsafe extern "C" fn(*mut RawContext, *const c_void, usize, *const c_void) -> HeifError,
    primary: unsafe extern "C" fn(*mut RawContext, *mut *mut RawHandle) -> HeifError,
    handle_release: unsafe extern "C" fn(*const RawHandle),
    handle_width: unsafe extern "C" fn(*const RawHandle) -> c_int,
    handle_height: unsafe extern "C" fn(*const RawHandle) -> c_int,
    has_alpha: unsafe extern "C" fn(*const RawHandle) -> c_int,
    decode: unsafe extern "C" fn(*const RawHandle, *mut *mut RawImage, c_int, c_int, *const c_void) -> HeifError,
    image_width: unsafe extern "C" fn(*const RawImage, c_int) -> c_int,
    image_height: unsafe extern "C" fn(*const RawImage, c_int) -> c_int,
    plane: unsafe extern "C" fn(*const RawImage, c_int, *mut c_int) -> *const u8,
    image_release: unsafe extern "C" fn(*const RawImage),
    /// Since version 1.12.
    is_premultiplied: Option<unsafe extern "C" fn(*const RawHandle) -> c_int>,
    /// Since version 1.13.
    set_threads: Option<unsafe extern "C" fn(*mut RawContext, c_int)>,
    /// Since version 1.19.
    limits: Option<unsafe extern "C" fn(*const RawContext) -> *mut SecurityLimits>,
    /// The functions are in it. It is never unloaded.
    _handle: libloading::Library,
}

impl Library {
    /// Loads the library of that name or path.
    pub(super) fn load(name: &OsStr) -> Result<Self, libloading::Error> {
        // SAFETY: loading runs the library's initialisers. The operator chose the file, or it is the system's libheif.
        let library = unsafe { libloading::Library::new(name)? };
        /// A function of the library.
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type of the field is the declaration of this function in libheif's heif.h.
                unsafe { *library.get($name)? }
            };
        }
        /// A function that older versions lack.
        macro_rules! newer_function {
            ($name:literal) => {
                // SAFETY: as above.
                unsafe { library.get($name) }.ok().map(|found| *found)
            };
        }
        let init: Option<unsafe extern "C" fn(*const c_void) -> HeifError> = newer_function!(b"heif_init\0");
        let loaded = Self {
            version: function!(b"heif_get_version\0"),
            have_decoder: function!(b"heif_have_decoder_for_format\0"),
            context_alloc: function!(b"heif_context_alloc\0"),
            context_free: function!(b"heif_context_free\0"),
            context_read: function!(b"heif_context_read_from_memory_without_copy\0"),
            primary: function!(b"heif_context_get_primary_image_handle\0"),
            handle_release: function!(b"heif_image_handle_release\0"),
            handle_width: function!(b"heif_image_handle_get_width\0"),
            handle_height: function!(b"heif_image_handle_get_height\0"),
            has_alpha: function!(b"heif_image_handle_has_alpha_channel\0"),
            decode: function!(b"heif_decode_image\0"),
            image_width: function!(b"heif_image_get_width\0"),
            image_height: function!(b"heif_image_get_height\0"),
            plane: function!(b"heif_image_get_plane_readonly\0"),
            image_release: function!(b"heif_image_release\0"),
            is_premultiplied: newer_function!(b"heif_image_handle_is_premultiplied_alpha\0"),
            set_threads: newer_function!(b"heif_context_set_max_decoding_threads\0"),
            limits: newer_function!(b"heif_context_get_security_limits\0"),
            _handle: library,
        };
        if let Some(init) = init {
            // SAFETY: null asks for the defaults. Its error says that a plugin cannot be loaded; then there is no
            // decoder, which is asked for separately.
            unsafe { init(ptr::null()) };
        }
        Ok(loaded)
    }

    /// Its version.
    pub(super) fn version(&self) -> String {
        // SAFETY: it returns a string constant.
        unsafe { CStr::from_ptr((self.version)()) }.to_string_lossy().into_owned()
    }

    /// Whether it can decode such pixels.
    pub(super) fn decodes(&self, codec: Codec) -> bool {
        // SAFETY: any value is allowed.
        unsafe { (self.have_decoder)(codec as c_int) != 0 }
    }

    /// Reads the structure of a file, and finds its primary image.
    pub(super) fn open<'a>(&'a self, file: &'a [u8], max_pixels: u64) -> Result<Image<'a>, Fault> {
        // SAFETY: it takes no arguments; null is checked.
        let context = unsafe { (self.context_alloc)() };
        if context.is_null() {
            return Err(Fault::Broken);
        }
        // From here on, dropping the image frees the context.
        let mut image = Image { library: self, context, handle: ptr::null_mut(), _file: PhantomData };
        if let Some(set_threads) = self.set_threads {
            // SAFETY: the context is alive. Zero means that it starts no threads: ours are as many as there should be.
            unsafe { set_threads(context, 0) };
        }
        if let Some(limits) = self.limits {
            // SAFETY: the context is alive, and its limits live as long and may be changed until it reads a file. Their
            // struct begins with these two fields in every version.
            unsafe {
                if let Some(limits) = limits(context).as_mut() {
                    limits.max_image_size_pixels = max_pixels;
                }
            }
        }
        // SAFETY: the pointer and the length are those of a slice that outlives the image, and so the context. Null
        // stands for no options.
        check(unsafe { (self.context_read)(context, file.as_ptr().cast(), file.len(), ptr::null()) })?;
        // SAFETY: the context is alive, and the handle is written before it returns without an error.
        check(unsafe { (self.primary)(context, &raw mut image.handle) })?;
        if image.handle.is_null() { Err(Fault::Broken) } else { Ok(image) }
    }
}

/// A file that is open, and its primary image.
pub(super) struct Image<'a> {
    library: &'a Library,
    /// Never null; freed on drop.
    context: *mut RawContext,
    /// Null before the image is found; released on drop.
    handle: *mut RawHandle,
    /// The context reads the file as long as it lives.
    _file: PhantomData<&'a [u8]>,
}

impl Image<'_> {
    /// Its width and height, upright, as the file declares them.
    pub(super) fn size(&self) -> (u32, u32) {
        // SAFETY: the handle is alive, because `open` found it.
        let (width, height) =
            unsafe { ((self.library.handle_width)(self.handle), (self.library.handle_height)(self.handle)) };
        (u32::try_from(width).unwrap_or(0), u32::try_from(height).unwrap_or(0))
    }

    /// Decodes it, turned and mirrored as the file says, eight bits a channel.
    pub(super) fn decode(&self) -> Result<Pixels, Fault> {
        // SAFETY: the handle is alive.
        let alpha = unsafe { (self.library.has_alpha)(self.handle) != 0 };
        // SAFETY: the handle is alive.
        let premultiplied = alpha && self.library.is_premultiplied.is_some_and(|is| unsafe { is(self.handle) } != 0);
        let (chroma, channels) = if alpha { (INTERLEAVED_RGBA, 4) } else { (INTERLEAVED_RGB, 3) };
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is alive, the image is written before it returns without an error, and null stands for
        // the default options.
        check(unsafe { (self.library.decode)(self.handle, &raw mut raw, RGB, chroma, ptr::null()) })?;
        let decoded = DecodedImage { library: self.library, raw };
        let (width, height, bytes) = decoded.rows(channels).ok_or(Fault::Broken)?;
        Ok(Pixels { width, height, channels, premultiplied, bytes })
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        // SAFETY: both are this image's own, the handle is released once and before its context, and nothing of
        // theirs is used afterwards.
        unsafe {
            if !self.handle.is_null() {
                (self.library.handle_release)(self.handle);
            }
            (self.library.context_free)(self.context);
        }
    }
}

/// Decoded pixels in the library's memory.
struct DecodedImage<'a> {
    library: &'a Library,
    /// Released on drop.
    raw: *mut RawImage,
}

impl DecodedImage<'_> {
    /// Width, height, and the rows without padding; `None` if the library contradicts itself.
    fn rows(&self, channels: usize) -> Option<(u32, u32, Vec<u8>)> {
        if self.raw.is_null() {
            return None;
        }
        let mut stride = 0;
        // SAFETY: the image is alive, and the stride is written before it returns.
        let (width, height, plane) = unsafe {
            let width = (self.library.image_width)(self.raw, INTERLEAVED);
            let height = (self.library.image_height)(self.raw, INTERLEAVED);
            (width, height, (self.library.plane)(self.raw, INTERLEAVED, &raw mut stride))
        };
        let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
        let (row, stride) = (usize::try_from(width).ok()?.checked_mul(channels)?, usize::try_from(stride).ok()?);
        let rows = usize::try_from(height).ok()?;
        if plane.is_null() || row == 0 || rows == 0 || row > stride {
            return None;
        }
        // The last row may lack its padding.
        let length = stride.checked_mul(rows - 1)?.checked_add(row)?;
        // SAFETY: the plane has that many bytes: `rows` rows at a distance of `stride`, each at least `row` long. It
        // lives and does not change until the image is released, which is when this is dropped.
        let plane = unsafe { std::slice::from_raw_parts(plane, length) };
        let mut bytes = Vec::with_capacity(row.checked_mul(rows)?);
        for start in plane.chunks(stride) {
            bytes.extend_from_slice(start.get(..row)?);
        }
        Some((width, height, bytes))
    }
}

impl Drop for DecodedImage<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: it is this image's own, is released once, and nothing of it is used afterwards.
            unsafe { (self.library.image_release)(self.raw) };
        }
    }
}

fn check(error: HeifError) -> Result<(), Fault> {
    match error.code {
        0 => Ok(()),
        code if UNSUPPORTED.contains(&code) => Err(Fault::Unsupported),
        _ => Err(Fault::Broken),
    }
}
