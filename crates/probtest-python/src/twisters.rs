//! The draws of Python's `random`, kept or played.
//!
//! Its methods in C cannot be replaced where a program has them by name. So the hook for
//! profilers puts the words of the tape into a generator before it is asked for them, and
//! reads afterwards how many it took.

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::GaveUp;
use crate::tapes::{DOUBLE, Last, Reel, UPPER, reel};

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
struct Followed {
    generator: Py<PyAny>,
    /// Where it was when it was last seen, where that is known.
    index: Option<i32>,
}

/// A call under way.
struct Call {
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
    /// Is told of generators that get a seed, with the frame.
    seeded: Py<PyAny>,
    followed: Vec<Followed>,
    call: Option<Call>,
    /// Whether words were taken that no call was seen for.
    #[pyo3(get)]
    missed: bool,
}

/// Returns what is behind a function in C: its code, and what it is a method of.
fn behind(function: &Bound<'_, PyAny>) -> Option<(usize, *mut ffi::PyObject)> {
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
            match behind(&method) {
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
            seeded,
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
            // SAFETY: whoever calls this in Python looks at the class first.
            let index = unsafe { (*words_of(generator.as_ptr())).index };
            self.followed.push(Followed { generator, index: Some(index) });
        }
    }

    /// Sees the draws of one more generator, which gets its seed now.
    fn follow(&mut self, generator: Bound<'_, PyAny>) {
        self.leave(&generator);
        self.followed.push(Followed { generator: generator.unbind(), index: None });
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
        let called = (event == "c_call").then(|| behind(argument));
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
        let seeded = hook.seeded.clone_ref(slf.py());
        drop(hook);
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
        self.call = Some(Call {
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
            reel.last = Last::Double((word >> 11) as f64 / 2_f64.powi(53));
            return;
        }
        for pair in words.chunks(2) {
            let low = pair.get(1).copied().unwrap_or(0);
            reel.push(u64::from(pair[0]) << 32 | u64::from(low));
        }
        reel.last = Last::Words(words);
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
