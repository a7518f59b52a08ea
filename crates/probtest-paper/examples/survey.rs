//! Says whether the 26 properties find a fault in the list as it is here.
//!
//! `make mutants` builds it once for each seeded fault. It walks through all
//! ways of the coin for one to four insertions, so that its answer is no matter
//! of luck: the first number of insertions for which a suite run with the paper's
//! executions finds the fault with probability 0.95 or more, that probability,
//! and the properties that see it; or the highest probability.

use probtest_paper::skip_list::Parameters;
use probtest_paper::skip_list::exact::ExactAnswer;

fn main() {
    // A panic is a violation and is counted as one; its message is not needed.
    std::panic::set_hook(Box::new(|_| ()));
    let mut most = 0.0;
    for (insertions, executions) in (1..).zip([11, 47, 191, 767]) {
        let answer = ExactAnswer::of(None, Parameters::PAPER, insertions);
        let found = answer.found(executions);
        if found >= 0.95 {
            let sights = answer.sights();
            let numbers: Vec<String> = sights.iter().map(|s| s.property.to_string()).collect();
            let (found, numbers) = (format!("{found:.4}"), numbers.join(" "));
            println!("killed R={insertions} found={found} tests={numbers}");
            return;
        }
        most = found.max(most);
    }
    println!("missed, found={most:.4} at most");
}
