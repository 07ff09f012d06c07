#![doc = include_str!("../README.md")]

pub mod config;
pub mod rng;
pub mod storage;

pub mod game;
pub mod games;

pub mod eval;
pub mod search;
pub mod solver;

pub mod net;

pub mod agent;
pub mod arena;
pub mod play;
pub mod train;

pub mod cli;
