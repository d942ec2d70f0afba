//! SVG: scales, axes, lines and bars, as a file of its own or inside a page.
//!
//! Sizes and positions are in pixels, from the top left, and are written as attributes, since the security
//! policy of pages forbids inline styles. Inside a page colors come from the style sheet ([`Paint::Class`]).
//!
//! Limitation: coordinates are rounded to a tenth of a pixel.

use maud::{Markup, PreEscaped, html};

/// The ink of axes and texts of a file.
pub const INK: &str = "#222";

/// The color of grid lines of a file.
pub const GRID: &str = "#ddd";

/// A linear scale from values to pixels. A value outside is drawn at the nearer end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    values: (f64, f64),
    pixels: (f64, f64),
}

impl Scale {
    /// The scale that maps the first value to the first pixel and the second to the second.
    #[must_use]
    pub const fn new(values: (f64, f64), pixels: (f64, f64)) -> Self {
        Self { values, pixels }
    }

    /// The pixel of a value. If both ends have the same value, it is the first one.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let span = self.values.1 - self.values.0;
        let part = if span == 0.0 { 0.0 } else { ((value - self.values.0) / span).clamp(0.0, 1.0) };
        self.pixels.0 + (self.pixels.1 - self.pixels.0) * part
    }
}

/// How a shape is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint<'a> {
    /// A class of the page's style sheet.
    Class(&'a str),
    /// A color of its own.
    Color(&'a str),
}

impl<'a> Paint<'a> {
    const fn class(self) -> Option<&'a str> {
        match self {
            Self::Class(name) => Some(name),
            Self::Color(_) => None,
        }
    }

    const fn color(self) -> Option<&'a str> {
        match self {
            Self::Class(_) => None,
            Self::Color(color) => Some(color),
        }
    }
}

/// How a line of a file is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Its color. Colors of one chart also differ in lightness, for print and for color-blind readers.
    pub color: &'static str,
    /// Its width in pixels.
    pub width: f64,
    /// Lengths of dashes and spaces, such as `8 4`, or `none`.
    pub dashes: &'static str,
}

impl Stroke {
    /// A thin, unbroken line.
    #[must_use]
    pub const fn thin(color: &'static str) -> Self {
        Self { color, width: 1.0, dashes: "none" }
    }
}

/// Where a text begins at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The position is its left end.
    Start,
    /// The position is its middle.
    Middle,
    /// The position is its right end.
    End,
}

impl Anchor {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A chart as a file: white, with a title for screen readers.
#[must_use]
pub fn file((width, height): (f64, f64), font_size: u32, title: &str, content: &Markup) -> String {
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
            font-family="sans-serif" font-size=(font_size) fill=(INK) {
            title { (title) }
            rect width=(width) height=(height) fill="#fff" {}
            (content)
        }
    };
    picture.into_string() + "\n"
}

/// A chart inside a page, stretched by the style sheet. `label` is its text alternative.
#[must_use]
pub fn inline(class: &str, (width, height): (f64, f64), label: &str, content: &Markup) -> Markup {
    html! {
        svg class=(class) role="img" viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none" aria-label=(label) {
            title { (label) }
            (content)
        }
    }
}

/// A text whose baseline is at a position.
#[must_use]
pub fn text((x, y): (f64, f64), anchor: Anchor, color: &str, text: &str) -> Markup {
    html! { text x=(px(x)) y=(px(y)) text-anchor=(anchor.name()) fill=(color) { (text) } }
}

/// A straight line.
#[must_use]
pub fn line(from: (f64, f64), to: (f64, f64), stroke: &Stroke) -> Markup {
    html! {
        line x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) stroke=(stroke.color)
            stroke-width=(stroke.width) stroke-dasharray=(stroke.dashes) {}
    }
}

/// A line through points.
#[must_use]
pub fn polyline(places: impl IntoIterator<Item = (f64, f64)>, stroke: &Stroke) -> Markup {
    html! {
        polyline points=(points(places)) fill="none" stroke=(stroke.color) stroke-width=(stroke.width)
            stroke-dasharray=(stroke.dashes) {}
    }
}

/// A rectangle between two corners.
#[must_use]
pub fn bar((left, top): (f64, f64), (right, bottom): (f64, f64), paint: Paint<'_>) -> Markup {
    html! {
        rect class=[paint.class()] fill=[paint.color()] x=(px(left)) y=(px(top)) width=(px(right - left))
            height=(px(bottom - top)) {}
    }
}

