//! The parts of the page, from the numbers of the studies.

use probtest::seed::RunSeed;

use super::{Section, Table, TableLine};
use crate::comparison;
use crate::counts::{self, PublishedCount};
use crate::figures::{self, grouped};
use crate::reinforcement::many::{self, Average, Curve};
use crate::reinforcement::paper;
use crate::reinforcement::study::{self as agents, AgentRow, Case};
use crate::skip_list::study::{self as bugs, BugRow, PUBLISHED_REPEATS};
use crate::table::{Finding, Verdict, findings_csv};

/// How many points each axis of figure 1 has.
const STEPS: usize = 61;

/// How many executions: every count in the paper, and figure 1.
pub fn executions() -> Section {
    let findings: Vec<Finding> =
        PublishedCount::all().iter().map(PublishedCount::finding).collect();
    let grid = counts::grid(STEPS);
    let caption = "Every count in the paper";
    Section {
        id: "executions",
        title: "How many executions",
        words: vec![
            "The smallest k with p^k + (1-p)^k < epsilon, computed exactly. Dividing p by ten takes ten \
             times the executions; dividing epsilon by ten takes at most twice as many in this range."
                .into(),
        ],
        figures: vec![figures::executions(&grid)],
        tables: vec![Table::of_findings(caption, &findings)],
        files: vec![
            ("published_executions.csv", findings_csv(&findings)),
            ("figure1_executions.csv", counts::grid_csv(&grid)),
        ],
    }
}

/// What if p is too large: figure 2, and what the text says about both figures.
pub fn overestimate() -> Section {
    let cells = counts::cells();
    let findings = counts::remarks(&cells);
    let caption = "What the paper says about these numbers";
    Section {
        id: "overestimate",
        title: "A p that is too large",
        words: vec![
            "In bold, k - k^: how many executions are missing if you plan for p + factor × p. Below it, \
             how much likelier you are to miss the violation. Grey: the overestimate exceeds 1/2. \
             The paper's text only has p = 0.001; we chose the other rows."
                .into(),
        ],
        figures: vec![figures::overestimate(&cells)],
        tables: vec![Table::of_findings(caption, &findings)],
        files: vec![
            ("figure2_overestimate.csv", counts::cells_csv(&cells)),
            ("remarks.csv", findings_csv(&findings)),
        ],
    }
}

/// Other methods: figure 4, and the paper's comparison.
pub fn comparison() -> Section {
    let (one, two) = (comparison::one_sided(), comparison::two_sided());
    let findings = comparison::findings();
    let all = [one.clone(), two.clone()].concat();
    let rows: Vec<_> =
        all.iter().flat_map(|row| row.needs.iter().map(move |needs| (&row.claim, needs))).collect();
    let caption = "Executions that each method needs; for sequential plans, the expected number";
    let table = Table::new(caption, &rows, |&(claim, needs)| TableLine {
        cells: vec![
            ("claim", claim.clone()),
            ("method", needs.method.to_owned()),
            ("executions", grouped(needs.executions)),
            ("expected at p", needs.at_p.map_or_else(String::new, grouped)),
            ("most", needs.most.map_or_else(|| "no limit".to_owned(), grouped)),
        ],
        verdict: Verdict::Unpublished,
        why: needs.note.to_owned(),
    });
    let caption = "The paper's comparison";
    Section {
        id: "comparison",
        title: "Other methods",
        words: vec![
            "Hoeffding's bound estimates p within delta = p. The hypothesis test is the one \
             that the paper cites; its number doesn't depend on p, so for a small p it can't keep the \
             guarantee. Below are claims that tolerate a violation rate: a bound, the exact binomial \
             distribution, and a sequential test, all with the same two errors."
                .into(),
        ],
        figures: vec![figures::comparison(&one, &two)],
        tables: vec![Table::of_findings(caption, &findings), table],
        files: vec![
            ("figure4_comparison.csv", comparison::csv(&all)),
            ("comparison_remarks.csv", findings_csv(&findings)),
        ],
    }
}

