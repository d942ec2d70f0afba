//! Renders SVG charts, as separate files or inside a page: scales, axes, lines and bars.
//!
//! Sizes and positions are in pixels from the top left. They are attributes of the elements, because the
//! content security policy of pages forbids inline styles. Inside a page, the style sheet sets the colors
//! ([`Paint::Class`]).
//!
//! Limitation: coordinates are rounded to a tenth of a pixel.

use maud::{Markup, PreEscaped, html};

/// The color of axes and texts in a separate file.
pub const INK: &str = "#222";

/// The color of grid lines in a separate file.
pub const GRID: &str = "#ddd";

/// A linear scale from values to pixels. A value outside the scale is drawn at the nearer end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    values: (f64, f64),
    pixels: (f64, f64),
}

impl Scale {
    /// Creates a scale that maps each of the two values to the pixel at the same position in `pixels`.
    #[must_use]
    pub const fn new(values: (f64, f64), pixels: (f64, f64)) -> Self {
        Self { values, pixels }
    }

    /// Returns the pixel of a value. If both ends of the scale have the same value, returns the first pixel.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        let span = self.values.1 - self.values.0;
        let part = if span == 0.0 { 0.0 } else { ((value - self.values.0) / span).clamp(0.0, 1.0) };
        self.pixels.0 + (self.pixels.1 - self.pixels.0) * part
    }
}

/// The color of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint<'a> {
    /// A class of the page's style sheet.
    Class(&'a str),
    /// A color, such as `#222`.
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

/// The color, width and dashes of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// The color. Colors of one chart should also differ in lightness, for print and for color-blind readers.
    pub color: &'static str,
    /// The width in pixels.
    pub width: f64,
    /// The lengths of dashes and spaces, such as `8 4`, or `none`.
    pub dashes: &'static str,
}

impl Stroke {
    /// Creates a solid line that is 1 pixel wide.
    #[must_use]
    pub const fn thin(color: &'static str) -> Self {
        Self { color, width: 1.0, dashes: "none" }
    }
}

/// The point of a text that is placed at the requested position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAnchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

impl TextAnchor {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// Renders a chart as a separate file with a white background. `title` also names the chart for screen
/// readers.
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

/// Renders a chart inside a page. The style sheet sets the chart's size. `label` is the text alternative.
#[must_use]
pub fn inline(class: &str, (width, height): (f64, f64), label: &str, content: &Markup) -> Markup {
    html! {
        svg class=(class) role="img" viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none" aria-label=(label) {
            title { (label) }
            (content)
        }
    }
}

/// Renders a text whose baseline is at the position.
#[must_use]
pub fn text((x, y): (f64, f64), anchor: TextAnchor, color: &str, text: &str) -> Markup {
    html! { text x=(px(x)) y=(px(y)) text-anchor=(anchor.name()) fill=(color) { (text) } }
}

/// Renders a straight line.
#[must_use]
pub fn line(from: (f64, f64), to: (f64, f64), stroke: &Stroke) -> Markup {
    html! {
        line x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) stroke=(stroke.color)
            stroke-width=(stroke.width) stroke-dasharray=(stroke.dashes) {}
    }
}

/// Renders a line through all points.
#[must_use]
pub fn polyline(places: impl IntoIterator<Item = (f64, f64)>, stroke: &Stroke) -> Markup {
    html! {
        polyline points=(points(places)) fill="none" stroke=(stroke.color) stroke-width=(stroke.width)
            stroke-dasharray=(stroke.dashes) {}
    }
}

/// Renders a rectangle from its top left and bottom right corners.
#[must_use]
pub fn bar((left, top): (f64, f64), (right, bottom): (f64, f64), paint: Paint<'_>) -> Markup {
    html! {
        rect class=[paint.class()] fill=[paint.color()] x=(px(left)) y=(px(top)) width=(px(right - left))
            height=(px(bottom - top)) {}
    }
}

/// Formats points as the `points` attribute of a polyline or polygon.
#[must_use]
pub fn points(places: impl IntoIterator<Item = (f64, f64)>) -> String {
    let places: Vec<String> = places.into_iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    places.join(" ")
}

/// Formats a coordinate as an attribute value.
#[must_use]
pub fn px(value: f64) -> String {
    format!("{value:.1}")
}

/// The area of a chart between its axes, as two scales.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plot {
    /// The x axis, from left to right.
    pub x: Scale,
    /// The y axis, from bottom to top. The first pixel of this scale is larger than the second.
    pub y: Scale,
}

impl Plot {
    /// Returns the pixel position of a point.
    #[must_use]
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }

    /// Renders a line through points. Points with a value that is not finite are omitted.
    #[must_use]
    pub fn line(&self, values: impl IntoIterator<Item = (f64, f64)>, stroke: &Stroke) -> Markup {
        let finite = values.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        polyline(finite.map(|point| self.place(point)), stroke)
    }

    /// Renders the x axis at the bottom, with the ticks and their labels.
    #[must_use]
    pub fn x_axis(&self, ticks: &[(f64, String)]) -> Markup {
        let bottom = self.y.pixels.0;
        let thin = Stroke::thin(INK);
        html! {
            @for (value, label) in ticks {
                @let x = self.x.place(*value);
                (line((x, bottom), (x, bottom + 5.0), &thin))
                (text((x, bottom + 22.0), TextAnchor::Middle, INK, label))
            }
            (line((self.x.pixels.0, bottom), (self.x.pixels.1, bottom), &thin))
        }
    }

    /// Renders the y axis on the left, with grid lines and labels at its ticks.
    #[must_use]
    pub fn y_axis(&self, ticks: &[(f64, String)]) -> Markup {
        let left = self.x.pixels.0;
        html! {
            @for (value, label) in ticks {
                @let y = self.y.place(*value);
                (line((left, y), (self.x.pixels.1, y), &Stroke::thin(GRID)))
                (text((left - 8.0, y + 5.0), TextAnchor::End, INK, label))
            }
            (line((left, self.y.pixels.1), (left, self.y.pixels.0), &Stroke::thin(INK)))
        }
    }

    /// Renders a horizontal line across the plot at a value of the y axis.
    #[must_use]
    pub fn level(&self, value: f64, stroke: &Stroke) -> Markup {
        let y = self.y.place(value);
        line((self.x.pixels.0, y), (self.x.pixels.1, y), stroke)
    }
}

/// Renders a legend entry: a short piece of the line, and its name on the right.
#[must_use]
pub fn legend((x, y): (f64, f64), name: &str, stroke: &Stroke) -> Markup {
    html! {
        (line((x, y), (x + 32.0, y), stroke))
        (text((x + 40.0, y + 5.0), TextAnchor::Start, INK, name))
    }
}

/// Renders bars on a ground line as one path element, so that pages with many charts stay small. Each bar has
/// a left edge, a width and a height. `ground` is the y coordinate of the ground line.
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
