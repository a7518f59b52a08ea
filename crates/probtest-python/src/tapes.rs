//! The draws of one execution, kept or played, whichever generator of Python makes them.
//!
//! All sources of an execution share one reel, in the order of their draws. A bit generator of
//! NumPy is stood in for by one of ours, and a generator of `random` is given its words before
//! it is asked for them (`twisters`). Nothing here runs code of the program.

use std::ffi::{c_long, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use probtest::seed::{Drawn, MOST_KEPT, Place, Playing, Trace};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::GaveUp;

/// The bits of a word that a draw takes: a float has 53, and smaller numbers have the upper half.
pub const DOUBLE: u64 = !0x7ff;
pub const UPPER: u64 = !0xffff_ffff;
const WHOLE: u64 = u64::MAX;

static REEL: Mutex<Option<Reel>> = Mutex::new(None);

/// The last number that was drawn, as far as it can be found again in a seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Last {
    #[default]
    Nothing,
    Word(u64),
    /// The words of a Mersenne Twister.
    Words(Vec<u32>),
    Half(u32),
    Double(f64),
}

/// What the sources draw from, and what they have drawn.
#[derive(Default)]
pub struct Reel {
    pub tape: Option<Vec<u64>>,
    pub words: Vec<u64>,
    most: usize,
    gives_up: bool,
    pub gave_up: bool,
    /// Draws since then: a loop that does not end even so is left by an exception.
    late: usize,
    thread: c_long,
    tracer: Option<Py<PyAny>>,
    refused: Option<String>,
    pub last: Last,
    /// Draws that are not zero and nobody has asked for yet.
    fresh: Vec<usize>,
}

pub fn reel() -> MutexGuard<'static, Option<Reel>> {
    REEL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reel {
    /// What the tape has in a place; zero after its end.
    pub fn at(&self, place: usize) -> u64 {
        let tape = self.tape.as_deref().unwrap_or_default();
        tape.get(place).copied().unwrap_or(0)
    }

    /// Whether more may be drawn from it.
    pub fn goes_on(&mut self) -> bool {
        if self.words.len() < self.most {
            return true;
        }
        if self.tape.is_none() {
            self.refuse(format!("it draws more than {MOST_KEPT} numbers"));
        } else if self.gives_up {
            self.gave_up = true;
            self.late += 1;
        }
        false
    }

    /// Whether the execution should be left.
    pub fn is_endless(&self) -> bool {
        self.late > self.most + 1000
    }

    pub fn push(&mut self, word: u64) {
        if word != 0 && self.tracer.is_some() {
            self.fresh.push(self.words.len());
        }
        self.words.push(word);
    }

    pub fn refuse(&mut self, why: String) {
        self.refused.get_or_insert(why);
    }
}

/// Begins to see the draws of an execution.
pub fn open(playing: Playing, thread: c_long, tracer: Option<Py<PyAny>>) {
    let Playing { tape, most, gives_up, .. } = playing;
    *reel() = Some(Reel {
        most: if tape.is_none() { MOST_KEPT } else { most },
        tape: tape.map(|tape| tape.words().to_vec()),
        gives_up,
        thread,
        tracer,
        ..Reel::default()
    });
}

/// Whether an exception may be on its way to the execution under way.
pub fn is_left() -> bool {
    reel().as_ref().is_some_and(Reel::is_endless)
}

/// Ends that, and returns what was drawn.
pub fn close(sites: Vec<SiteOf>, unseen: Option<String>) -> Drawn {
    let Some(mut found) = reel().take() else {
        return Drawn::default();
    };
    if found.refused.is_some() {
        found.words.clear();
    }
    let words = &found.words;
    let place = |(number, call, gave, line): SiteOf| {
        let part = *words.get(number)? as f64 / 2_f64.powi(64);
        Some(Place { number, part, trace: Trace::Known { call, gave, line } })
    };
    Drawn {
        places: sites.into_iter().filter_map(place).collect(),
        // Played, it says nothing.
        gave_up: found.gave_up || found.refused.is_some() && found.tape.is_some(),
        unseen: found.refused.or(unseen),
        words: found.words,
        ..Drawn::default()
    }
}

/// The number of a draw, the call, what it gave, file and line.
pub type SiteOf = (usize, String, Option<String>, Option<String>);

/// Whether the draws of the execution under way are seen.
#[pyfunction]
pub fn is_seen() -> bool {
    reel().is_some()
}

/// Says that the draws of the execution under way cannot be played, and why.
#[pyfunction]
pub fn refuse_story(why: String) {
    if let Some(reel) = reel().as_mut() {
        reel.refuse(why);
    }
}

