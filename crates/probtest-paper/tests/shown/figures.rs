//! Every figure is readable: valid files, and text that stays inside and doesn't overlap.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use probtest_paper::draw::{Canvas, Look, Paint, Text, png, ramp, readable_on};
use probtest_paper::figures;
use probtest_paper::reinforcement::World;
use probtest_paper::reinforcement::many::{self, Curve};
use probtest_paper::reinforcement::paper;
use probtest_paper::{comparison, counts};

const LAKES: [World; 2] = [World::SmallLake, World::LargeLake];

/// Few agents: enough to draw.
fn trained() -> &'static [Curve] {
    static TRAINED: OnceLock<Vec<Curve>> = OnceLock::new();
    TRAINED.get_or_init(|| {
        let go_on = || ControlFlow::Continue(());
        let curves = LAKES.map(|world| {
            let episodes = many::curve_episodes(world);
            many::curve(world, &episodes, world.paper_seed(), 3, 2, &go_on).unwrap()
        });
        curves.to_vec()
    })
}

fn all() -> [Canvas; 4] {
    [
        figures::executions(&counts::grid(21)),
        figures::overestimate(&counts::cells()),
        figures::learning(trained(), &paper::rows()),
        figures::comparison(&comparison::one_sided(), &comparison::two_sided()),
    ]
}

#[test]
fn no_text_leaves_its_figure_or_overlaps_another() {
    for figure in all() {
        assert_eq!(figure.faults(), Vec::<String>::new(), "{}", figure.name);
        assert!(figure.labels.len() > 20, "{}", figure.name);
    }
}

#[test]
fn texts_that_leave_or_overlap_are_noticed() {
    let mut canvas = Canvas::new("test", (100.0, 100.0), "title", "text");
    canvas.text("inside", (50.0, 50.0), Text::sized(12.0));
    assert!(canvas.faults().is_empty());
    canvas.text("outside", (90.0, 20.0), Text::sized(12.0));
    canvas.text("over", (55.0, 52.0), Text::sized(12.0));
    let faults = canvas.faults();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults.contains(&"\"outside\" leaves the sheet".to_owned()));
    assert!(faults.contains(&"\"inside\" overlaps \"over\"".to_owned()));
}

#[test]
fn texts_overlap_when_they_share_room_also_when_turned() {
    let overlaps = |at, look: Text| {
        let mut canvas = Canvas::new("test", (300.0, 300.0), "title", "text");
        canvas.text("executions", (100.0, 100.0), Text::sized(10.0));
        canvas.text("executions", at, look);
        !canvas.faults().is_empty()
    };
    let (level, upright) = (Text::sized(10.0), Text::sized(10.0).turned(-90.0));
    assert!(overlaps((110.0, 104.0), level));
    assert!(!overlaps((100.0, 111.0), level));
    assert!(!overlaps((200.0, 100.0), level));
    assert!(overlaps((100.0, 100.0), upright));
    assert!(!overlaps((60.0, 100.0), upright));
}

#[test]
fn figures_are_xml_with_a_title_a_description_and_the_texts_that_were_drawn() {
    for figure in all() {
        let svg = figure.svg(Look::File);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        let text_of = |tag: &str| {
            let node = root.children().find(|node| node.has_tag_name(tag));
            node.and_then(|node| node.text()).unwrap_or_default().len()
        };
        assert!(text_of("title") > 20 && text_of("desc") > 100);
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let texts: Vec<&str> = texts.filter_map(|node| node.text()).collect();
        let drawn: Vec<&str> = figure.labels.iter().map(|label| label.text.as_str()).collect();
        assert_eq!(texts, drawn);
    }
}

#[test]
fn a_file_is_light_and_dark_and_a_print_is_light() {
    let figure = &all()[1];
    assert!(figure.svg(Look::File).contains("@media screen and (prefers-color-scheme:dark)"));
    assert!(figure.svg(Look::Inside).contains("prefers-color-scheme:dark"));
    assert!(figure.svg(Look::Inside).starts_with("<svg"));
    assert!(!figure.svg(Look::Light).contains("dark"));
}

#[test]
fn figures_show_the_numbers_of_the_studies() {
    let [first, second, third, fourth] = all();
    let shows = |figure: &Canvas, text: &str| {
        assert!(
            figure.labels.iter().any(|label| label.text == text),
            "{} does not show {text}",
            figure.name
        );
    };
    for level in ["50", "100", "250", "500", "1000", "2500", "5000"] {
        shows(&first, level);
    }
    for text in ["4324", "0.075", "2431", "0.104", "0.01", "5.00"] {
        shows(&second, text);
    }
    for text in ["p = 0.01", "1 − epsilon = 0.95", "mean of 3 agents of ours, exact"] {
        shows(&third, text);
    }
    for text in [
        "299",
        "4640 (the paper prints 4433)",
        "18\u{202f}445 (the paper prints > 70000)",
        "1749 / 1481 / no limit",
        "451 / 936 / 2727",
        "3137",
    ] {
        shows(&fourth, text);
    }
}

