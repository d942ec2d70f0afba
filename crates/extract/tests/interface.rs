//! Compares the public interface of the crate with the recorded one in `interface.txt`, so that it does not
//! change by accident. Types of other crates that this crate exports are part of it. Modules that are marked
//! `#[doc(hidden)]` are not: only gleaner's own crates use them.

use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, File, ImplItem, Item, Type, UseTree, Visibility, parse_quote};

/// The position of an item: the folder of its crate, its modules, and its name.
#[derive(Clone)]
struct Place {
    folder: String,
    path: Vec<String>,
}

impl Place {
    fn below(&self, name: &str) -> Self {
        let path = self.path.iter().cloned().chain([name.to_owned()]).collect();
        Self { folder: self.folder.clone(), path }
    }

    /// Returns the position that a path in a `use` names. The path is relative to this module.
    fn follow(&self, path: &[String], file: &File) -> Option<Self> {
        let (first, rest) = path.split_first()?;
        let mut place = match first.as_str() {
            "self" => self.clone(),
            "crate" => Self { folder: self.folder.clone(), path: Vec::new() },
            name if name.starts_with("gleaner_") => {
                Self { folder: name.trim_start_matches("gleaner_").to_owned(), path: Vec::new() }
            }
            name if has_module(file, name) => self.below(name),
            _ => return None,
        };
        place.path.extend_from_slice(rest);
        Some(place)
    }

    fn source(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&self.folder).join("src")
    }

    fn file(&self) -> PathBuf {
        let inner = self.source().join(self.path.join("/"));
        let names = [inner.with_extension("rs"), inner.join("mod.rs"), inner.join("lib.rs")];
        let [single, folder, root] = names;
        let found = if self.path.is_empty() { root } else { single };
        if found.exists() { found } else { folder }
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.file()];
        let mut folders = vec![self.source().join(self.path.join("/"))];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    files.push(path);
                }
            }
        }
        files.sort();
        files.dedup();
        files
    }
}

fn read(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn has_module(file: &File, name: &str) -> bool {
    file.items.iter().any(|item| matches!(item, Item::Mod(module) if module.ident == name))
}

const fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns the paths that a `use` names, each with the name under which it is imported.
fn leaves(tree: &UseTree, above: &[String]) -> Vec<(Vec<String>, String)> {
    let with = |name: String| above.iter().cloned().chain([name]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(path.ident.to_string())),
        UseTree::Name(name) => vec![(with(name.ident.to_string()), name.ident.to_string())],
        UseTree::Rename(name) => vec![(with(name.ident.to_string()), name.rename.to_string())],
        UseTree::Group(group) => group.items.iter().flat_map(|tree| leaves(tree, above)).collect(),
        UseTree::Glob(_) => panic!("the interface cannot be read from a `use` with a star"),
    }
}

fn module(place: &Place) -> Vec<Item> {
    let file = read(&place.file());
    let mut found = Vec::new();
    for item in &file.items {
        match item {
            Item::Mod(inner) if is_public(&inner.vis) && !is_hidden(&inner.attrs) => {
                found.push(whole_module(&place.below(&inner.ident.to_string())));
            }
            Item::Use(used) if is_public(&used.vis) => {
                for (path, name) in leaves(&used.tree, &[]) {
                    match place.follow(&path, &file) {
                        Some(at) => found.extend(named(&at)),
                        None => found.push(foreign(&path, &name)),
                    }
                }
            }
            _ => {
                let public = public(item.clone());
                let name = public.as_ref().and_then(name_of);
                found.extend(public);
                found.extend(name.into_iter().flat_map(|name| impls(place, &name)));
            }
        }
    }
    found
}

/// Returns an item of a library that is not part of this project.
fn foreign(path: &[String], name: &str) -> Item {
    let text = format!("pub use {} as {name};", path.join("::"));
    syn::parse_str(&text).expect("a path and a name make a `use`")
}

fn whole_module(place: &Place) -> Item {
    let name: syn::Ident = syn::parse_str(place.path.last().expect("a module has a name")).unwrap();
    let items = module(place);
    parse_quote! { pub mod #name { #(#items)* } }
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let hides =
        |attribute: &Attribute| attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "hidden");
    attributes.iter().any(|attribute| attribute.path().is_ident("doc") && hides(attribute))
}