/// Points as the attribute of a polyline or polygon.
#[must_use]
pub fn points(places: impl IntoIterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = places.into_iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    places.join(" ")
}

/// A coordinate as an attribute.
#[must_use]
pub fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// The area of a chart between its axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plot {
    /// From left to right.
    pub x: Scale,
    /// From the bottom to the top: the first pixel is the larger one.
    pub y: Scale,
}

impl Plot {
    /// The pixels of a point.
    #[must_use]
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }

    /// A line through points of values; points that are not finite are left out.
    #[must_use]
    pub fn line(&self, values: impl IntoIterator<Item = (f64, f64)>, stroke: &Stroke) -> Markup {
        let finite = values.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        polyline(finite.map(|point| self.place(point)), stroke)
    }

    /// The axis below, with ticks and their labels.
    #[must_use]
    pub fn x_axis(&self, ticks: &[(f64, String)]) -> Markup {
        let bottom = self.y.pixels.0;
        let thin = Stroke::thin(INK);
        html! {
            @for (value, label) in ticks {
                @let x = self.x.place(*value);
                (line((x, bottom), (x, bottom + 5.0), &thin))
                (text((x, bottom + 22.0), Anchor::Middle, INK, label))
            }
            (line((self.x.pixels.0, bottom), (self.x.pixels.1, bottom), &thin))
        }
    }

    /// The axis at the left, with grid lines and labels at its ticks.
    #[must_use]
    pub fn y_axis(&self, ticks: &[(f64, String)]) -> Markup {
        let left = self.x.pixels.0;
        html! {
            @for (value, label) in ticks {
                @let y = self.y.place(*value);
                (line((left, y), (self.x.pixels.1, y), &Stroke::thin(GRID)))
                (text((left - 8.0, y + 5.0), Anchor::End, INK, label))
            }
            (line((left, self.y.pixels.1), (left, self.y.pixels.0), &Stroke::thin(INK)))
        }
    }

    /// A line across the plot at a value of the y axis.
    #[must_use]
    pub fn level(&self, value: f64, stroke: &Stroke) -> Markup {
        let y = self.y.place(value);
        line((self.x.pixels.0, y), (self.x.pixels.1, y), stroke)
    }
}

/// An entry of a legend: a piece of the line, and its name to the right.
#[must_use]
pub fn legend((x, y): (f64, f64), name: &str, stroke: &Stroke) -> Markup {
    html! {
        (line((x, y), (x + 32.0, y), stroke))
        (text((x + 40.0, y + 5.0), Anchor::Start, INK, name))
    }
}

/// A path of bars that stand on a ground line: one element for any number of bars, so that pages with many
/// charts stay small. Each bar is its left edge, width and height.
#[must_use]
pub fn bars(ground: f64, bars: impl IntoIterator<Item = (f64, f64, f64)>, class: &str) -> Markup {
    let path: String = bars
        .into_iter()
        .map(|(x, wide, high)| format!("M{x:.1} {ground}v-{high:.1}h{wide:.1}v{high:.1}z"))
        .collect();
    html! { @if !path.is_empty() { path class=(class) d=(PreEscaped(path)) {} } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_placed_on_the_scale() {
        let scale = Scale::new((0.0, 2.0), (70.0, 690.0));
        assert_eq!(
            [-1.0, 0.0, 1.0, 2.0, 7.0].map(|value| scale.place(value)),
            [70.0, 70.0, 380.0, 690.0, 690.0]
        );
        assert_eq!(Scale::new((1.0, 1.0), (5.0, 9.0)).place(1.0), 5.0);
    }

    #[test]
    fn texts_are_escaped_and_infinite_points_left_out() {
        let plot = Plot { x: Scale::new((0.0, 1.0), (0.0, 10.0)), y: Scale::new((0.0, 1.0), (10.0, 0.0)) };
        let line =
            plot.line([(0.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (1.0, 1.0)], &Stroke::thin(INK));
        assert!(line.into_string().contains("points=\"0.0,10.0 10.0,0.0\""));
        let picture = file((10.0, 10.0), 12, "a < b", &plot.x_axis(&[(0.5, "<half>".into())]));
        assert!(picture.contains("a &lt; b") && picture.contains("&lt;half&gt;"), "{picture}");
        assert!(picture.ends_with("</svg>\n"), "{picture}");
    }
}
