//! The 26 properties: what must hold for every list, whatever the coin says.
//!
//! Each property is a test of its own with a name from the paper. It builds its
//! lists from the keys of the [`Scene`], does something to them, and says what is
//! broken. A panic inside a list is a violation as well; whoever calls
//! [`Property::check`] catches it, as probtest does.
//!
//! How the words of the paper became tests: a list that a property takes as given
//! holds all R keys, except those that the property itself inserts; where it
//! speaks of one node, that is the last key, where of two, the first and the last.
//! With R = 1 both are the same key. So no list ever holds more than R keys.

mod equivalence;
mod metamorphic;
mod postconditions;
mod scene;
mod validity;

use std::fmt;

pub use scene::{Broken, Scene};

use super::Subject;

/// What a property speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// After an operation the list is a skip list.
    Validity,
    /// An operation does what it is for.
    Postcondition,
    /// Two ways of doing things come to the same.
    Metamorphic,
    /// Operations keep or break the equality of two lists.
    Equivalence,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Group::Validity => "validity",
            Group::Postcondition => "postcondition",
            Group::Metamorphic => "metamorphic",
            Group::Equivalence => "equivalence",
        })
    }
}

/// One of the 26 properties, as a test of the list `S`.
///
/// ```
/// use probtest::{Claim, Options};
/// use probtest_paper::skip_list::{Parameters, Property, Scene, SkipList};
///
/// let property = Property::<SkipList>::named("post_deletion_search").unwrap();
/// let report = probtest::run(
///     &Claim::detect(0.0625, 0.05)?,
///     Options::new(property.name).seed(1),
///     |rng| property.check(&mut Scene::new(&SkipList::new(Parameters::PAPER), &[15, 16], rng)),
/// )?;
/// assert!(report.passed());
/// assert_eq!(report.counts.executed, 47);
/// # Ok::<(), probtest::Error>(())
/// ```
#[derive(Debug)]
pub struct Property<S: 'static> {
    /// The number in the paper, from 1.
    pub number: usize,
    /// The name in the paper, without `test_`.
    pub name: &'static str,
    /// What it speaks about.
    pub group: Group,
    body: fn(&mut Scene<'_, S>) -> Result<(), Broken>,
}

impl<S> Clone for Property<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Property<S> {}

macro_rules! table {
    ($($number:literal $group:ident $module:ident::$name:ident,)*) => {
        [$(Property {
            number: $number,
            name: stringify!($name),
            group: Group::$group,
            body: $module::$name,
        }),*]
    };
}

impl<S: Subject> Property<S> {
    /// All properties in the order of the paper.
    pub const ALL: [Property<S>; 26] = table![
        1 Validity validity::valid_insertion,
        2 Validity validity::valid_delete,
        3 Validity validity::valid_delete_all,
        4 Validity validity::valid_search,
        5 Postcondition postconditions::post_insertion_search,
        6 Postcondition postconditions::post_deletion_search,
        7 Postcondition postconditions::post_level_of_nodes_unchanged_after_insertion,
        8 Postcondition postconditions::post_level_of_nodes_unchanged_after_search,
        9 Postcondition postconditions::post_level_of_other_nodes_unchanged_after_deletion,
        10 Postcondition postconditions::post_level_of_deleted_nodes_changed_after_deletion,
        11 Metamorphic metamorphic::meta_insertion_order,
        12 Metamorphic metamorphic::meta_insertion_order_same_key,
        13 Metamorphic metamorphic::meta_delete_insert_order,
        14 Metamorphic metamorphic::meta_insert_delete_same_node_order,
        15 Metamorphic metamorphic::meta_delete_delete_order,
        16 Metamorphic metamorphic::meta_delete_same_node_twice,
        17 Metamorphic metamorphic::meta_insertion_search_delete,
        18 Metamorphic metamorphic::meta_search_insertion_delete,
        19 Equivalence equivalence::eq_inserts_break_eq,
        20 Equivalence equivalence::eq_delete_break_eq,
        21 Equivalence equivalence::eq_delete,
        22 Equivalence equivalence::eq_search,
        23 Equivalence equivalence::equiv_insert,
        24 Equivalence equivalence::equiv_inserts_break_equiv,
        25 Equivalence equivalence::equiv_delete_break_equiv,
        26 Equivalence equivalence::equiv_delete,
    ];

    /// Finds a property by its name.
    pub fn named(name: &str) -> Option<Property<S>> {
        Property::ALL
            .into_iter()
            .find(|property| property.name == name)
    }

    /// Checks the property once.
    ///
    /// # Errors
    ///
    /// With what is broken, and the list that shows it.
    pub fn check(&self, scene: &mut Scene<'_, S>) -> Result<(), Broken> {
        (self.body)(scene)
    }
}
