//! Passes documents to other libraries by the Arrow C stream interface, in batches.
//!
//! The columns are those of Parquet exports: the same names, types and nulls. The structures are those of the
//! specification (<https://arrow.apache.org/docs/format/CStreamInterface.html>), by which pyarrow, polars, DuckDB and
//! pandas read the batches without a copy. They are few, so no Arrow library is needed. All unsafe code of the package
//! is in this file.
//!
//! Ownership: a structure owns the memory to which it points, through `private_data`, until its `release` is called.
//! The reader of a structure calls `release` once, or moves it away and sets `release` to null.

use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use gleaner_export::record::{Cell, Field, FieldType};
use gleaner_export::{Fields, Record};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::corpus::{Reading, Step};

/// Maximum number of documents in a batch.
const MAX_ROWS: usize = 1024;

/// A batch with at least this number of bytes is complete.
const MAX_BYTES: usize = 8 << 20;

/// `ARROW_FLAG_NULLABLE`.
const NULLABLE: i64 = 2;

/// `EIO`: the stream failed, and `get_last_error` says why.
const FAILED: c_int = 5;

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: the stream owns its data, a `Box<Batches>`, which may be used by one thread after another.
unsafe impl Send for ArrowArrayStream {}

const _: fn() = || {
    fn is_send<T: Send>() {}
    is_send::<Batches>();
};

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: nobody has moved the stream away, since `release` is not null.
            unsafe { release(self) }
        }
    }
}