fn named(place: &Place) -> Vec<Item> {
    let (name, modules) = place.path.split_last().expect("an item has a name");
    let at = Place { folder: place.folder.clone(), path: modules.to_vec() };
    let file = read(&at.file());
    for item in &file.items {
        if let Item::Use(used) = item
            && let Some((path, _)) = leaves(&used.tree, &[]).into_iter().find(|(_, given)| given == name)
            && let Some(place) = at.follow(&path, &file)
        {
            return named(&place);
        }
    }
    if ["Document", "Metadata"].contains(&name.as_str()) {
        // Their fields are declared by `document_fields!`, and docs/corpus.md records them.
        return impls(&at, name);
    }
    match file.items.iter().find(|item| name_of(item).as_ref() == Some(name)).cloned().and_then(public) {
        Some(found) => [found].into_iter().chain(impls(&at, name)).collect(),
        None if has_module(&file, name) => vec![whole_module(place)],
        None => panic!("{} is not in {}", name, at.file().display()),
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Fn(function) => &function.sig.ident,
        Item::Struct(structure) => &structure.ident,
        Item::Enum(enumeration) => &enumeration.ident,
        Item::Const(constant) => &constant.ident,
        Item::Type(alias) => &alias.ident,
        Item::Trait(interface) => &interface.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Returns the implementations of a type in its module and in the modules below it.
fn impls(place: &Place, name: &str) -> Vec<Item> {
    let files = place.files();
    let items = files.iter().flat_map(|path| read(path).items);
    let of_type = |item: Item| match item {
        Item::Impl(block) => match &*block.self_ty {
            Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name) => {
                Some(block)
            }
            _ => None,
        },
        _ => None,
    };
    items.filter_map(of_type).filter_map(implementation).collect()
}

/// Returns the public part of an implementation, if there is one. Of the implementation of a trait, only its
/// name is public.
fn implementation(mut block: syn::ItemImpl) -> Option<Item> {
    let is_of_trait = block.trait_.is_some();
    block.attrs.clear();
    block.items.retain_mut(|item| match item {
        ImplItem::Fn(function) => {
            keep(&mut function.attrs);
            function.block = parse_quote!({});
            is_public(&function.vis)
        }
        ImplItem::Const(constant) => {
            keep(&mut constant.attrs);
            is_public(&constant.vis)
        }
        _ => is_of_trait,
    });
    (is_of_trait || !block.items.is_empty()).then_some(Item::Impl(block))
}

/// Keeps the attributes that programs depend on.
fn keep(attributes: &mut Vec<Attribute>) {
    let kept = ["derive", "non_exhaustive", "must_use", "deprecated"];
    attributes.retain(|attribute| kept.iter().any(|name| attribute.path().is_ident(name)));
}

/// Returns the public part of an item, without comments, bodies and private fields, or `None` if the item is
/// private.
fn public(mut item: Item) -> Option<Item> {
    let (attributes, visibility) = match &mut item {
        Item::Fn(function) => {
            function.block = parse_quote!({});
            (&mut function.attrs, &function.vis)
        }
        Item::Struct(structure) => {
            fields(&mut structure.fields);
            (&mut structure.attrs, &structure.vis)
        }
        Item::Enum(enumeration) => {
            for variant in &mut enumeration.variants {
                keep(&mut variant.attrs);
                variant.fields.iter_mut().for_each(|field| field.attrs.clear());
            }
            (&mut enumeration.attrs, &enumeration.vis)
        }
        Item::Const(constant) => (&mut constant.attrs, &constant.vis),
        Item::Type(alias) => (&mut alias.attrs, &alias.vis),
        Item::Trait(interface) => (&mut interface.attrs, &interface.vis),
        _ => return None,
    };
    keep(attributes);
    is_public(visibility).then_some(item)
}

/// Replaces all private fields by one. It shows only that programs cannot build the structure.
fn fields(fields: &mut Fields) {
    fields.iter_mut().for_each(|field| field.attrs.clear());
    match fields {
        Fields::Named(named) => {
            let public: Punctuated<_, _> =
                named.named.iter().filter(|field| is_public(&field.vis)).cloned().collect();
            let is_open = public.len() == named.named.len();
            named.named = public;
            if !is_open {
                named.named.push(parse_quote!(private: ()));
            }
        }
        Fields::Unnamed(unnamed) => {
            let private = unnamed.unnamed.iter_mut().filter(|field| !is_public(&field.vis));
            private.for_each(|field| field.ty = parse_quote!(()));
        }
        Fields::Unit => {}
    }
}

fn written(items: Vec<Item>) -> String {
    prettyplease::unparse(&File { items, ..parse_quote!() })
}

#[test]
fn the_public_interface_is_the_recorded_one() {
    let now = written(module(&Place { folder: "extract".into(), path: Vec::new() }));
    let recorded = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interface.txt"));
    if recorded.is_ok_and(|recorded| recorded == now) {
        return;
    }
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interface.txt");
    fs::write(&changed, now).unwrap();
    panic!(
        "The public interface of gleaner-extract has changed. If that is intended, see \"Public interface\" in \
         CONTRIBUTING.md, and copy {} to crates/extract/tests/interface.txt.",
        changed.display()
    );
}

#[test]
fn only_public_parts_are_in_the_interface() {
    let written = |item| written(public(item).into_iter().collect());
    let open = written(parse_quote! {
        /// A page.
        #[derive(Debug)]
        pub struct Page { pub url: String, #[serde(default)] tree: Tree }
    });
    assert_eq!(open, "#[derive(Debug)]\npub struct Page {\n    pub url: String,\n    private: (),\n}\n");
    assert_eq!(
        written(parse_quote!(
            pub(crate) struct Page;
        )),
        ""
    );
    assert_eq!(
        written(parse_quote!(
            pub fn size() -> u8 {
                1
            }
        )),
        "pub fn size() -> u8 {}\n"
    );
}
