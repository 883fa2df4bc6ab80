//! Drawings as the renderer reads and draws them, for a caller outside: a document is read once, and drawn in parts.

use std::alloc::{alloc, dealloc, Layout};
use std::sync::Arc;

use resvg::{tiny_skia, usvg};
use usvg::fontdb;

/// Before each block of memory that the caller has: its size.
const HEADER: usize = 16;

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(HEADER)?, HEADER).ok()
}

/// Memory for the caller; 0 where there is none.
#[no_mangle]
pub extern "C" fn malloc(bytes: usize) -> *mut u8 {
    let Some(layout) = layout(bytes) else {
        return std::ptr::null_mut();
    };
    unsafe {
        let start = alloc(layout);
        if start.is_null() {
            return start;
        }
        *(start as *mut usize) = bytes;
        start.add(HEADER)
    }
}

/// Gives back what `malloc` gave.
///
/// # Safety
/// The pointer is one of `malloc`, or null.
#[no_mangle]
pub unsafe extern "C" fn free(pointer: *mut u8) {
    if pointer.is_null() {
        return;
    }
    let start = pointer.sub(HEADER);
    if let Some(layout) = layout(*(start as *mut usize)) {
        dealloc(start, layout);
    }
}

/// Fonts that documents are set in, and the family that they are set in where they name none of them.
pub struct Fonts {
    database: Arc<fontdb::Database>,
    family: String,
}

/// No fonts yet; the first that is added names the family.
#[no_mangle]
pub extern "C" fn fonts_new() -> *mut Fonts {
    Box::into_raw(Box::new(Fonts {
        database: Arc::new(fontdb::Database::new()),
        family: String::new(),
    }))
}

/// Adds a font file, which is copied.
///
/// # Safety
/// `fonts` is of `fonts_new`, and `bytes` are there.
#[no_mangle]
pub unsafe extern "C" fn fonts_add(fonts: *mut Fonts, bytes: *const u8, length: usize) {
    let fonts = &mut *fonts;
    let database = Arc::make_mut(&mut fonts.database);
    database.load_font_data(std::slice::from_raw_parts(bytes, length).to_vec());
    if fonts.family.is_empty() {
        let first = database.faces().next().and_then(|face| face.families.first());
        fonts.family = first.map(|(name, _)| name.clone()).unwrap_or_default();
        let family = fonts.family.clone();
        database.set_serif_family(&family);
        database.set_sans_serif_family(&family);
        database.set_cursive_family(&family);
        database.set_fantasy_family(&family);
        database.set_monospace_family(&family);
    }
}

/// A document that was read, and the pixels of the part that was drawn last.
pub struct Drawing {
    tree: usvg::Tree,
    pixels: Vec<u8>,
}

/// Reads a document; 0 where it is refused.
///
/// # Safety
/// `fonts` is of `fonts_new`, and `text` is there.
#[no_mangle]
pub unsafe extern "C" fn drawing_new(fonts: *const Fonts, text: *const u8, length: usize) -> *mut Drawing {
    let fonts = &*fonts;
    let Ok(text) = std::str::from_utf8(std::slice::from_raw_parts(text, length)) else {
        return std::ptr::null_mut();
    };
    let mut options = usvg::Options {
        font_family: fonts.family.clone(),
        fontdb: fonts.database.clone(),
        // As browsers enlarge pictures.
        image_rendering: usvg::ImageRendering::Smooth,
        ..Default::default()
    };
    // Addresses are of no file here.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    match usvg::Tree::from_str(text, &options) {
        Ok(tree) => Box::into_raw(Box::new(Drawing { tree, pixels: Vec::new() })),
        Err(_) => std::ptr::null_mut(),
    }
}

/// Draws a part of a picture of `picture_width` and `picture_height` pixels: `height` rows from `top` on, and `width`
/// columns from `left` on. The picture shows the document enlarged by `scale_x` and `scale_y`. Returns where the pixels
/// are until the next call: RGBA, straight alpha; 0 where there is no such part.
///
/// # Safety
/// `drawing` is of `drawing_new`.
#[no_mangle]
pub unsafe extern "C" fn drawing_draw(
    drawing: *mut Drawing,
    scale_x: f32,
    scale_y: f32,
    picture_width: u32,
    picture_height: u32,
    left: f32,
    top: f32,
    width: u32,
    height: u32,
) -> *const u8 {
    let drawing = &mut *drawing;
    drawing.pixels = Vec::new();
    let Some(picture) = tiny_skia::IntSize::from_wh(picture_width, picture_height) else {
        return std::ptr::null();
    };
    let Some(mut pixmap) = tiny_skia::Pixmap::new(width, height) else {
        return std::ptr::null();
    };
    let transform = tiny_skia::Transform::from_scale(scale_x, scale_y);
    resvg::render_part(&drawing.tree, transform, left, top, picture, &mut pixmap.as_mut());
    drawing.pixels = pixmap.take();
    straighten(&mut drawing.pixels);
    drawing.pixels.as_ptr()
}

/// Divides colors by their alpha.
fn straighten(pixels: &mut [u8]) {
    for pixel in pixels.chunks_exact_mut(4) {
        let alpha = u32::from(pixel[3]);
        if alpha == 255 || alpha == 0 {
            continue;
        }
        for color in &mut pixel[..3] {
            *color = ((u32::from(*color) * 255 + alpha / 2) / alpha).min(255) as u8;
        }
    }
}

/// # Safety
/// `drawing` is of `drawing_new`, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn drawing_free(drawing: *mut Drawing) {
    drop(Box::from_raw(drawing));
    resvg::forget_pictures();
}
