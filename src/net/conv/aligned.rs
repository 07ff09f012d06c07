//! Numbers that begin on a cache line: a vector of 64 bytes that straddles two lines costs two loads.

/// Bytes of a cache line.
const LINE: usize = 64;

/// A list of numbers whose first begins a cache line.
#[derive(Debug)]
pub(super) struct Aligned<T> {
    numbers: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// So many zeros.
    pub(super) fn zeros(count: usize) -> Self {
        let slack = LINE / size_of::<T>();
        let numbers = vec![T::default(); count + slack];
        // Where alignment cannot be told, none is lost but speed.
        let start = numbers.as_ptr().align_offset(LINE).min(slack);
        let mut aligned = Self { numbers, start };
        aligned.numbers.truncate(start + count);
        aligned
    }

    pub(super) fn get(&self) -> &[T] {
        &self.numbers[self.start..]
    }

    pub(super) fn get_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.start..]
    }

    /// Makes room for `count` numbers; what was there is lost where there was less.
    pub(super) fn reserve(&mut self, count: usize) {
        if self.get().len() < count {
            *self = Self::zeros(count);
        }
    }
}

impl<T: Copy + Default> Clone for Aligned<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::zeros(self.get().len());
        copy.get_mut().copy_from_slice(self.get());
        copy
    }
}

impl<T: Copy + Default> FromIterator<T> for Aligned<T> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> Self {
        let numbers: Vec<T> = numbers.into_iter().collect();
        let mut aligned = Self::zeros(numbers.len());
        aligned.get_mut().copy_from_slice(&numbers);
        aligned
    }
}
