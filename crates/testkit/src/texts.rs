//! The articles, compiled in. The lists are written out because there is no build
//! script; a test compares them with the folders.

/// Name and text of each file, for the names given.
macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!("../articles/", $folder, "/", $name, ".txt")),
        )),*]
    };
}

/// The Vietnamese articles, newest first.
pub(crate) const VIETNAMESE: &[(&str, &str)] = texts!["vi":
    "01-cau-tre-thay-bang-cau-go"
];

/// The English articles, newest first.
pub(crate) const ENGLISH: &[(&str, &str)] = texts!["en":
    "01-weir-boards-lifted"
];