/// The skip list: how often eight bugs are found.
pub fn skip_list(rows: &[BugRow], seed: RunSeed) -> Section {
    let line = |row: &BugRow| {
        let (case, (low, high)) = (row.case, row.interval);
        let agrees = row.published_fits();
        let why = match (agrees, row.measured_fits()) {
            (true, true) => "the exact probability is inside the 95 % intervals of both shares",
            (true, false) => {
                "the exact probability is inside the 95 % interval of the published share; our interval \
                 misses it, as one in twenty does"
            }
            (false, _) => {
                "the exact probability is outside the 95 % interval of the published share"
            }
        };
        let name = case.bug.map(|bug| format!("{}: {bug}", bug.number()));
        let share = format!("{:.4} ({low:.4} to {high:.4})", row.share());
        TableLine {
            cells: vec![
                ("bug", name.unwrap_or_else(|| "0: the correct list".to_owned())),
                ("R", case.insertions().to_string()),
                ("p", case.p().to_owned()),
                ("k", case.executions().to_string()),
                ("the paper", format!("{:.3}", case.published())),
                ("exact", format!("{:.4}", row.exact)),
                ("measured (95 %)", share),
            ],
            verdict: Verdict::of(agrees),
            why: why.to_owned(),
        }
    };
    let repeats = rows.first().map_or(0, |row| row.repeats);
    Section {
        id: "skip-list",
        title: "Skip list",
        words: vec![format!(
            "The share of suite runs in which one of 26 tests finds the bug: published from \
             {PUBLISHED_REPEATS} suite runs, measured here from {repeats}, and computed \
             exactly from every way the coins can fall. The guarantee is 0.95 or more."
        )],
        figures: Vec::new(),
        tables: vec![Table::new("The probability of finding each bug", rows, line)],
        files: vec![
            ("skip_list.csv", bugs::csv(rows)),
            ("skip_list.md", bugs::markdown(rows, seed)),
        ],
    }
}

/// The lakes: figure 3, the paper's policies, and ours.
pub fn frozen_lake(rows: &[AgentRow], curves: &[Curve], seed: RunSeed) -> Section {
    let papers = paper::rows();
    let title = "Frozen lake: the probability of finding that an agent fails";
    Section {
        id: "frozen-lake",
        title: "Frozen lake",
        words: vec![
            "With the paper's seeds, Gymnasium produces the paper's policies again, so the published \
             numbers can be checked exactly. The paper's text says 200 steps for the lake of 7 by 7; \
             its numbers were made with 100. You see both."
                .into(),
            "The figure shows the paper's agent, whose violation probability falls to 0 and stays \
             there, and the mean of agents that we trained with the same parameters and another \
             generator. With a constant learning rate, policies keep changing, and that mean stays \
             above p. probtest's guarantee holds for each of them: a violation probability of p or \
             more is found with probability 0.95 or more."
                .into(),
        ],
        figures: vec![figures::learning(curves, &papers)],
        tables: vec![papers_policies(&papers), own_policies("on the lakes", rows)],
        files: vec![
            ("frozen_lake.csv", agents::csv(rows)),
            ("frozen_lake.md", agents::markdown(title, rows, seed)),
            ("published_policies.csv", paper::csv(&papers)),
            ("figure3_learning.csv", many::curves_csv(curves)),
        ],
    }
}

/// The cliff: how often tests find that agents fall.
pub fn cliff_walking(rows: &[AgentRow], averages: &[Average], seed: RunSeed) -> Section {
    let title = "Cliff walking: the probability of finding that an agent falls";
    Section {
        id: "cliff-walking",
        title: "Cliff walking",
        words: vec![
            "The paper's text asks that the agent doesn't fall within 30 steps. Its numbers were made \
             with all 30 steps of every episode, even after the goal was reached: from there the agent \
             walks on with an action that it never learned, and one step in three leads off the cliff. \
             You see both. The published violations are falls after the episode was over. On the way \
             to the goal, agents trained like this can hardly fall: every test found a violation because \
             of how episodes were evaluated, not because of the agents."
                .into(),
            "The paper's agents explored without a seed, so they can't be trained again. But each \
             published number is a mean of 100 agents, and agents with the same slips and parameters \
             are just as good. A row agrees if the published violation probability is within the margin \
             of their mean, and the mean probability of finding it is inside the 99.9 % interval of the \
             published share. The margin covers the rounding of the published number and 99.9 % of the \
             chance in both means."
                .into(),
        ],
        figures: Vec::new(),
        tables: vec![means(averages), own_policies("on the cliff", rows)],
        files: vec![
            ("cliff_walking.csv", agents::csv(rows)),
            ("cliff_walking.md", agents::markdown(title, rows, seed)),
            ("cliff_agents.csv", agents::means_csv(averages)),
        ],
    }
}