/// The draws since the last question that are not zero, by number.
#[pyfunction]
pub fn fresh_draws() -> Vec<usize> {
    reel().as_mut().map(|reel| std::mem::take(&mut reel.fresh)).unwrap_or_default()
}

/// Whether a seed is the number that was drawn last: then what it seeds is as random.
#[pyfunction]
pub fn is_drawn(seed: &Bound<'_, PyAny>) -> bool {
    let Some(last) = reel().as_ref().map(|reel| reel.last.clone()) else {
        return false;
    };
    if let Last::Double(drawn) = last {
        return seed.extract::<f64>().is_ok_and(|seed| seed == drawn);
    }
    let Ok(seed) = seed.extract::<u128>() else {
        return false;
    };
    // A method may have left out the lowest or the highest bit.
    match last {
        Last::Nothing | Last::Double(_) => false,
        Last::Word(word) => [word, word >> 1, word << 1 >> 1].map(u128::from).contains(&seed),
        Last::Half(half) => [half, half >> 1, half << 1 >> 1].map(u128::from).contains(&seed),
        Last::Words(words) => is_made_of(&words, seed),
    }
}

/// Whether `getrandbits` may have made a number of these words, for some count of bits.
fn is_made_of(words: &[u32], number: u128) -> bool {
    let Some((last, rest)) = words.split_last().filter(|_| words.len() <= 4) else {
        return false;
    };
    let low = rest.iter().rev().fold(0, |sum: u128, word| sum << 32 | u128::from(*word));
    (0..32).any(|shift| u128::from(*last >> shift) << (32 * rest.len()) | low == number)
}

/// Draws one number, and says whether it was played. Called by NumPy, perhaps without the
/// interpreter.
fn draw(mask: u64, natural: impl Fn() -> u64) -> (u64, bool) {
    let (word, traced) = {
        let mut open = reel();
        let Some(reel) = open.as_mut() else {
            return (natural(), false);
        };
        if !reel.goes_on() {
            let leave = reel.is_endless().then_some(reel.thread);
            drop(open);
            if let Some(thread) = leave {
                leave_by_exception(thread);
            }
            return (natural(), false);
        }
        let played = reel.tape.is_some();
        let word = match played {
            true => reel.at(reel.words.len()) & mask,
            false => natural(),
        };
        reel.push(word);
        reel.last = match mask {
            WHOLE => Last::Word(word),
            UPPER => Last::Half((word >> 32) as u32),
            _ => Last::Nothing,
        };
        ((word, played), reel.tracer.is_some() && word != 0)
    };
    if traced {
        tell_tracer();
    }
    word
}

