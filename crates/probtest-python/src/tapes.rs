//! The draws of one execution, kept or played, whichever generator of Python makes them.
//!
//! All sources of an execution share one reel, in the order of their draws. A bit generator of
//! NumPy is replaced by one of ours, and a generator of `random` is given its words before it is
//! asked for them. Nothing here runs code of the program.

use std::ffi::{c_long, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use probtest::seed::{DrawSite, Draws, MOST_KEPT, Playing, Trace};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3::{PyTraverseError, PyVisit};

use crate::GaveUp;

/// The bits of a word that a draw takes: a float has 53, and smaller numbers have the upper half.
const DOUBLE: u64 = !0x7ff;
const UPPER: u64 = !0xffff_ffff;
const WHOLE: u64 = u64::MAX;

static REEL: Mutex<Option<Reel>> = Mutex::new(None);

/// The last number that was drawn, as far as it can be found again in a seed.
#[derive(Clone, Debug, Default, PartialEq)]
enum LastDraw {
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
struct Reel {
    tape: Option<Vec<u64>>,
    words: Vec<u64>,
    most: usize,
    gives_up: bool,
    gave_up: bool,
    /// Draws since then: a loop that does not end even so is left by an exception.
    late: usize,
    thread: c_long,
    tracer: Option<Py<PyAny>>,
    refused: Option<String>,
    last: LastDraw,
    /// Draws that are not zero since `fresh_draws` was last called.
    fresh: Vec<usize>,
}

fn reel() -> MutexGuard<'static, Option<Reel>> {
    REEL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reel {
    /// What the tape has in a place; zero after its end.
    fn at(&self, place: usize) -> u64 {
        let tape = self.tape.as_deref().unwrap_or_default();
        tape.get(place).copied().unwrap_or(0)
    }

    /// Whether more may be drawn from it.
    fn goes_on(&mut self) -> bool {
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
    fn is_endless(&self) -> bool {
        self.late > self.most + 1000
    }

    fn push(&mut self, word: u64) {
        if word != 0 && self.tracer.is_some() {
            self.fresh.push(self.words.len());
        }
        self.words.push(word);
    }

    fn refuse(&mut self, why: String) {
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
pub fn close(sites: Vec<SiteOf>, unseen: Option<String>) -> Draws {
    let Some(mut found) = reel().take() else {
        return Draws::default();
    };
    if found.refused.is_some() {
        found.words.clear();
    }
    let words = &found.words;
    let place = |(number, call, gave, line): SiteOf| {
        let part = *words.get(number)? as f64 / 2_f64.powi(64);
        Some(DrawSite { number, part, trace: Trace::Known { call, gave, line } })
    };
    Draws {
        places: sites.into_iter().filter_map(place).collect(),
        // Played, it says nothing.
        gave_up: found.gave_up || found.refused.is_some() && found.tape.is_some(),
        unseen: found.refused.or(unseen),
        words: found.words,
        ..Draws::default()
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
    if let LastDraw::Double(drawn) = last {
        return seed.extract::<f64>().is_ok_and(|seed| seed == drawn);
    }
    let Ok(seed) = seed.extract::<u128>() else {
        return false;
    };
    // A method may have left out the lowest or the highest bit.
    match last {
        LastDraw::Nothing | LastDraw::Double(_) => false,
        LastDraw::Word(word) => [word, word >> 1, word << 1 >> 1].map(u128::from).contains(&seed),
        LastDraw::Half(half) => [half, half >> 1, half << 1 >> 1].map(u128::from).contains(&seed),
        LastDraw::Words(words) => is_made_of(&words, seed),
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
            WHOLE => LastDraw::Word(word),
            UPPER => LastDraw::Half((word >> 32) as u32),
            _ => LastDraw::Nothing,
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

/// What replaces a zero that would be rejected: whatever a method makes of it is the first
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

// The draws of `random`. Its methods in C cannot be replaced where a program has them by name, so the hook
// for profilers puts the words of the tape into a generator before it is asked for them, and reads
// afterwards how many it took.

/// The words of a Mersenne Twister.
const SIZE: usize = 624;
/// How many words are put in place before a call: all that one of 1024 bits takes.
const AHEAD: usize = 32;

/// `RandomObject` of Python, after its head: where it is, and its words.
#[repr(C)]
struct Twister {
    index: i32,
    state: [u32; SIZE],
}

/// A generator whose draws are seen.
struct FollowedGenerator {
    generator: Py<PyAny>,
    /// Where it was when it was last seen, where that is known.
    index: Option<i32>,
}

/// A call under way.
struct TwisterCall {
    place: usize,
    is_float: bool,
    before: Box<[u32]>,
    index: i32,
}

/// The hook: follows generators while an execution is under way.
#[pyclass(module = "probtest._native")]
pub struct Twisters {
    random: usize,
    getrandbits: usize,
    seed: usize,
    setstate: usize,
    /// Is told of generators that get a seed, with the frame. None once the collector has taken it.
    seeded: Option<Py<PyAny>>,
    followed: Vec<FollowedGenerator>,
    call: Option<TwisterCall>,
    /// Whether words were taken that no call was seen for.
    #[pyo3(get)]
    missed: bool,
}

/// Returns the code of a function in C, and the object that it is a method of.
fn code_of(function: &Bound<'_, PyAny>) -> Option<(usize, *mut ffi::PyObject)> {
    let pointer = function.as_ptr();
    // SAFETY: the interpreter is attached; both calls are for objects of this very type.
    unsafe {
        if ffi::Py_TYPE(pointer) != &raw mut ffi::PyCFunction_Type {
            return None;
        }
        let code = ffi::PyCFunction_GetFunction(pointer)?;
        Some((code as usize, ffi::PyCFunction_GetSelf(pointer)))
    }
}

/// Returns the words of a generator.
///
/// # Safety
///
/// It must be an instance of `_random.Random`, in the layout that `Twisters::new` has checked.
unsafe fn words_of(generator: *mut ffi::PyObject) -> *mut Twister {
    // SAFETY: they come after the head of the object.
    unsafe { generator.add(1).cast() }
}

fn temper(mut word: u32) -> u32 {
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c_5680;
    word ^= word << 15 & 0xefc6_0000;
    word ^ word >> 18
}

/// The word that is tempered to this one.
fn untemper(mut word: u32) -> u32 {
    word ^= word >> 18;
    word ^= word << 15 & 0xefc6_0000;
    let mut found = word;
    for _ in 0..4 {
        found = word ^ (found << 7 & 0x9d2c_5680);
    }
    word = found;
    for _ in 0..2 {
        found = word ^ found >> 11;
    }
    found
}

#[pymethods]
impl Twisters {
    /// Takes a generator with its state, to see that both are laid out as is known here, and
    /// what to tell of seeds.
    #[new]
    fn new(known: &Bound<'_, PyAny>, state: Vec<u32>, seeded: Py<PyAny>) -> PyResult<Self> {
        let code = |name: &str| -> PyResult<usize> {
            let method = known.getattr(name)?;
            match code_of(&method) {
                Some((code, of)) if of == known.as_ptr() => Ok(code),
                _ => Err(PyValueError::new_err("methods of another kind")),
            }
        };
        let size: usize = known.get_type().getattr("__basicsize__")?.extract()?;
        let needed = size_of::<ffi::PyObject>() + size_of::<Twister>();
        let fits = size >= needed && size < needed + 16 && state.len() == SIZE + 1;
        // SAFETY: the object is at least that large.
        let as_known = fits
            && unsafe {
                let twister = &*words_of(known.as_ptr());
                twister.index == state[SIZE] as i32 && twister.state[..] == state[..SIZE]
            };
        if !as_known {
            return Err(PyValueError::new_err("a generator that is laid out otherwise"));
        }
        Ok(Twisters {
            random: code("random")?,
            getrandbits: code("getrandbits")?,
            seed: code("seed")?,
            setstate: code("setstate")?,
            seeded: Some(seeded),
            followed: Vec::new(),
            call: None,
            missed: false,
        })
    }

    /// Begins with these generators.
    fn begin(&mut self, generators: Vec<Py<PyAny>>) {
        self.followed.clear();
        self.missed = false;
        self.call = None;
        for generator in generators {
            // SAFETY: `probtest.tapes` looks at the class first.
            let index = unsafe { (*words_of(generator.as_ptr())).index };
            self.followed.push(FollowedGenerator { generator, index: Some(index) });
        }
    }

    /// Sees the draws of one more generator, which gets its seed now.
    fn follow(&mut self, generator: Bound<'_, PyAny>) {
        self.leave(&generator);
        self.followed.push(FollowedGenerator { generator: generator.unbind(), index: None });
    }

    /// Sees them no longer.
    fn leave(&mut self, generator: &Bound<'_, PyAny>) {
        self.followed.retain(|known| known.generator.as_ptr() != generator.as_ptr());
    }

    /// Lets go of the generators.
    fn end(&mut self) {
        for known in &self.followed {
            // SAFETY: only instances of `_random.Random` are followed.
            let index = unsafe { (*words_of(known.generator.as_ptr())).index };
            self.missed |= known.index.is_some_and(|known| known != index);
        }
        self.followed.clear();
        self.call = None;
    }

    /// Shows Python's collector what this holds: `seeded` is a method of the object that holds this.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.seeded)?;
        self.followed.iter().try_for_each(|known| visit.call(&known.generator))
    }

    fn __clear__(&mut self) {
        self.seeded = None;
        self.followed.clear();
    }

    /// Is called by Python for each call and return.
    fn __call__(
        slf: &Bound<'_, Self>,
        frame: &Bound<'_, PyAny>,
        event: &str,
        argument: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if matches!(event, "c_return" | "c_exception") {
            slf.borrow_mut().returned();
        }
        let called = (event == "c_call").then(|| code_of(argument));
        let Some((code, of)) = called.flatten() else {
            return Ok(());
        };
        let mut hook = slf.borrow_mut();
        let is_float = code == hook.random;
        if is_float || code == hook.getrandbits {
            return hook.called(of, is_float);
        }
        let seeds = code == hook.seed;
        if !seeds && code != hook.setstate {
            return Ok(());
        }
        let seeded = hook.seeded.as_ref().map(|seeded| seeded.clone_ref(slf.py()));
        drop(hook);
        let Some(seeded) = seeded else {
            return Ok(());
        };
        // SAFETY: a method of an object holds it.
        let generator = unsafe { Bound::from_borrowed_ptr(slf.py(), of) };
        // It never raises: nothing that watches may.
        let _ = seeded.call1(slf.py(), (generator, frame, seeds));
        Ok(())
    }
}

impl Twisters {
    /// A generator is about to draw.
    fn called(&mut self, of: *mut ffi::PyObject, is_float: bool) -> PyResult<()> {
        let place = self.followed.iter().position(|known| known.generator.as_ptr() == of);
        let mut open = reel();
        let (Some(place), Some(reel)) = (place, open.as_mut()) else {
            return Ok(());
        };
        // SAFETY: only instances of `_random.Random` are followed, and none is in use here.
        let twister = unsafe { &mut *words_of(of) };
        let known = self.followed[place].index;
        self.missed |= known.is_some_and(|known| known != twister.index);
        if !reel.goes_on() {
            self.followed[place].index = None;
            return match reel.is_endless() {
                true => Err(GaveUp::new_err("it draws far more than it should")),
                false => Ok(()),
            };
        }
        if reel.tape.is_some() {
            load(twister, reel, is_float);
        }
        let first = usize::try_from(twister.index).unwrap_or(0).min(SIZE);
        self.call = Some(TwisterCall {
            place,
            is_float,
            before: twister.state[first..].into(),
            index: twister.index,
        });
        Ok(())
    }

    /// The call under way has ended.
    fn returned(&mut self) {
        let Some(call) = self.call.take() else {
            return;
        };
        let Some(known) = self.followed.get_mut(call.place) else {
            return;
        };
        // SAFETY: only instances of `_random.Random` are followed, and none is in use here.
        let twister = unsafe { &*words_of(known.generator.as_ptr()) };
        known.index = Some(twister.index);
        let (first, now) = (call.index, twister.index);
        let taken: Vec<u32> = match now >= first {
            true => call.before[..(now - first) as usize].to_vec(),
            // It has made new words in between.
            false => [&call.before, &twister.state[..now.max(0) as usize]].concat(),
        };
        let mut open = reel();
        let Some(reel) = open.as_mut().filter(|_| !taken.is_empty()) else {
            return;
        };
        let words: Vec<u32> = taken.into_iter().map(temper).collect();
        if call.is_float {
            let (high, low) = (words[0] >> 5, words.get(1).map_or(0, |word| word >> 6));
            let word = u64::from(high) << 37 | u64::from(low) << 11;
            reel.push(word);
            reel.last = LastDraw::Double((word >> 11) as f64 / 2_f64.powi(53));
            return;
        }
        for pair in words.chunks(2) {
            let low = pair.get(1).copied().unwrap_or(0);
            reel.push(u64::from(pair[0]) << 32 | u64::from(low));
        }
        reel.last = LastDraw::Words(words);
    }
}

/// Puts the next words of the tape into a generator.
fn load(twister: &mut Twister, reel: &Reel, is_float: bool) {
    let next = reel.words.len();
    twister.index = 0;
    if is_float {
        let word = reel.at(next) & DOUBLE;
        twister.state[0] = untemper((word >> 37 << 5) as u32);
        twister.state[1] = untemper((word >> 11 << 6) as u32);
        return;
    }
    for (pair, words) in twister.state[..AHEAD].chunks_mut(2).enumerate() {
        let word = reel.at(next + pair);
        words[0] = untemper(((word & UPPER) >> 32) as u32);
        words[1] = untemper(word as u32);
    }
}