#[test]
fn what_is_promised_is_named_in_every_view_of_a_lake() {
    let named = |text: &str| {
        let figure = &all()[2];
        let labels = figure.labels.iter();
        labels.filter(|label| label.text == text).count()
    };
    assert_eq!(named("p = 0.01"), 2 * LAKES.len());
    assert_eq!(named("1 − epsilon = 0.95"), LAKES.len());
}

/// A mean and an exact line for two quantities in the main view, and for one close to p.
#[test]
fn lines_end_where_the_view_of_a_lake_ends() {
    let svg = all()[2].svg(Look::Light);
    let clipped = svg.matches("<g clip-path=\"url(#figure3_learning-").count();
    assert_eq!(clipped, 6 * LAKES.len());
    let is_above = |points: &str| points.split(' ').any(|point| point.contains(",-"));
    let lines = svg.lines().filter(|line| line.starts_with("<polyline"));
    let above = lines.filter(|line| is_above(line.split('"').nth(1).unwrap())).count();
    assert!(above > 0, "no line leaves the sheet, which tells nothing");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let lines = document.root_element().children().filter(|node| node.has_tag_name("polyline"));
    assert!(lines.filter_map(|line| line.attribute("points")).all(|points| !is_above(points)));
}

/// The paper's agents end with a violation probability of 0, found with probability 0.
#[test]
fn no_published_value_hides_another() {
    let svg = all()[2].svg(Look::Light);
    let lines = svg.split("<polyline points=\"").skip(1);
    let mut marks: Vec<&str> = lines
        .map(|line| line.split('"').next().unwrap())
        .filter(|points| points.split(' ').count() == 5)
        .collect();
    let all = marks.len();
    assert!(all > 20, "{all}");
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), all);
}

#[test]
fn cells_without_a_plan_are_grey() {
    let svg = all()[1].svg(Look::Light);
    let grey = svg.matches(r#"class="f-empty""#).count();
    let empty = counts::cells().iter().filter(|cell| cell.effect.is_none()).count();
    assert_eq!(grey, empty);
    assert!(empty > 0);
}

/// Without the embedded font, a text would leave no trace.
#[test]
fn texts_are_drawn_into_the_png() {
    let draw = |text: &str| {
        let mut canvas = Canvas::new("test", (200.0, 40.0), "title", "text");
        canvas.text(text, (100.0, 20.0), Text::sized(20.0).paint(Paint::Ink));
        png(&canvas, 1.0).unwrap()
    };
    let (some, none) = (draw("executions"), draw(" "));
    assert!(some.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(some.len() > 2 * none.len(), "{} and {}", some.len(), none.len());
}

/// The relative luminance of the accessibility guidelines, 0 to 1.
fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|part| match f64::from(part) / 255.0 {
        part if part <= 0.040_45 => part / 12.92,
        part => ((part + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The fractions of a heat map's range.
fn parts() -> impl Iterator<Item = f64> {
    (0..=1000).map(|step| f64::from(step) / 1000.0)
}

#[test]
fn a_heat_map_gets_darker_with_every_step() {
    let lightness: Vec<f64> = parts().step_by(10).map(|part| luminance(ramp(part))).collect();
    assert!(lightness.windows(2).all(|pair| pair[1] < pair[0]));
}

/// The accessibility guidelines require a contrast of 4.5 for text.
#[test]
fn texts_have_enough_contrast_on_paper_and_on_every_cell() {
    let contrast = |a: [u8; 3], b: [u8; 3]| {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    };
    let svg = all()[1].svg(Look::File);
    let (light, dark) = svg.split_once("@media").unwrap();
    for sheet in [light, dark] {
        let colour = |class: &str| {
            let rule = format!(".f-{class}{{fill:#");
            let hex = sheet.split_once(&rule).unwrap().1;
            [0, 2, 4].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        };
        for class in ["ink", "faint", "blue", "orange", "green", "purple"] {
            assert!(contrast(colour(class), colour("paper")) > 4.5, "{class}");
        }
    }
    assert!(parts().all(|part| contrast(ramp(part), readable_on(part)) > 4.5));
}