/// Returns the stream in the capsule that `__arrow_c_stream__` returns. The capsule releases a stream that nobody has
/// moved out of it.
pub(crate) fn stream(py: Python<'_>, fields: Fields, reading: Reading) -> PyResult<Bound<'_, PyCapsule>> {
    let batches = Batches { fields, reading: Some(reading), error: CString::default() };
    let stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(batches)).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

struct Batches {
    fields: Fields,
    /// `None` at the end, when the store may be closed.
    reading: Option<Reading>,
    /// The last error.
    error: CString,
}

impl Batches {
    /// Returns the next batch, or `None` at the end.
    fn next(&mut self) -> Result<Option<ArrowArray>, String> {
        let Some(reading) = &mut self.reading else { return Ok(None) };
        let mut columns: Vec<Column> = self.fields.iter().map(Column::new).collect();
        let (mut rows, mut bytes) = (0, 0);
        while rows < MAX_ROWS && bytes < MAX_BYTES {
            let push = |record: &Record| {
                columns.iter_mut().map(|column| column.push(column.field.value(record))).sum::<usize>()
            };
            match reading.step(push).map_err(|error| error.to_string())? {
                Step::Found(size) => (rows, bytes) = (rows + 1, bytes + size),
                Step::Nothing => {}
                Step::End => {
                    self.reading = None;
                    break;
                }
            }
        }
        Ok((rows > 0).then(|| {
            let children = columns.into_iter().map(Column::into_array).collect();
            array(rows, 0, vec![Buffer::Absent], children)
        }))
    }

    fn failed(&mut self, message: String) -> c_int {
        self.error = CString::new(message.replace('\0', " ")).unwrap_or_default();
        FAILED
    }
}

/// # Safety
/// `stream` must be a stream of this module that was not released.
unsafe fn batches<'a>(stream: *mut ArrowArrayStream) -> &'a mut Batches {
    // SAFETY: `private_data` is the box that `stream` was made with. The specification forbids simultaneous calls.
    unsafe { &mut *(*stream).private_data.cast() }
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the caller passes this stream, and memory for a schema.
    unsafe {
        let children = batches(stream).fields.iter().map(schema_of).collect();
        out.write(schema("+s", "", 0, children));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: the caller passes this stream.
    let batches = unsafe { batches(stream) };
    // A panic must not unwind into C.
    let next = catch_unwind(AssertUnwindSafe(|| batches.next()));
    let next = next.unwrap_or_else(|_| Err("gleaner failed; please report this".to_owned()));
    match next {
        Ok(batch) => {
            // SAFETY: the caller passes memory for an array. A released array is the end of the stream.
            unsafe { out.write(batch.unwrap_or_else(ended)) };
            0
        }
        Err(message) => batches.failed(message),
    }
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the caller passes this stream. The text lives until the next call.
    unsafe { batches(stream) }.error.as_ptr()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the caller passes this stream, once, so the box still exists.
    unsafe {
        (*stream).release = None;
        drop(Box::from_raw((*stream).private_data.cast::<Batches>()));
    }
}

/// What a schema owns.
struct SchemaData {
    _format: CString,
    _name: CString,
    children: Vec<*mut ArrowSchema>,
}

fn schema(format: &str, name: &str, flags: i64, children: Vec<ArrowSchema>) -> ArrowSchema {
    let text = |text: &str| CString::new(text).expect("names of fields and types have no zero bytes");
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut data = Box::new(SchemaData { _format: text(format), _name: text(name), children });
    ArrowSchema {
        format: data._format.as_ptr(),
        name: data._name.as_ptr(),
        metadata: ptr::null(),
        flags,
        n_children: data.children.len() as i64,
        children: data.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(data).cast(),
    }
}

fn schema_of(field: &'static Field) -> ArrowSchema {
    let (format, flags) = match field.kind {
        FieldType::Text => ("u", 0),
        FieldType::OptionalText => ("u", NULLABLE),
        FieldType::Texts => return schema("+l", field.name, 0, vec![schema("u", "element", 0, Vec::new())]),
        FieldType::Time => ("tsu:UTC", 0),
        FieldType::OptionalTime => ("tsu:UTC", NULLABLE),
        FieldType::OptionalFlag => ("b", NULLABLE),
        FieldType::Count => ("l", 0),
        FieldType::OptionalCount => ("l", NULLABLE),
        FieldType::OptionalSmallCount => ("i", NULLABLE),
        FieldType::Number => ("g", 0),
        FieldType::OptionalNumber => ("g", NULLABLE),
    };
    schema(format, field.name, flags, Vec::new())
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the caller passes a schema of this module, once. A reader may have released children before.
    unsafe {
        (*schema).release = None;
        let data = Box::from_raw((*schema).private_data.cast::<SchemaData>());
        for child in data.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
    }
}

/// The memory of a buffer. Only its address is read.
enum Buffer {
    Absent,
    Bytes(Vec<u8>),
    Offsets(Vec<i32>),
    Longs(Vec<i64>),
    Numbers(Vec<f64>),
}

impl Buffer {
    const fn address(&self) -> *const c_void {
        match self {
            Self::Absent => ptr::null(),
            Self::Bytes(values) => values.as_ptr().cast(),
            Self::Offsets(values) => values.as_ptr().cast(),
            Self::Longs(values) => values.as_ptr().cast(),
            Self::Numbers(values) => values.as_ptr().cast(),
        }
    }
}

/// What an array owns.
struct ArrayData {
    _buffers: Vec<Buffer>,
    addresses: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

fn array(length: usize, nulls: usize, buffers: Vec<Buffer>, children: Vec<ArrowArray>) -> ArrowArray {
    let addresses = buffers.iter().map(Buffer::address).collect();
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut data = Box::new(ArrayData { _buffers: buffers, addresses, children });
    ArrowArray {
        length: length as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: data.addresses.len() as i64,
        n_children: data.children.len() as i64,
        buffers: data.addresses.as_mut_ptr(),
        children: data.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(data).cast(),
    }
}

/// Returns the array that marks the end of a stream.
fn ended() -> ArrowArray {
    ArrowArray {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the caller passes an array of this module, once. A reader may have moved children away before.
    unsafe {
        (*array).release = None;
        let data = Box::from_raw((*array).private_data.cast::<ArrayData>());
        for child in data.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
    }
}

/// Bits, the lowest of a byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    length: usize,
    zeros: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length += 1;
        self.zeros += usize::from(!bit);
    }
}

/// Texts one after another, with the end of each.
struct Texts {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Texts {
    fn new() -> Self {
        Self { offsets: vec![0], bytes: Vec::new() }
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(offset(self.bytes.len()));
    }
}

fn offset(length: usize) -> i32 {
    i32::try_from(length).expect("a batch is complete long before it has 2 GiB")
}

/// A column of a batch.
struct Column {
    field: &'static Field,
    /// Whether each value is not null.
    valid: Bits,
    values: Values,
}

enum Values {
    Text(Texts),
    /// Lists of texts: the number of texts up to the end of each list.
    Texts(Vec<i32>, Texts),
    Long(Vec<i64>),
    Int(Vec<i32>),
    Number(Vec<f64>),
    Flag(Bits),
}

impl Column {
    fn new(field: &'static Field) -> Self {
        let values = match field.kind {
            FieldType::Text | FieldType::OptionalText => Values::Text(Texts::new()),
            FieldType::Texts => Values::Texts(vec![0], Texts::new()),
            FieldType::Time | FieldType::OptionalTime | FieldType::Count | FieldType::OptionalCount => {
                Values::Long(Vec::new())
            }
            FieldType::OptionalFlag => Values::Flag(Bits::default()),
            FieldType::OptionalSmallCount => Values::Int(Vec::new()),
            FieldType::Number | FieldType::OptionalNumber => Values::Number(Vec::new()),
        };
        Self { field, valid: Bits::default(), values }
    }

    /// Adds a value. Returns its size in bytes.
    fn push(&mut self, cell: Cell) -> usize {
        let (is_valid, size) = match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => {
                values.push(text.unwrap_or_default());
                (text.is_some(), 4 + text.map_or(0, str::len))
            }
            (Values::Texts(ends, values), Cell::Texts(texts)) => {
                texts.iter().for_each(|text| values.push(text));
                ends.push(offset(values.offsets.len() - 1));
                (true, 4 + texts.iter().map(|text| 4 + text.len()).sum::<usize>())
            }
            (Values::Long(values), Cell::Time(time)) => {
                values.push(time.map_or(0, |time| time.as_microsecond()));
                (time.is_some(), 8)
            }
            (Values::Long(values), Cell::Long(count)) => {
                values.push(count.unwrap_or_default());
                (count.is_some(), 8)
            }
            (Values::Int(values), Cell::Int(count)) => {
                values.push(count.unwrap_or_default());
                (count.is_some(), 4)
            }
            (Values::Number(values), Cell::Number(number)) => {
                values.push(number.unwrap_or_default());
                (number.is_some(), 8)
            }
            (Values::Flag(values), Cell::Flag(flag)) => {
                values.push(flag.unwrap_or_default());
                (flag.is_some(), 1)
            }
            (_, cell) => unreachable!("{cell:?} in the column {}", self.field.name),
        };
        self.valid.push(is_valid);
        size
    }

    fn into_array(self) -> ArrowArray {
        let (rows, nulls) = (self.valid.length, self.valid.zeros);
        let valid = if nulls == 0 { Buffer::Absent } else { Buffer::Bytes(self.valid.bytes) };
        let texts = |values: Texts| [Buffer::Offsets(values.offsets), Buffer::Bytes(values.bytes)];
        let values = match self.values {
            Values::Text(values) => {
                let [offsets, bytes] = texts(values);
                return array(rows, nulls, vec![valid, offsets, bytes], Vec::new());
            }
            Values::Texts(ends, values) => {
                let count = values.offsets.len() - 1;
                let [offsets, bytes] = texts(values);
                let elements = array(count, 0, vec![Buffer::Absent, offsets, bytes], Vec::new());
                return array(rows, nulls, vec![valid, Buffer::Offsets(ends)], vec![elements]);
            }
            Values::Long(values) => Buffer::Longs(values),
            Values::Int(values) => Buffer::Offsets(values),
            Values::Number(values) => Buffer::Numbers(values),
            Values::Flag(values) => Buffer::Bytes(values.bytes),
        };
        array(rows, nulls, vec![valid, values], Vec::new())
    }
}