/// Calls Python from where NumPy may have let go of the interpreter. `Python::attach` does not
/// know of that, and takes the thread for attached as it was before.
fn attached<T>(with: impl FnOnce(Python<'_>) -> T) -> T {
    // SAFETY: this thread has come from Python, which lives; what is ensured is released.
    unsafe {
        let before = ffi::PyGILState_Ensure();
        let did = with(Python::assume_attached());
        ffi::PyGILState_Release(before);
        did
    }
}

#[cold]
fn tell_tracer() {
    attached(|py| {
        let tracer = reel().as_ref().and_then(|reel| Some(reel.tracer.as_ref()?.clone_ref(py)));
        if let Some(tracer) = tracer {
            // What is not found out is not told.
            let _ = tracer.call0(py);
        }
    });
}

/// Has an exception raised in the thread of the execution, as soon as Python gets there.
#[cold]
pub fn leave_by_exception(thread: c_long) {
    attached(|py| {
        let exception = py.get_type::<GaveUp>();
        // SAFETY: the interpreter is attached, and the type outlives the call.
        unsafe { ffi::PyThreadState_SetAsyncExc(thread, exception.as_ptr()) };
    });
}

/// `bitgen_t` of NumPy.
#[repr(C)]
#[derive(Clone, Copy)]
struct BitGen {
    state: *mut c_void,
    next_uint64: unsafe extern "C" fn(*mut c_void) -> u64,
    next_uint32: unsafe extern "C" fn(*mut c_void) -> u32,
    next_double: unsafe extern "C" fn(*mut c_void) -> f64,
    next_raw: unsafe extern "C" fn(*mut c_void) -> u64,
}

/// What the state in the struct that NumPy copies points to.
struct Deck {
    ours: BitGen,
    inner: BitGen,
    /// Whether the numbers are those of the generator again, unseen.
    plain: AtomicBool,
    /// Whether NumPy rejects whole numbers that are zero.
    rejects_zero: bool,
}

/// Stands in for a bit generator of NumPy while draws are seen.
#[pyclass(module = "probtest._native", frozen)]
pub struct Deputy {
    deck: Box<Deck>,
    /// The generator itself must live as long.
    _capsule: Py<PyCapsule>,
}

// SAFETY: NumPy calls a bit generator under its lock, from any thread; what the pointers of the
// deck point to lives as long as the capsule, and is changed by NumPy alone.
unsafe impl Send for Deputy {}
// SAFETY: as above; the deputy itself is never changed but for an atomic.
unsafe impl Sync for Deputy {}

const NAME: &std::ffi::CStr = c"BitGenerator";

#[pymethods]
impl Deputy {
    /// Takes the capsule of the bit generator itself. Its newer methods reject a zero where a
    /// range is no power of two, for ever.
    #[new]
    fn new(capsule: &Bound<'_, PyCapsule>, rejects_zero: bool) -> PyResult<Self> {
        // SAFETY: the interpreter is attached; the name is checked by the call.
        let found = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()) };
        if found.is_null() {
            let _ = PyErr::take(capsule.py());
            return Err(PyValueError::new_err("this is not a bit generator"));
        }
        // SAFETY: NumPy names capsules so that hold a `bitgen_t`, whose layout is public.
        let inner = unsafe { *found.cast::<BitGen>() };
        let ours =
            BitGen { state: std::ptr::null_mut(), next_uint64, next_uint32, next_double, next_raw };
        let mut deck = Box::new(Deck { ours, inner, plain: AtomicBool::new(false), rejects_zero });
        deck.ours.state = (&raw mut *deck).cast();
        Ok(Deputy { deck, _capsule: capsule.clone().unbind() })
    }

    /// What NumPy asks a bit generator for. It must not outlive the deputy.
    #[getter]
    fn capsule(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let struct_of_numpy = (&raw const self.deck.ours).cast_mut().cast();
        // SAFETY: the pointer is not null, and lives as long as the deputy, which the object
        // that NumPy keeps holds.
        unsafe {
            let made = ffi::PyCapsule_New(struct_of_numpy, NAME.as_ptr(), None);
            Bound::from_owned_ptr_or_err(py, made).map(Bound::unbind)
        }
    }

    /// Lets the generator's own numbers through from here on.
    fn step_back(&self) {
        self.deck.plain.store(true, Ordering::Relaxed);
    }
}

/// What stands for a zero that would be rejected: whatever a method makes of it is the first
/// value of a range, or next to nothing. Some look at the lowest bits, some at the highest.
const NEARLY_ZERO: u64 = 1 << 7;
const NEARLY_ZERO_UPPER: u64 = 1 << (32 + 12);

/// Draws for NumPy.
///
/// # Safety
///
/// The state must be that of a deputy that lives.
unsafe fn drawn_by(state: *mut c_void, mask: u64, natural: impl Fn(&BitGen) -> u64) -> u64 {
    // SAFETY: `Deputy::new` has put it there.
    let deck = unsafe { &*state.cast::<Deck>() };
    if deck.plain.load(Ordering::Relaxed) {
        return natural(&deck.inner);
    }
    match draw(mask, || natural(&deck.inner)) {
        (0, true) if deck.rejects_zero && mask == WHOLE => NEARLY_ZERO,
        (0, true) if deck.rejects_zero && mask == UPPER => NEARLY_ZERO_UPPER,
        (word, _) => word,
    }
}

unsafe extern "C" fn next_uint64(state: *mut c_void) -> u64 {
    // SAFETY: NumPy calls it with the state beside it; the same holds for what is inside.
    unsafe { drawn_by(state, WHOLE, |inner| (inner.next_uint64)(inner.state)) }
}

unsafe extern "C" fn next_uint32(state: *mut c_void) -> u32 {
    // SAFETY: as for `next_uint64`.
    let word = unsafe {
        drawn_by(state, UPPER, |inner| u64::from((inner.next_uint32)(inner.state)) << 32)
    };
    (word >> 32) as u32
}

unsafe extern "C" fn next_double(state: *mut c_void) -> f64 {
    let unit = 2_f64.powi(53);
    // SAFETY: as for `next_uint64`.
    let word = unsafe {
        // All of NumPy's have 53 bits.
        drawn_by(state, DOUBLE, |inner| (((inner.next_double)(inner.state) * unit) as u64) << 11)
    };
    (word >> 11) as f64 / unit
}

unsafe extern "C" fn next_raw(state: *mut c_void) -> u64 {
    // SAFETY: as for `next_uint64`.
    unsafe { drawn_by(state, WHOLE, |inner| (inner.next_raw)(inner.state)) }
}
