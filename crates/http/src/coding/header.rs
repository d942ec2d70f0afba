//! Decodes the values of HTTP headers to text.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns the value of the header `name` as text. Bytes that are not UTF-8 become U+FFFD. In a `Location`, they are
/// percent-encoded instead, as browsers do, because a page in an old encoding may have such a byte in its address.
///
/// ```
/// assert_eq!(gleaner_http::coding::header_text("location", b"/caf\xe9"), "/caf%E9");
/// assert_eq!(gleaner_http::coding::header_text("location", "/café".as_bytes()), "/café");
/// assert_eq!(gleaner_http::coding::header_text("Server", b"caf\xe9"), "caf\u{FFFD}");
/// ```
#[must_use]
pub fn header_text<'a>(name: &str, value: &'a [u8]) -> Cow<'a, str> {
    if !name.eq_ignore_ascii_case("location") {
        return String::from_utf8_lossy(value);
    }
    if let Ok(text) = std::str::from_utf8(value) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(value.len() + 8);
    for chunk in value.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(text, "%{byte:02X}").expect("a write to a string cannot fail");
        }
    }
    Cow::Owned(text)
}
