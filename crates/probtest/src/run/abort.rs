//! Which execution aborted the process?
//!
//! `process::abort`, a panic that cannot unwind, and a stack overflow, which std turns into an
//! abort, raise SIGABRT. Nothing survives it, so a handler says what to replay.

use std::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::{exit_guard, here};

const SIGABRT: c_int = 6;
const STANDARD_ERROR: c_int = 2;
/// `SIG_DFL`, as a number.
const DEFAULT: usize = 0;

// SAFETY: functions of POSIX with these signatures; a handler is an address.
unsafe extern "C" {
    fn signal(signal: c_int, handler: usize) -> usize;
    fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
}

/// Reports aborts from now on, unless the program has a handler of its own.
pub(super) fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let handler: extern "C" fn(c_int) = at_abort;
        // SAFETY: the handler calls nothing but `write` and `getpid`, and reads a thread local
        // without destructor. When it returns, abort goes on.
        unsafe {
            let before = signal(SIGABRT, handler as usize);
            if before != DEFAULT {
                signal(SIGABRT, before);
            }
        }
    });
}

// Nothing is allocated and no lock is taken: the program may have died inside either. Nor is there
// room for text on the stack: after a stack overflow this runs on what is left of the 8 KiB that
// std keeps for it, most of it taken by the kernel's copies of the registers.
static TEXT: [AtomicU8; 320] = [const { AtomicU8::new(0) }; 320];

extern "C" fn at_abort(_signal: c_int) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if exit_guard::is_forked() {
        return;
    }
    let Some((address, tag)) = here::execution().and_then(|e| e.parts()) else {
        return;
    };
    if SAID.swap(true, Ordering::SeqCst) {
        return;
    }
    let mut end = 0;
    put(&mut end, b"\nprobtest: the process was aborted in execution ");
    put_number(&mut end, address.index, 10, 1);
    put(&mut end, b" of seed 0x");
    put_number(&mut end, address.seed.0, 16, 1);
    put(&mut end, b"\n  replay    set PROBTEST_REPLAY=0x");
    put_number(&mut end, address.seed.0, 16, 1);
    put(&mut end, b":");
    put_number(&mut end, address.index, 10, 1);
    put(&mut end, b":");
    put_number(&mut end, u64::from(tag), 16, 8);
    put(&mut end, b" and run the same command again; other tests run as usual\n");
    // SAFETY: the bytes are initialised and live as long as the program.
    unsafe { write(STANDARD_ERROR, TEXT.as_ptr().cast(), end) };
}

fn put(end: &mut usize, bytes: &[u8]) {
    let mut next = 0;
    while next < bytes.len() && *end < TEXT.len() {
        TEXT[*end].store(bytes[next], Ordering::Relaxed);
        *end += 1;
        next += 1;
    }
}

/// Puts a number with at least this many digits.
fn put_number(end: &mut usize, number: u64, base: u64, digits: u32) {
    let mut unit = base.pow(digits - 1);
    while number / unit >= base {
        unit *= base;
    }
    while unit > 0 {
        let digit = (number / unit % base) as usize;
        put(end, &b"0123456789abcdef"[digit..=digit]);
        unit /= base;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_as_they_are_formatted() {
        for (number, base, digits, expected) in [
            (0, 10, 1, "0".to_owned()),
            (390, 10, 1, "390".to_owned()),
            (u64::MAX, 10, 1, u64::MAX.to_string()),
            (u64::MAX, 16, 1, format!("{:x}", u64::MAX)),
            (0xc0_ffee, 16, 8, "00c0ffee".to_owned()),
        ] {
            let mut end = 0;
            put_number(&mut end, number, base, digits);
            let text: String =
                TEXT[..end].iter().map(|byte| char::from(byte.load(Ordering::Relaxed))).collect();
            assert_eq!(text, expected);
        }
    }
}
