//! Tests that each format can be read again, whole and in part.

use std::fs;
use std::path::Path;

use super::*;
use crate::record::tests::{context, documents};
use crate::{Filter, Format, Single};

fn written(folder: &Path, name: &str, format: Format) -> PathBuf {
    let path = folder.join(name);
    let filter = Filter { members: true, ..Filter::default() };
    let mut single = Single::begin(&path, format, &crate::Fields::default(), filter).unwrap();
    for document in documents() {
        single.write(&document, &context(&document)).unwrap();
    }
    single.finish().unwrap();
    path
}

type Lines = Vec<(u64, Result<Article, String>)>;

fn read(path: &Path) -> Result<Lines, ExportError> {
    let mut all = Vec::new();
    each(path, |line, article| {
        all.push((line, article));
        Ok::<_, ExportError>(())
    })?;
    Ok(all)
}

const FORMS: [(&str, Format); 4] = [
    ("a.jsonl", Format::JsonLines(Compression::None)),
    ("a.jsonl.gz", Format::JsonLines(Compression::Gzip)),
    ("a.jsonl.zst", Format::JsonLines(Compression::Zstd)),
    ("a.parquet", Format::Parquet),
];

#[test]
fn every_form_is_read_alike_and_kept_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let expected: Vec<_> = (1..)
        .zip(documents())
        .map(|(line, document)| {
            let fetched = Some(document.fetched.as_microsecond());
            (line, Ok(Article { id: document.id.to_string(), text: document.text, fetched }))
        })
        .collect();
    for (name, format) in FORMS {
        let path = written(folder.path(), name, format);
        assert_eq!(read(&path).unwrap(), expected, "{name}");
        let part = folder.path().join(format!("part-{name}"));
        let file = keep(&path, &part, |line| line != 2).unwrap();
        assert_eq!((file.documents, file.bytes), (2, fs::metadata(&part).unwrap().len()));
        let ids: Vec<_> = read(&part).unwrap().into_iter().map(|(_, it)| it.unwrap().id).collect();
        let of = |at: usize| expected[at].1.clone().unwrap().id;
        assert_eq!(ids, [of(0), of(2)], "{name}");
    }
    assert_eq!(shards(folder.path()).unwrap().len(), 8);
}

#[test]
fn all_of_a_parquet_file_kept_is_the_same_rows() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "a.parquet", Format::Parquet);
    let copy = folder.path().join("b.parquet");
    keep(&path, &copy, |_| true).unwrap();
    let rows = |path: &Path| -> Vec<String> {
        let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    };
    assert_eq!(rows(&path), rows(&copy));
}

#[test]
fn damaged_lines_are_handed_on_and_counted_as_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let text = "{\"id\":\"1\",\"text\":\"a\",\"x\":[1]}\n\n{\"id\":\n{\"text\":\"b\"}\n{\"id\":\"5\"}\n\
                {\"id\":\"6\",\"text\":\"c\",\"fetched\":\"soon\"}\n{\"id\":\"7\",\"text\":\"d\",\"fetched\":null}";
    fs::write(&path, text).unwrap();
    let told: Vec<_> =
        read(&path).unwrap().into_iter().map(|(line, it)| (line, it.map(|it| it.id))).collect();
    let reason = |at: usize| told[at].1.clone().unwrap_err();
    assert_eq!(told.iter().map(|it| it.0).collect::<Vec<_>>(), [1, 3, 4, 5, 6, 7]);
    assert_eq!((&told[0].1, &told[5].1), (&Ok("1".into()), &Ok("7".into())));
    assert!(reason(1).contains("EOF"), "{}", reason(1));
    assert_eq!((reason(2).as_str(), reason(3).as_str()), ("no field id", "no field text"));
    assert!(reason(4).starts_with("fetched:"), "{}", reason(4));
}

#[test]
fn a_line_without_end_is_damaged_and_passed_over() {
    let mut text = vec![b'x'; json_lines::LONGEST + 10];
    text.extend(b"\nshort");
    let (mut lines, mut line) = (text.as_slice(), Vec::new());
    assert!(json_lines::read_line(&mut lines, &mut line).unwrap());
    assert!(json_lines::article(&line).unwrap_err().starts_with("longer than"));
    assert!(json_lines::read_line(&mut lines, &mut line).unwrap());
    assert_eq!(line, b"short");
    assert!(!json_lines::read_line(&mut lines, &mut line).unwrap());
}

#[test]
fn what_cannot_be_read_is_said_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &Path| read(path).unwrap_err().to_string();
    for (name, format) in &FORMS[1..] {
        let path = written(folder.path(), name, *format);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(error(&path).starts_with(&format!("cannot read {}", path.display())), "{}", error(&path));
    }
    assert!(error(&folder.path().join("a.txt")).contains("is no shard"));
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(shards(&empty).unwrap_err().to_string().starts_with("no shards in"));
    assert!(shards(&folder.path().join("absent")).unwrap_err().to_string().starts_with("cannot read"));
}

/// From other programs: optional columns, times as text, snappy.
#[test]
fn parquet_of_others_is_read() {
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, columns: &[(&str, [Option<&str>; 3])]| {
        let fields = columns.iter().map(|(field, _)| format!("optional binary {field} (STRING);"));
        let schema = format!("message d {{ {} }}", fields.collect::<String>());
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let path = folder.path().join(name);
        let (file, schema) = (fs::File::create(&path).unwrap(), parse_message_type(&schema).unwrap());
        let mut file = SerializedFileWriter::new(file, schema.into(), properties.into()).unwrap();
        let mut group = file.next_row_group().unwrap();
        for (_, cells) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            let values: Vec<ByteArray> = cells.iter().flatten().map(|text| ByteArray::from(*text)).collect();
            let levels = cells.map(|cell| i16::from(cell.is_some()));
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        file.close().unwrap();
        path
    };
    let text = ("text", [Some("a"), None, Some("c")]);
    let id = ("id", [Some("1"), Some("2"), Some("3")]);
    let fetched = ("fetched", [None, None, Some("1970-01-01T00:00:01Z")]);
    let path = write("whole.parquet", &[fetched, text, id]);
    let article = |id: &str, text: &str, fetched| Article { id: id.into(), text: text.into(), fetched };
    let expected = [
        (1, Ok(article("1", "a", None))),
        (2, Err("no field text".to_owned())),
        (3, Ok(article("3", "c", Some(1_000_000)))),
    ];
    assert_eq!(read(&path).unwrap(), expected);
    let part = folder.path().join("part.parquet");
    keep(&path, &part, |row| row == 3).unwrap();
    assert_eq!(read(&part).unwrap(), [(1, expected[2].1.clone())]);
    let error = read(&write("lacks.parquet", &[id, fetched])).unwrap_err().to_string();
    assert!(error.ends_with("no column text that holds text"), "{error}");
}
