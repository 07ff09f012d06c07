//! Options that more than one kind of agent takes, and what they may be.

use std::fmt::Display;
use std::str::FromStr;

use super::{Spec, SpecError};
use crate::search::alpha_beta::Selective;
use crate::search::mcts::Rule;

/// Leaves that a tree may gather: each inference is made for that many positions, however few there are.
const LARGEST_GATHER: usize = 4096;
/// A match has as many tables as threads; none may fill a machine.
const LARGEST_TABLE_MIB: usize = 4096;

/// How a PUCT agent selects with these options, such as `c_puct=1.5,solve=false`.
///
/// # Errors
/// When they are no options of its rule.
pub fn puct_rule(options: &str) -> Result<Rule, SpecError> {
    let mut spec: Spec = format!("puct:{options}").parse()?;
    let rule = take_rule(&mut spec)?;
    spec.finish()?;
    Ok(rule)
}

/// The rule of a PUCT agent.
pub(super) fn take_rule(spec: &mut Spec) -> Result<Rule, SpecError> {
    let fpu_reduction = spec.take_with("fpu", natural)?.unwrap_or(Rule::FPU_REDUCTION);
    let c_puct = spec.take_with("c_puct", natural)?.unwrap_or(Rule::C_PUCT);
    let solve = spec.take_bool("solve")?.unwrap_or(true);
    Ok(Rule::Puct { c_puct, fpu_reduction, root_fpu_reduction: fpu_reduction, solve })
}

/// The selective parts of alpha-beta: all but those that are turned off.
pub(super) fn selective(spec: &mut Spec) -> Result<Selective, SpecError> {
    let mut part = |key| -> Result<bool, SpecError> { Ok(spec.take_bool(key)?.unwrap_or(true)) };
    Ok(Selective {
        quiescence: part("quiescence")?,
        extensions: part("extensions")?,
        null_move: part("null_move")?,
        reductions: part("reductions")?,
        futility: part("futility")?,
    })
}

/// A number of at least 1.
pub(super) fn positive<T: FromStr<Err: Display> + PartialOrd + Default>(
    spec: &mut Spec,
    key: &'static str,
) -> Result<Option<T>, SpecError> {
    spec.take_with(key, |value| match value.parse::<T>() {
        Ok(number) if number > T::default() => Ok(number),
        Ok(_) => Err("it must be at least 1".to_owned()),
        Err(error) => Err(error.to_string()),
    })
}

/// Leaves that a tree gathers.
pub(super) fn leaves(value: &str) -> Result<usize, String> {
    let within = |leaves: &usize| (1..=LARGEST_GATHER).contains(leaves);
    value.parse().ok().filter(within).ok_or_else(|| format!("it must be a number from 1 to {LARGEST_GATHER}"))
}

/// The size of a table.
pub(super) fn table_mib(value: &str) -> Result<usize, String> {
    let within = |mib: &usize| *mib <= LARGEST_TABLE_MIB;
    value.parse().ok().filter(within).ok_or_else(|| format!("it must be a size in MiB from 0 to {LARGEST_TABLE_MIB}"))
}

/// A number of at least 0.
pub(super) fn natural(value: &str) -> Result<f32, String> {
    value
        .parse()
        .ok()
        .filter(|number: &f32| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| "it must be a number of at least 0".to_owned())
}