fn name(case: &Case) -> String {
    let (world, property, steps) = (case.world.name(), case.name(), case.property.steps);
    format!("{world} {property}, {} episodes, {steps} steps", grouped(case.episodes))
}

fn papers_policies(rows: &[paper::PublishedRow]) -> Table {
    let line = |row: &paper::PublishedRow| {
        let why = match (row.agrees(), row.case.property.steps) {
            (true, _) => "the exact values are inside the 99.9 % intervals of the published ones",
            (false, 200) => "the published numbers are for 100 steps",
            (false, _) => "an exact value is outside the 99.9 % interval of the published one",
        };
        TableLine {
            cells: vec![
                ("policy and property", name(&row.case)),
                ("p", row.case.p().to_owned()),
                ("violation, paper", format!("{:.3}", row.published.violation)),
                ("violation, exact", format!("{:.4}", row.exact)),
                ("found, paper", format!("{:.2}", row.published.found)),
                ("found, exact", format!("{:.4}", row.found_exact)),
            ],
            verdict: Verdict::of(row.agrees()),
            why: why.to_owned(),
        }
    };
    let caption = "The paper's policies: violation probability, and the probability of finding it";
    Table::new(caption, rows, line)
}

fn means(averages: &[Average]) -> Table {
    let line = |row: &Average| {
        let mean = format!("{:.4} ± {:.4}", row.violation, row.margin());
        TableLine {
            cells: vec![
                ("property", name(&row.case)),
                ("p", row.case.p().to_owned()),
                ("violation, paper", format!("{:.3}", row.published.violation)),
                ("violation, mean ± margin", mean),
                ("found, paper", format!("{:.2}", row.published.found)),
                ("found, mean", format!("{:.4}", row.found)),
                ("agents that never violate", format!("{} of {}", row.never, row.agents)),
            ],
            verdict: Verdict::of(row.agrees()),
            why: row.why().to_owned(),
        }
    };
    let agents = averages.first().map_or(0, |row| row.agents);
    Table::new(&format!("The mean of {agents} agents, each computed exactly"), averages, line)
}

fn own_policies(place: &str, rows: &[AgentRow]) -> Table {
    let line = |row: &AgentRow| {
        let (verdict, why) = judged(row);
        let published = row.case.published();
        let published = published.map(|paper| format!("{:.3}", paper.violation));
        TableLine {
            cells: vec![
                ("policy and property", name(&row.case)),
                ("p", row.case.p().to_owned()),
                ("violation, paper", published.unwrap_or_default()),
                ("violation, exact", format!("{:.4}", row.exact)),
                ("violation, estimate", format!("{:.4}", row.estimate())),
                ("found, exact", format!("{:.4}", row.found_exact)),
                ("found, measured", format!("{:.2}", row.found_measured())),
            ],
            verdict,
            why: why.to_owned(),
        }
    };
    let (samples, repeats) = rows.first().map_or((0, 0), |row| (row.samples, row.repeats));
    let caption = format!(
        "Our policies {place}: exact, estimated from {samples} episodes, and found in {repeats} tests"
    );
    Table::new(&caption, rows, line)
}

/// Another policy has another violation probability, so the paper says nothing about ours; only the
/// promise can be judged.
fn judged(row: &AgentRow) -> (Verdict, &'static str) {
    if !row.fits {
        let fault =
            "the measured value doesn't fit the exact one: a bug in this program, please report it";
        return (Verdict::Differs, fault);
    }
    let why = match (row.must_be_found(), row.promise_is_kept()) {
        (true, true) => "p or more, and found as guaranteed",
        (true, false) => "p or more, and found less often than guaranteed",
        (false, _) => "below p, so nothing is guaranteed",
    };
    (Verdict::OtherPolicy, why)
}
