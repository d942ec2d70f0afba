//! Reads and writes the setting `template.method`.

use gleaner_corpus::Method;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;

/// The names of the methods that learn from the pages of a site.
const NAMES: &[&str] =
    &[Method::Template.setting(), Method::FastContentExtractor.setting(), Method::ContentExtractor.setting()];

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Method, D::Error> {
    let name = String::deserialize(d)?;
    let method = Method::from_setting(&name).filter(|method| NAMES.contains(&method.setting()));
    method.ok_or_else(|| D::Error::unknown_variant(&name, NAMES))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn serialize<S: Serializer>(method: &Method, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(method.setting())
}

#[cfg(test)]
mod tests {
    use crate::settings::TemplateSettings;

    #[test]
    fn only_methods_that_learn_from_a_site_can_be_set() {
        for name in ["gleaner", "fast-content-extractor", "content-extractor"] {
            let written = format!("method = \"{name}\"");
            let read: TemplateSettings = toml::from_str(&written).unwrap();
            assert!(toml::to_string(&read).unwrap().contains(&written), "{name}");
        }
        for name in ["template", "detection", "block-model", "bte-linear", ""] {
            let error = toml::from_str::<TemplateSettings>(&format!("method = \"{name}\"")).unwrap_err();
            assert!(
                error.to_string().contains("expected one of `gleaner`, `fast-content-extractor`"),
                "{error}"
            );
        }
    }
}
