use probtest::probtest;

#[probtest(p = 0.01)]
fn test() -> Vec<u8> {
    Vec::new()
}
