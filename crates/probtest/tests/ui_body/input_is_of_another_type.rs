use probtest::probtest;

#[probtest(p = 0.01)]
fn strategy_is_of_another_type(#[strategy(0..300u16)] x: u8) {
    assert!(x < 200);
}

#[probtest(p = 0.01)]
fn type_has_no_strategy(x: std::thread::Thread) {
    drop(x);
}

#[probtest(p = 0.01)]
fn strategy_is_none(#[strategy("a".len())] x: usize) {
    assert!(x < 200);
}

fn main() {}
