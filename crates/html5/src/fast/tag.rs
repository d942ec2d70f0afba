//! Lists the elements that have rules in tree construction, and the HTML standard's sets of elements.
//!
//! As in html5ever, the sets differ from the standard in two points: `dialog` and `search` are not special,
//! and `select` bounds a scope.

/// Declares [`Tag`] and its lookup by name.
macro_rules! tags {
    ($($tag:ident $($name:literal)+;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Tag {
            /// An element whose name has no rule.
            Other,
            $($tag,)+
        }

        impl Tag {
            pub(super) fn from_name(name: &str) -> Self {
                match name {
                    $($($name)|+ => Self::$tag,)+
                    _ => Self::Other,
                }
            }

            pub(super) const fn is_one(self) -> bool {
                match self {
                    $(Self::$tag => [$($name),+].len() == 1,)+
                    Self::Other => false,
                }
            }
        }
    };
}

tags! {
    Html "html";
    Head "head";
    Body "body";
    // Elements of the head without content.
    HeadVoid "base" "basefont" "bgsound" "link" "meta";
    Title "title";
    // Raw text, allowed in the head.
    HeadRaw "noframes" "style";
    Script "script";
    Noscript "noscript";
    Template "template";
    Frameset "frameset";
    Frame "frame";
    P "p";
    // Blocks without rules of their own.
    Block "article" "aside" "blockquote" "center" "details" "dir" "dl" "fieldset" "figcaption"
        "figure" "footer" "header" "hgroup" "main" "menu" "nav" "section" "summary";
    // Blocks that do not end the search for an open list item.
    Div "address" "div";
    // Blocks that html5ever does not treat as special.
    PlainBlock "dialog" "search";
    List "ol" "ul";
    Heading "h1" "h2" "h3" "h4" "h5" "h6";
    Preformatted "pre" "listing";
    Form "form";
    Li "li";
    Definition "dd" "dt";
    Plaintext "plaintext";
    Button "button";
    A "a";
    Nobr "nobr";
    Formatting "b" "big" "code" "em" "font" "i" "s" "small" "strike" "strong" "tt" "u";
    Embedding "applet" "marquee" "object";
    Table "table";
    Caption "caption";
    Colgroup "colgroup";
    Col "col";
    TableBody "tbody" "tfoot" "thead";
    Tr "tr";
    Cell "td" "th";
    Br "br";
    Img "img";
    Image "image";
    Void "area" "embed" "wbr";
    Keygen "keygen";
    Input "input";
    Param "param" "source" "track";
    Hr "hr";
    Textarea "textarea";
    Xmp "xmp";
    Iframe "iframe";
    Noembed "noembed";
    Select "select";
    Option "option";
    Optgroup "optgroup";
    Ruby "ruby";
    RubyBase "rb" "rtc";
    RubyText "rp" "rt";
    Math "math";
    Svg "svg";
    Isindex "isindex";
    // These elements have rules only in foreign content.
    Inline "span" "sub" "sup" "var";
    MathPoint "mi" "mo" "mn" "ms" "mtext";
    MathGlyph "mglyph" "malignmark";
    AnnotationXml "annotation-xml";
    Desc "desc";
    ForeignObject "foreignobject";
}

pub(super) mod set {
    pub(in super::super) const SPECIAL: u16 = 1;
    /// Boundaries of "in scope".
    pub(in super::super) const SCOPE: u16 = 1 << 1;
    /// Additional boundaries of a list item's scope.
    pub(in super::super) const LIST: u16 = 1 << 2;
    /// Additional boundaries of a button's scope.
    pub(in super::super) const BUTTON: u16 = 1 << 3;
    /// Boundaries of a table's scope and context.
    pub(in super::super) const TABLE: u16 = 1 << 4;
    /// Boundaries of a table body's context.
    pub(in super::super) const TABLE_BODY: u16 = 1 << 5;
    /// Boundaries of a row's context.
    pub(in super::super) const ROW: u16 = 1 << 6;
    pub(in super::super) const IMPLIED: u16 = 1 << 7;
    /// Elements with implied end tags at the end of a template.
    pub(in super::super) const THOROUGH: u16 = 1 << 8;
    pub(in super::super) const FOREIGN: u16 = 1 << 9;
    pub(in super::super) const SVG: u16 = 1 << 10;
    /// A foreign element that may contain HTML.
    pub(in super::super) const HTML_POINT: u16 = 1 << 11;
    /// A foreign element that may contain HTML text.
    pub(in super::super) const TEXT_POINT: u16 = 1 << 12;
    /// Parts of a table in which only white space is allowed as text.
    pub(in super::super) const TABLE_OUTER: u16 = 1 << 13;
}

use set::{BUTTON, IMPLIED, LIST, ROW, SCOPE, SPECIAL, TABLE, TABLE_BODY, TABLE_OUTER, THOROUGH};

impl Tag {
    pub(super) const fn sets(self) -> u16 {
        self.bounds() | self.ends() | if self.is_special() { SPECIAL } else { 0 }
    }

    const fn bounds(self) -> u16 {
        match self {
            Self::Html => SCOPE | TABLE | TABLE_BODY | ROW,
            Self::Template => SCOPE | TABLE | TABLE_BODY | ROW,
            Self::Table => SCOPE | TABLE | TABLE_OUTER,
            Self::TableBody => TABLE_BODY | TABLE_OUTER,
            Self::Tr => ROW | TABLE_OUTER,
            Self::Caption | Self::Cell | Self::Embedding | Self::Select => SCOPE,
            Self::List => LIST,
            Self::Button => BUTTON,
            _ => 0,
        }
    }

    const fn ends(self) -> u16 {
        match self {
            Self::Definition | Self::Li | Self::Option | Self::Optgroup | Self::P => IMPLIED | THOROUGH,
            Self::RubyBase | Self::RubyText => IMPLIED | THOROUGH,
            Self::Caption | Self::Colgroup | Self::TableBody | Self::Cell | Self::Tr => THOROUGH,
            _ => 0,
        }
    }

    const fn is_special(self) -> bool {
        let inline = matches!(self, Self::A | Self::Nobr | Self::Formatting | Self::Inline | Self::Other);
        let plain = matches!(self, Self::PlainBlock | Self::Keygen | Self::Image);
        let choice = matches!(self, Self::Option | Self::Optgroup);
        let ruby = matches!(self, Self::Ruby | Self::RubyBase | Self::RubyText);
        let math = matches!(self, Self::Math | Self::MathPoint | Self::MathGlyph | Self::AnnotationXml);
        let svg = matches!(self, Self::Svg | Self::Desc | Self::ForeignObject);
        !(inline || plain || choice || ruby || math || svg)
    }

    pub(super) const fn is_block(self) -> bool {
        matches!(self, Self::Block | Self::Div | Self::PlainBlock | Self::List)
    }

    pub(super) const fn is_of_head(self) -> bool {
        matches!(self, Self::HeadVoid | Self::Title | Self::HeadRaw | Self::Script | Self::Template)
    }

    /// Whether the element is a part of a table. Such an element is ignored outside tables.
    pub(super) const fn is_of_table(self) -> bool {
        matches!(self, Self::Caption | Self::Col | Self::Colgroup | Self::TableBody | Self::Cell | Self::Tr)
    }

    /// Whether the element's start tag ends foreign content. For `font`, this depends on the attributes.
    pub(super) const fn breaks_out(self, name: &str) -> bool {
        match self {
            Self::Formatting => !matches!(name.as_bytes(), b"font"),
            Self::Block => matches!(name.as_bytes(), b"blockquote" | b"center" | b"dl" | b"menu"),
            Self::Div => matches!(name.as_bytes(), b"div"),
            Self::Void => matches!(name.as_bytes(), b"embed"),
            Self::HeadVoid => matches!(name.as_bytes(), b"meta"),
            Self::Body | Self::Head | Self::Br | Self::Definition | Self::Heading | Self::Hr | Self::Img => {
                true
            }
            Self::Li | Self::Preformatted | Self::Nobr | Self::List | Self::P | Self::Ruby => true,
            Self::Inline | Self::Table => true,
            _ => false,
        }
    }
}
