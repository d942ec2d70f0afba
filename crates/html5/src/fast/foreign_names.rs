//! Contains the names of SVG elements and of SVG and MathML attributes that have capitals or a prefix (HTML
//! standard, 13.2.6.5, from "adjust SVG tag names" on).

/// Returns the name of an SVG element with its capitals. Returns `None` if the name has no capitals.
pub(super) fn element_name(lower: &str) -> Option<&'static str> {
    find(&ELEMENTS, lower)
}

fn find(names: &[(&str, &'static str)], lower: &str) -> Option<&'static str> {
    names.binary_search_by(|(known, _)| known.cmp(&lower)).ok().map(|index| names[index].1)
}

/// Returns the rank of an attribute's prefix, for sorting, and the attribute's name if it differs from
/// `lower`. The ranks are 0 for no prefix, 1 for `xmlns` itself, 2 for `xlink`, 3 for `xml` and 4 for
/// `xmlns`.
pub(super) fn attribute_name(lower: &str, is_svg: bool) -> (u8, Option<&'static str>) {
    if let Some((place, name)) = prefixed(lower) {
        return (place, Some(name));
    }
    match is_svg {
        true => (0, find(&ATTRIBUTES, lower)),
        false => (0, (lower == "definitionurl").then_some("definitionURL")),
    }
}

fn prefixed(lower: &str) -> Option<(u8, &'static str)> {
    Some(match lower {
        "xmlns" => (1, "xmlns"),
        "xlink:actuate" => (2, "actuate"),
        "xlink:arcrole" => (2, "arcrole"),
        "xlink:href" => (2, "href"),
        "xlink:role" => (2, "role"),
        "xlink:show" => (2, "show"),
        "xlink:title" => (2, "title"),
        "xlink:type" => (2, "type"),
        "xml:lang" => (3, "lang"),
        "xml:space" => (3, "space"),
        "xmlns:xlink" => (4, "xlink"),
        _ => return None,
    })
}

const ELEMENTS: [(&str, &str); 37] = [
    ("altglyph", "altGlyph"),
    ("altglyphdef", "altGlyphDef"),
    ("altglyphitem", "altGlyphItem"),
    ("animatecolor", "animateColor"),
    ("animatemotion", "animateMotion"),
    ("animatetransform", "animateTransform"),
    ("clippath", "clipPath"),
    ("feblend", "feBlend"),
    ("fecolormatrix", "feColorMatrix"),
    ("fecomponenttransfer", "feComponentTransfer"),
    ("fecomposite", "feComposite"),
    ("feconvolvematrix", "feConvolveMatrix"),
    ("fediffuselighting", "feDiffuseLighting"),
    ("fedisplacementmap", "feDisplacementMap"),
    ("fedistantlight", "feDistantLight"),
    ("fedropshadow", "feDropShadow"),
    ("feflood", "feFlood"),
    ("fefunca", "feFuncA"),
    ("fefuncb", "feFuncB"),
    ("fefuncg", "feFuncG"),
    ("fefuncr", "feFuncR"),
    ("fegaussianblur", "feGaussianBlur"),
    ("feimage", "feImage"),
    ("femerge", "feMerge"),
    ("femergenode", "feMergeNode"),
    ("femorphology", "feMorphology"),
    ("feoffset", "feOffset"),
    ("fepointlight", "fePointLight"),
    ("fespecularlighting", "feSpecularLighting"),
    ("fespotlight", "feSpotLight"),
    ("fetile", "feTile"),
    ("feturbulence", "feTurbulence"),
    ("foreignobject", "foreignObject"),
    ("glyphref", "glyphRef"),
    ("lineargradient", "linearGradient"),
    ("radialgradient", "radialGradient"),
    ("textpath", "textPath"),
];

const ATTRIBUTES: [(&str, &str); 58] = [
    ("attributename", "attributeName"),
    ("attributetype", "attributeType"),
    ("basefrequency", "baseFrequency"),
    ("baseprofile", "baseProfile"),
    ("calcmode", "calcMode"),
    ("clippathunits", "clipPathUnits"),
    ("diffuseconstant", "diffuseConstant"),
    ("edgemode", "edgeMode"),
    ("filterunits", "filterUnits"),
    ("glyphref", "glyphRef"),
    ("gradienttransform", "gradientTransform"),
    ("gradientunits", "gradientUnits"),
    ("kernelmatrix", "kernelMatrix"),
    ("kernelunitlength", "kernelUnitLength"),
    ("keypoints", "keyPoints"),
    ("keysplines", "keySplines"),
    ("keytimes", "keyTimes"),
    ("lengthadjust", "lengthAdjust"),
    ("limitingconeangle", "limitingConeAngle"),
    ("markerheight", "markerHeight"),
    ("markerunits", "markerUnits"),
    ("markerwidth", "markerWidth"),
    ("maskcontentunits", "maskContentUnits"),
    ("maskunits", "maskUnits"),
    ("numoctaves", "numOctaves"),
    ("pathlength", "pathLength"),
    ("patterncontentunits", "patternContentUnits"),
    ("patterntransform", "patternTransform"),
    ("patternunits", "patternUnits"),
    ("pointsatx", "pointsAtX"),
    ("pointsaty", "pointsAtY"),
    ("pointsatz", "pointsAtZ"),
    ("preservealpha", "preserveAlpha"),
    ("preserveaspectratio", "preserveAspectRatio"),
    ("primitiveunits", "primitiveUnits"),
    ("refx", "refX"),
    ("refy", "refY"),
    ("repeatcount", "repeatCount"),
    ("repeatdur", "repeatDur"),
    ("requiredextensions", "requiredExtensions"),
    ("requiredfeatures", "requiredFeatures"),
    ("specularconstant", "specularConstant"),
    ("specularexponent", "specularExponent"),
    ("spreadmethod", "spreadMethod"),
    ("startoffset", "startOffset"),
    ("stddeviation", "stdDeviation"),
    ("stitchtiles", "stitchTiles"),
    ("surfacescale", "surfaceScale"),
    ("systemlanguage", "systemLanguage"),
    ("tablevalues", "tableValues"),
    ("targetx", "targetX"),
    ("targety", "targetY"),
    ("textlength", "textLength"),
    ("viewbox", "viewBox"),
    ("viewtarget", "viewTarget"),
    ("xchannelselector", "xChannelSelector"),
    ("ychannelselector", "yChannelSelector"),
    ("zoomandpan", "zoomAndPan"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        assert!(ELEMENTS.is_sorted() && ATTRIBUTES.is_sorted());
        for (lower, name) in ELEMENTS.iter().chain(&ATTRIBUTES) {
            assert_eq!(name.to_ascii_lowercase(), *lower);
        }
        assert_eq!(element_name("foreignobject"), Some("foreignObject"));
        assert_eq!(attribute_name("viewbox", true), (0, Some("viewBox")));
        assert_eq!(attribute_name("viewbox", false), (0, None));
        assert_eq!(attribute_name("xlink:href", false), (2, Some("href")));
    }
}
